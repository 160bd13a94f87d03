use super::*;
use serde_json::Value;
use tempfile::TempDir;

const INCIDENT: &str = r#"{"format": 1, "id": "i", "question": "Why?", "facts": {"service": "cart", "interval": 60},
    "window": {"from": "2026-01-01T10:00:00Z", "to": "2026-01-01T11:00:00Z"}, "alert_time": "2026-01-01T10:30:00Z"}"#;

/// A bundle of these files beside a good `incident.json`.
fn bundle(files: &[(&str, &str)]) -> (TempDir, Result<Bundle, BundleError>) {
    let dir = TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("documents")).unwrap();
    std::fs::write(dir.path().join("incident.json"), INCIDENT).unwrap();
    for (name, content) in files {
        std::fs::write(dir.path().join(name), content).unwrap();
    }
    let bundle = Bundle::open(dir.path());
    (dir, bundle)
}

/// Calls a tool of a bundle with one file; gives status and output.
fn call(file: (&str, &str), tool: &str, arguments: &str) -> (AnswerStatus, Value) {
    let (_dir, bundle) = bundle(&[file]);
    let answer = bundle.unwrap().call(tool, arguments).unwrap();
    (answer.status, serde_json::from_str(&answer.output).unwrap_or(Value::String(answer.output)))
}

#[test]
fn facts_keep_their_order_and_end_with_the_times() {
    let (_dir, bundle) = bundle(&[]);
    let bundle = bundle.unwrap();
    let facts: Vec<String> = bundle.facts().iter().map(|fact| format!("{}={}", fact.name, fact.value)).collect();
    assert_eq!(bundle.question(), "Why?");
    assert_eq!(
        facts,
        [
            "service=cart",
            "interval=60",
            "window_from=2026-01-01T10:00:00Z",
            "window_to=2026-01-01T11:00:00Z",
            "alert_time=2026-01-01T10:30:00Z"
        ]
    );
}

