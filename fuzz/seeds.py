#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets: seeds.py FOLDER. They come from the cases, examples and incidents that lie in
the repository, and from those in ../shared where these are present. A seed is named by its digest."""

import glob
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
OUT = pathlib.Path(sys.argv[1])
# As much of one file goes into a bundle: a small input is mutated more often.
BUNDLE_FILE_BYTES = 2048
BUNDLE_FILES = ["incident.json", "metrics.csv", "logs.jsonl", "traces.jsonl", "changes.jsonl", "topology.json",
                "recordings.jsonl"]


def seed(target, data):
    data = data if isinstance(data, bytes) else data.encode()
    folder = OUT / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def read_json(path):
    try:
        return json.loads(path.read_text())
    except (ValueError, UnicodeDecodeError):
        return None


def shown(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def texts_of_agents():
    for path in sorted((ROOT / "tests/cases").glob("*/script.json")):
        for replies in read_json(path).values():
            for reply in replies if isinstance(replies, list) else []:
                if isinstance(reply, dict):
                    yield from (shown(reply[key]) for key in ("json", "text") if key in reply)
    for path in sorted((SHARED / "cases/inputs").glob("*.txt")):
        yield path.read_bytes()


def contract():
    for text in texts_of_agents():
        seed("contract", text)
        if isinstance(text, str):
            seed("contract", f"<think>[</think>Here:\n```json\n{text}\n```\n{{x}}")


def examples():
    """Output, path, quote and claim of each row of the published contract."""
    signs = {"␛": "\x1b", "␊": "\n", "␣": " "}
    for line in (ROOT / "docs/matching-contract.md").read_text().splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 5:
            output, path, quote, text = ("".join(signs.get(c, c) for c in cell) for cell in cells[:4])
            yield output, path, quote, text or "It happened."


def check_files():
    for path in sorted((SHARED / "cases/inputs").glob("*.json")):
        case = read_json(path)
        claims = case.get("executor_output") if isinstance(case, dict) else None
        if isinstance(claims, dict) and case.get("invocations"):
            yield [shown(call.get("output", "")) for call in case["invocations"]], claims.get("claims", [])


def matching():
    for output, path, quote, text in examples():
        seed("matching", "\0".join([output, output, text, path, quote, "", path, quote]))
    for outputs, claims in check_files():
        parts = [outputs[0], outputs[-1]]
        for claim in claims:
            for binding in claim.get("evidence_bindings", []):
                parts += [claim.get("text", ""), binding.get("raw_path", ""), binding.get("matched_text", "")]
        seed("matching", "\0".join(parts))


def path():
    for output, raw_path, _quote, _text in examples():
        seed("path", f"{raw_path}\0{output}")
    for outputs, claims in check_files():
        for binding in (binding for claim in claims for binding in claim.get("evidence_bindings", [])):
            seed("path", f"{binding.get('raw_path', '')}\0{outputs[0]}")


def component():
    """Real guests, as built and as embedded, and damaged ones. A large one is mutated too seldom to be worth it."""
    built = glob.glob(str(ROOT / "target/guests/*.wasm"))
    embedded = glob.glob(str(ROOT / "target/release/build/portcullis-*/out/*.wasm"))
    for name in sorted(built + embedded):
        data = pathlib.Path(name).read_bytes()
        if len(data) > 64 * 1024:
            continue
        seed("component", data)
        for cut in (8, len(data) // 4, len(data) // 2, len(data) - 1):
            seed("component", data[:cut])
        for place in range(8, len(data), max(1, len(data) // 16)):
            seed("component", data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1:])
        # The component type alone: what a damaged one does is independent of the code.
        at = data.find(b"component-type")
        if at > 0:
            seed("component", b"\0asm\x01\0\0\0" + section(data, at))
    seed("component", b"\0asm\x0d\0\x01\0")
    seed("component", b"\0asm\x01\0\0\0")


def section(data, name_at):
    """The custom section whose name begins at `name_at`: id, size and name length stand before it."""
    for start in range(max(0, name_at - 8), name_at):
        if data[start] == 0:
            size, shift, place = 0, 0, start + 1
            while place < name_at:
                size |= (data[place] & 0x7F) << shift
                shift += 7
                place += 1
                if data[place - 1] < 0x80:
                    break
            if place + 1 == name_at and place + size <= len(data):
                return data[start:place + size]
    return b""


def config():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for text in (document.read_text() for document in documents):
        for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
            seed("config", block)
    source = (ROOT / "host/src/config.rs").read_text()
    for block in re.findall(r'parse\(\s*r#"(.*?)"#', source, re.DOTALL):
        seed("config", block)
    for text in re.findall(r'\("((?:[^"\\]|\\.)*)",', source):
        seed("config", text.replace("\\n", "\n").replace('\\"', '"'))


def bundle():
    folders = [*ROOT.glob("incidents/*"), *ROOT.glob("tests/cases/bundles/*"), *SHARED.glob("incidents/*/*")]
    for folder in sorted(folder for folder in folders if (folder / "incident.json").is_file()):
        parts = []
        for file in (folder / name for name in BUNDLE_FILES):
            lines = file.read_bytes().splitlines(keepends=True) if file.is_file() else []
            kept, size = b"", 0
            for line in lines if file.suffix != ".json" else [b"".join(lines)]:
                size += len(line)
                if size > BUNDLE_FILE_BYTES:
                    break
                kept += line
            parts.append(kept)
        notes = sorted((folder / "documents").glob("*.md"))
        parts.append(notes[0].read_bytes()[:BUNDLE_FILE_BYTES] if notes else b"")
        parts += [b'{"split_at":"2026-03-03T10:20:00Z","limit":2}', b'{"view":"templates"}', b'{"query":"pool"}']
        seed("bundle", b"\0".join(parts))


for make in (contract, matching, path, component, config, bundle):
    make()
for folder in sorted(OUT.iterdir()):
    print(f"seeds: {folder.name}: {len(list(folder.iterdir()))}")