#[test]
fn a_broken_bundle_is_one_error_that_names_file_place_and_way_out() {
    for (file, content, expected) in [
        ("incident.json", "{", "incident.json:1: EOF while parsing"),
        ("incident.json", r#"{"format": 2}"#, "field `format`: is not 1; this version reads format 1 only"),
        ("incident.json", r#"{"format": 1, "more": 0}"#, "incident.json:1: unknown field `more`"),
        ("incident.json", r#"{"format": 1}"#, "incident.json:1: missing field"),
        ("metrics.csv", "time,entity,value\n", "metrics.csv:1: does not begin with the header"),
        (
            "metrics.csv",
            "time,entity,metric,value,unit\nnow,a,m,1,\n",
            "metrics.csv:2, field `time`: `now` is no RFC 3339 time",
        ),
        (
            "metrics.csv",
            "time,entity,metric,value,unit\n2026-01-01T10:00:00Z,a,m,1e,\n",
            "metrics.csv:2, field `value`",
        ),
        ("metrics.csv", "time,entity,metric,value,unit\n2026-01-01T10:00:00Z,a,m\n", "metrics.csv:2: is no CSV row"),
        ("metrics.csv", "time,entity,metric,value,unit\n2026-01-01T10:00:00Z,,m,1,\n", "metrics.csv:2, field `entity`"),
        ("logs.jsonl", "\n{\"time\": 1}\n", "logs.jsonl:2, field `time`: is no text"),
        ("logs.jsonl", "[]\n", "logs.jsonl:1: "),
        (
            "logs.jsonl",
            r#"{"time": "2026-01-01T10:00:00Z", "entity": "a"}"#,
            "logs.jsonl:1, field `message`: is missing",
        ),
        ("traces.jsonl", r#"{"trace_id": "t"}"#, "traces.jsonl:1: missing field"),
        (
            "traces.jsonl",
            r#"{"trace_id":"t","span_id":"s","entity":"a","operation":"o","start":"2026-01-01T10:00:00Z","duration_ms":-1}"#,
            "traces.jsonl:1, field `duration_ms`",
        ),
        (
            "changes.jsonl",
            r#"{"time": "2026-01-01T10:00:00Z", "kind": "deploy"}"#,
            "changes.jsonl:1, field `description`",
        ),
        ("topology.json", r#"{"nodes": [], "edges": [{"from": "a", "to": "b"}]}"#, "field `edges`: names `a`"),
        (
            "recordings.jsonl",
            r#"{"tool_name": "t", "arguments": [], "status": "ok", "output": ""}"#,
            "recordings.jsonl:1: ",
        ),
        (
            "recordings.jsonl",
            r#"{"tool_name": "t", "arguments": {}, "status": "fine", "output": ""}"#,
            "unknown variant `fine`",
        ),
    ] {
        let (_dir, bundle) = bundle(&[(file, content)]);
        let error = bundle.unwrap_err().to_string();
        assert!(error.contains(expected), "{file}: {error}");
        assert!(error.contains("; "), "no way out: {error}");
    }
}

#[test]
fn a_missing_folder_and_bytes_that_are_no_text_are_errors() {
    let error = Bundle::open(std::path::Path::new("/nowhere/at/all")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/at/all/incident.json: does not exist; "), "{error}");
    let (dir, _) = bundle(&[]);
    std::fs::write(dir.path().join("logs.jsonl"), b"{}\n\xff").unwrap();
    let error = Bundle::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("logs.jsonl:2: is not UTF-8"), "{error}");
    std::fs::remove_file(dir.path().join("logs.jsonl")).unwrap();
    std::fs::create_dir(dir.path().join("logs.jsonl")).unwrap();
    let error = Bundle::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("logs.jsonl: is no regular file"), "{error}");
}

#[test]
fn a_file_over_the_limit_is_refused_by_its_size() {
    let (dir, _) = bundle(&[]);
    let file = std::fs::File::create(dir.path().join("logs.jsonl")).unwrap();
    file.set_len(files::FILE_LIMIT + 1).unwrap();
    let error = Bundle::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("the limit is 67108864"), "{error}");
}

#[test]
fn a_tool_without_its_file_says_that_there_is_no_data() {
    let (_dir, bundle) = bundle(&[]);
    let bundle = bundle.unwrap();
    for tool in bundle.tools() {
        assert!(tool.description.contains("There is no data."), "{}", tool.description);
        let arguments = if tool.name == documents::TOOL { r#"{"query": "cart"}"# } else { "" };
        let answer = bundle.call(&tool.name, arguments).unwrap();
        assert_eq!(answer.status, AnswerStatus::NoData);
        assert!(answer.output.starts_with(r#"{"no_data":"the bundle has no "#), "{}", answer.output);
    }
}

#[test]
fn unknown_tools_and_arguments_are_errors_of_the_call() {
    let (_dir, bundle) = bundle(&[]);
    let bundle = bundle.unwrap();
    assert_eq!(bundle.call("rm", "{}"), Err(CallError::UnknownTool));
    for (tool, arguments) in [
        (metrics::TOOL, "[]"),
        (metrics::TOOL, r#"{"entitty": "a"}"#),
        (metrics::TOOL, r#"{"from": "yesterday"}"#),
        (logs::TOOL, r#"{"min_level": "loud"}"#),
        (traces::TOOL, r#"{"view": "flame"}"#),
        (documents::TOOL, "{}"),
    ] {
        assert!(matches!(bundle.call(tool, arguments), Err(CallError::InvalidArguments(_))), "{tool} {arguments}");
    }
}

const METRICS: &str = "time,entity,metric,value,unit
2026-01-01T10:02:00Z,cart,latency,1.50,s
2026-01-01T10:00:00Z,cart,latency,0.10,s
2026-01-01T10:01:00Z,cart,latency,,s
2026-01-01T10:00:00Z,shop,errors,3,
";

#[test]
fn metrics_are_listed_with_the_digits_of_the_file() {
    let (status, output) = call(("metrics.csv", METRICS), metrics::TOOL, r#"{"entity": "c*"}"#);
    assert_eq!(status, AnswerStatus::Ok);
    assert_eq!(
        output.to_string(),
        r#"{"total":1,"offset":0,"next_offset":null,"series":[{"entity":"cart","metric":"latency","unit":"s","points":[{"time":"2026-01-01T10:00:00Z","value":0.10},{"time":"2026-01-01T10:01:00Z","value":null},{"time":"2026-01-01T10:02:00Z","value":1.50}]}]}"#
    );
}

#[test]
fn metrics_are_compared_around_a_time() {
    let arguments = r#"{"split_at": "2026-01-01T10:02:00Z", "metric": "latency"}"#;
    let (_, output) = call(("metrics.csv", METRICS), metrics::TOOL, arguments);
    assert_eq!(output.pointer("/series/0/before/median").unwrap().to_string(), "0.10");
    assert_eq!(output.pointer("/series/0/before/n").unwrap(), 1);
    assert_eq!(output.pointer("/series/0/after/max").unwrap().to_string(), "1.50");
    assert_eq!(output.pointer("/series/0/after/max_time").unwrap(), "2026-01-01T10:02:00Z");
}

#[test]
fn a_list_is_paged_and_says_what_is_left() {
    let (_, output) = call(("metrics.csv", METRICS), metrics::TOOL, r#"{"limit": 1}"#);
    assert_eq!((&output["total"], &output["next_offset"]), (&Value::from(2), &Value::from(1)));
    let (_, output) = call(("metrics.csv", METRICS), metrics::TOOL, r#"{"limit": 1, "offset": 1}"#);
    assert_eq!((&output["series"][0]["entity"], &output["next_offset"]), (&Value::from("shop"), &Value::Null));
    let (status, _) = call(("metrics.csv", METRICS), metrics::TOOL, r#"{"offset": 2}"#);
    assert_eq!(status, AnswerStatus::NoData);
}

#[test]
fn a_page_ends_before_it_is_too_large_for_the_gateway() {
    let message = "x".repeat(50_000);
    let line = format!(r#"{{"time":"2026-01-01T10:00:00Z","entity":"a","message":"{message}"}}"#);
    let (_, output) = call(("logs.jsonl", &[line.as_str(); 9].join("\n")), logs::TOOL, "{}");
    assert_eq!((&output["total"], &output["next_offset"]), (&Value::from(9), &Value::from(4)));
}

const LOGS: &str = r#"{"time":"2026-01-01T10:00:00Z","entity":"cart","level":"INFO","message":"order 1 paid"}
{"time":"2026-01-01T10:01:00Z","entity":"cart","level":"error","message":"order 2 lost","code":17}
{"time":"2026-01-01T10:02:00Z","entity":"cart","level":"error","message":"order 3 lost"}
{"time":"2026-01-01T10:03:00Z","entity":"shop","message":"hello"}"#;

#[test]
fn logs_are_filtered_by_entity_level_text_and_time() {
    for (arguments, total) in [
        ("{}", 4),
        (r#"{"entity": "cart"}"#, 3),
        (r#"{"min_level": "warn"}"#, 3),
        (r#"{"contains": "LOST"}"#, 2),
        (r#"{"from": "2026-01-01T10:01:00Z", "to": "2026-01-01T10:02:00Z"}"#, 2),
    ] {
        let (_, output) = call(("logs.jsonl", LOGS), logs::TOOL, arguments);
        assert_eq!(output["total"], total, "{arguments}");
    }
    let (_, output) = call(("logs.jsonl", LOGS), logs::TOOL, r#"{"contains": "order 2"}"#);
    assert_eq!(output["lines"][0]["code"], 17, "further fields are kept");
}

#[test]
fn templates_count_lines_that_differ_in_numbers_only() {
    let arguments = r#"{"view": "templates", "split_at": "2026-01-01T10:02:00Z"}"#;
    let (_, output) = call(("logs.jsonl", LOGS), logs::TOOL, arguments);
    assert_eq!(
        output["templates"][0].to_string(),
        r#"{"entity":"cart","level":"error","count":2,"before":1,"after":1,"first_time":"2026-01-01T10:01:00Z","last_time":"2026-01-01T10:02:00Z","message":"order 3 lost"}"#
    );
}

const TRACES: &str = r#"{"trace_id":"t","span_id":"a","entity":"shop","operation":"GET /","start":"2026-01-01T10:00:00.000Z","duration_ms":100}
{"trace_id":"t","span_id":"b","parent_span_id":"a","entity":"cart","operation":"list","start":"2026-01-01T10:00:00.010Z","duration_ms":40,"status":"ok"}
{"trace_id":"t","span_id":"c","parent_span_id":"a","entity":"cart","operation":"list","start":"2026-01-01T10:00:00.030Z","duration_ms":30.5,"status":"500"}"#;

#[test]
fn self_time_is_what_no_child_covers() {
    let (_, output) = call(("traces.jsonl", TRACES), traces::TOOL, r#"{"view": "entities"}"#);
    assert_eq!(
        output["entities"].to_string(),
        r#"[{"entity":"cart","all":{"count":2,"errors":1,"duration_ms":{"median":30.5,"max":40},"self_ms":{"median":30.5,"max":40}}},{"entity":"shop","all":{"count":1,"errors":0,"duration_ms":{"median":100,"max":100},"self_ms":{"median":49.5,"max":49.5}}}]"#
    );
}

#[test]
fn calls_are_derived_from_spans() {
    let (_, output) = call(("traces.jsonl", TRACES), traces::TOOL, r#"{"view": "calls"}"#);
    assert_eq!(output["calls"].to_string(), r#"[{"from":"shop","to":"cart","count":2,"errors":1}]"#);
    let one = r#"{"trace_id":"t","span_id":"a","entity":"shop","operation":"call","start":"2026-01-01T10:00:00Z","duration_ms":50}
{"trace_id":"t","span_id":"b","parent_span_id":"a","entity":"cart","operation":"list","start":"2026-01-01T10:00:00.005Z","duration_ms":40}"#;
    let arguments = r#"{"view": "calls", "split_at": "2026-01-01T10:00:00.001Z"}"#;
    let (_, output) = call(("traces.jsonl", one), traces::TOOL, arguments);
    assert_eq!(
        output["calls"].to_string(),
        r#"[{"from":"shop","to":"cart","before":{"count":0,"errors":0},"after":{"count":1,"errors":0,"gap_ms":{"median":10,"max":10}}}]"#
    );
    let (_, output) = call(("traces.jsonl", TRACES), traces::TOOL, r#"{"errors_only": true}"#);
    assert_eq!(output["spans"][0]["span_id"], "c");
    let (_, output) = call(
        ("traces.jsonl", TRACES),
        traces::TOOL,
        r#"{"view": "operations", "split_at": "2026-01-01T10:00:00.020Z", "entity": "cart"}"#,
    );
    assert_eq!(output["operations"][0]["before"]["count"], 1);
    assert_eq!(output["operations"][0]["after"]["errors"], 1);
}

#[test]
fn changes_and_topology_are_given_as_written() {
    let changes = r#"{"time":"2026-01-01T10:00:00Z","entity":"cart","kind":"deploy","description":"v2","by":"ci"}"#;
    let (_, output) = call(("changes.jsonl", changes), changes::TOOL, r#"{"kind": "dep*"}"#);
    assert_eq!(output["changes"][0]["by"], "ci");
    let (status, _) = call(("changes.jsonl", changes), changes::TOOL, r#"{"entity": "shop"}"#);
    assert_eq!(status, AnswerStatus::NoData);

    let topology = r#"{"nodes": [{"id": "a"}, {"id": "b", "kind": "db"}, {"id": "c"}],
        "edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "c"}]}"#;
    let (_, output) = call(("topology.json", topology), topology::TOOL, r#"{"entity": "b"}"#);
    assert_eq!(output.to_string(), r#"{"nodes":[{"id":"a"},{"id":"b","kind":"db"}],"edges":[{"from":"a","to":"b"}]}"#);
}

#[test]
fn documents_are_searched_by_words_and_read_by_name() {
    let document = ("documents/runbook.md", "# Cart\n\nRestart the cart.\nThen wait.\n\n\nCall the owner.\n");
    let (_, output) = call(document, documents::TOOL, r#"{"query": "restart CART"}"#);
    assert_eq!(
        output["excerpts"][0].to_string(),
        r#"{"document":"runbook.md","line":3,"text":"Restart the cart.\nThen wait.","matched_words":2}"#
    );
    assert_eq!(output["total"], 2);
    let (_, output) = call(document, documents::TOOL, r#"{"document": "runbook.md"}"#);
    assert_eq!(output["total"], 3);
    let (status, _) = call(document, documents::TOOL, r#"{"query": "database"}"#);
    assert_eq!(status, AnswerStatus::NoData);
}

const RECORDINGS: &str = r#"{"tool_name":"describe","arguments":{"kind":"pod","name":"a"},"status":"ok","output":"Pod a"}
{"tool_name":"describe","arguments":{"kind":"pod","name":"b"},"status":"error","output":"no such pod"}
{"tool_name":"describe","arguments":{"kind":"job","name":"c"},"status":"no_data","output":"none"}
{"tool_name":"events","arguments":{},"status":"ok","output":{"count":10.50}}"#;

#[test]
fn a_recorded_call_is_found_by_as_many_arguments_as_are_needed() {
    for (tool, arguments, status, expected) in [
        ("events", "{}", AnswerStatus::Ok, r#"{"count":10.50}"#),
        ("describe", r#"{"name": "a", "kind": "pod"}"#, AnswerStatus::Ok, "Pod a"),
        ("describe", r#"{"name": "a"}"#, AnswerStatus::Ok, "Pod a"),
        ("describe", r#"{"name": "b"}"#, AnswerStatus::Error, "no such pod"),
        ("describe", r#"{"kind": "job"}"#, AnswerStatus::NoData, r#"{"no_data":"none"}"#),
        ("describe", r#"{"kind": "pod"}"#, AnswerStatus::Error, "give more of them"),
        (
            "describe",
            r#"{"kind": "pod", "name": "d"}"#,
            AnswerStatus::NoData,
            r#""recorded_arguments":[{"kind":"pod","name":"a"}"#,
        ),
        ("events", r#"{"namespace": "x"}"#, AnswerStatus::NoData, r#""recorded_arguments":[{}]"#),
    ] {
        let (_dir, bundle) = bundle(&[("recordings.jsonl", RECORDINGS)]);
        let answer = bundle.unwrap().call(tool, arguments).unwrap();
        assert_eq!(answer.status, status, "{tool} {arguments}: {}", answer.output);
        assert!(answer.output.contains(expected), "{tool} {arguments}: {}", answer.output);
    }
}

#[test]
fn a_recorded_tool_lists_its_arguments_and_replaces_a_built_in_one() {
    let recordings = r#"{"tool_name":"query_logs","arguments":{"pod":"a"},"status":"ok","output":"line"}"#;
    let (_dir, bundle) = bundle(&[("recordings.jsonl", recordings)]);
    let bundle = bundle.unwrap();
    let tools = bundle.tools();
    let tool = tools.iter().filter(|tool| tool.name == "query_logs").collect::<Vec<_>>();
    assert_eq!(tool.len(), 1);
    let schema: Value = serde_json::from_str(&tool[0].input_schema).unwrap();
    assert_eq!(schema["examples"][0]["pod"], "a");
    assert_eq!(bundle.call("query_logs", "{}").unwrap().output, "line");
}

#[test]
fn a_recorded_tool_has_a_name_that_a_binding_can_hold() {
    // R-GATE-02 R-HOST-04
    let recordings = |name: &str| {
        format!(
            r#"{{"tool_name":"t","arguments":{{}},"status":"ok","output":1}}
{{"tool_name":"{name}","arguments":{{}},"status":"ok","output":1}}"#
        )
    };
    for (name, problem) in [
        (String::new(), "is blank"),
        ("\\t ".to_owned(), "is blank"),
        ("é".repeat(129), "has more than 128 characters"),
    ] {
        let (_dir, bundle) = bundle(&[("recordings.jsonl", &recordings(&name))]);
        let error = bundle.unwrap_err().to_string();
        assert!(error.contains(&format!("recordings.jsonl:2, field `tool_name`: {problem}; ")), "{error}");
    }
    let (_dir, bundle) = bundle(&[("recordings.jsonl", &recordings(&"é".repeat(128)))]);
    assert!(bundle.is_ok());
}

#[cfg(unix)]
#[test]
fn a_bundle_reads_nothing_outside_of_its_folder() {
    // R-HOST-04
    use std::os::unix::fs::symlink;
    let outside = TempDir::new().unwrap();
    let secret = outside.path().join("secret.md");
    std::fs::write(&secret, "key").unwrap();
    let leads_out = "leads out of the bundle's folder; put the file itself there, not a link";
    let nowhere = "cannot be read: No such file or directory (os error 2); check the path and its permissions";
    for (link, target, problem) in [
        ("logs.jsonl", secret.as_path(), leads_out),
        ("documents/secret.md", &secret, leads_out),
        ("documents/up.md", std::path::Path::new("../../secret.md"), nowhere),
        ("documents/device.md", std::path::Path::new("/dev/zero"), leads_out),
        ("topology.json", std::path::Path::new("gone.json"), nowhere),
    ] {
        let (dir, before) = bundle(&[]);
        before.unwrap();
        symlink(target, dir.path().join(link)).unwrap();
        let error = Bundle::open(dir.path()).unwrap_err().to_string();
        assert_eq!(error, format!("{}: {problem}", dir.path().join(link).display()));
    }
    let (dir, _) = bundle(&[]);
    std::fs::remove_dir(dir.path().join("documents")).unwrap();
    symlink(outside.path(), dir.path().join("documents")).unwrap();
    let error = Bundle::open(dir.path()).unwrap_err().to_string();
    assert_eq!(error, format!("{}: {leads_out}", dir.path().join("documents").display()));

    // A link to a file of the same bundle, and a link to the whole bundle, lead nowhere else.
    let (dir, _) = bundle(&[("documents/a.md", "text"), ("kept.jsonl", LOGS)]);
    symlink("kept.jsonl", dir.path().join("logs.jsonl")).unwrap();
    let whole = outside.path().join("bundle");
    symlink(dir.path(), &whole).unwrap();
    assert_eq!(Bundle::open(&whole).unwrap().call(logs::TOOL, "{}").unwrap().status, AnswerStatus::Ok);
}

#[test]
fn a_folder_of_documents_that_cannot_be_listed_is_told() {
    let (dir, _) = bundle(&[]);
    std::fs::remove_dir(dir.path().join("documents")).unwrap();
    std::fs::write(dir.path().join("documents"), "no folder").unwrap();
    let error = Bundle::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("documents: cannot be read: Not a directory"), "{error}");
    std::fs::remove_file(dir.path().join("documents")).unwrap();
    assert!(Bundle::open(dir.path()).is_ok(), "an absent folder is an empty one");
}

#[test]
fn a_key_that_is_named_twice_is_refused_in_every_json_file() {
    // R-GATE-07
    for (file, content) in [
        ("logs.jsonl", r#"{"time":"2026-01-01T10:00:00Z","entity":"a","message":"x","message":"y"}"#),
        ("recordings.jsonl", r#"{"tool_name":"t","arguments":{"a":1,"a":2},"status":"ok","output":1}"#),
        ("recordings.jsonl", r#"{"tool_name":"t","arguments":{},"status":"ok","output":{"a":1,"a":2}}"#),
        ("topology.json", r#"{"nodes":[{"id":"a","kind":"k","kind":"l"}],"edges":[]}"#),
    ] {
        let (_dir, bundle) = bundle(&[(file, content)]);
        let error = bundle.unwrap_err().to_string();
        assert!(error.contains(&format!("{file}:1: duplicate ")), "{error}");
    }
}

#[test]
fn long_recorded_text_is_cut_and_marked() {
    let text = "é".repeat(200_000);
    let recordings = format!(r#"{{"tool_name":"logs","arguments":{{}},"status":"ok","output":"{text}"}}"#);
    let (_dir, bundle) = bundle(&[("recordings.jsonl", &recordings)]);
    let answer = bundle.unwrap().call("logs", "{}").unwrap();
    assert!(answer.truncated && answer.output.len() <= 200 * 1024 && answer.output.ends_with('é'));
}

#[test]
fn every_shared_bundle_opens_and_every_tool_answers() {
    let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/incidents");
    let Ok(suites) = std::fs::read_dir(&shared) else {
        println!("skipped: {} is absent", shared.display());
        return;
    };
    for suite in suites.filter_map(|suite| std::fs::read_dir(suite.ok()?.path()).ok()) {
        for dir in suite.filter_map(Result::ok).map(|entry| entry.path()).filter(|dir| dir.is_dir()) {
            let bundle = Bundle::open(&dir).unwrap_or_else(|error| panic!("{error}"));
            for tool in bundle.tools() {
                let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
                let all = vec![Value::Object(serde_json::Map::new())];
                for arguments in schema["examples"].as_array().unwrap_or(&all) {
                    let answer = bundle.call(&tool.name, &arguments.to_string());
                    let answer = answer.or_else(|_| bundle.call(&tool.name, r#"{"query": "alert"}"#)).unwrap();
                    assert!(answer.output.len() < 256 * 1024, "{} {}", dir.display(), tool.name);
                }
            }
        }
    }
}
