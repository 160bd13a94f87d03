//! Wrapping is removed, and nothing else is: the properties of sanitization.

use super::examples::{Kind, documents};
use proptest::prelude::*;
use proptest::{collection::vec, sample};
use serde_json::{Value, json};

/// What people and models write around a document; nothing of it names a version or leaves a bracket open.
fn prose() -> impl Strategy<Value = String> {
    let phrases = sample::select(vec![
        "Here is my answer: ",
        "\r\n",
        "\n\n",
        "see [1] and [the docs](https://example.org)",
        "{x}",
        "{{ .Values.cart }}",
        "{\"level\": \"error\", \"code\": 500}",
        "it's 5\" wide",
        "a < b",
        "<b>bold</b>",
        "[1, 2) is an interval",
        "…",
        "“so”",
        "\n```bash\nkubectl get pods -o jsonpath='{.items[0]}'\n```\n",
        "\n~~~\n{open\n~~~\n",
        "{\"a\": ...}",
        "then } ends it",
        "\\",
        "[]",
        "{}",
    ]);
    let words = "[^{}<\\[\"]{0,12}";
    vec(prop_oneof![phrases.prop_map(str::to_owned), words.prop_map(|words| words)], 0..4)
        .prop_map(|parts| parts.concat())
}

/// Reasoning that ends: drafts in it, legal or broken, count for nothing.
fn reasoning(kind: Kind) -> impl Strategy<Value = String> {
    let tags = sample::select(vec!["think", "thinking", "reasoning", "thought", "THINK"]);
    let drafts = prop_oneof![
        prose(),
        kind.documents().prop_map(|draft| draft.to_string()),
        kind.documents().prop_map(|draft| {
            let text = draft.to_string();
            text.chars().take(text.chars().count() / 2).collect()
        }),
        Just("{".to_owned()),
        Just("} ] \"".to_owned()),
    ];
    (any::<bool>(), tags, vec(drafts, 0..3)).prop_map(|(opened, tag, drafts)| {
        let opening = if opened { format!("<{tag}>") } else { String::new() };
        format!("{opening}{}</{tag}>", drafts.concat())
    })
}

fn fenced(text: &str, fence: &str) -> String {
    match fence {
        "" => text.to_owned(),
        "one line" => format!("```json{text}```"),
        fence => format!("\n{fence}{text}\n{}\n", &fence[..3]),
    }
}

fn layouts(document: &Value) -> [String; 2] {
    [document.to_string(), serde_json::to_string_pretty(document).unwrap()]
}

proptest! {
    // Each document is cut at every place.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_truncated_document_is_never_accepted(
        (kind, document) in documents(),
        before in prose(),
        fence in sample::select(vec!["", "```json\n"]),
    ) {
        // R-PARSE-01
        for layout in layouts(&document) {
            let start = before.len() + if fence.is_empty() { 0 } else { fence.len() + 1 };
            let whole = format!("{before}{}", fenced(&layout, fence));
            let cuts = layout.char_indices().map(|(at, _)| start + at);
            for cut in cuts {
                prop_assert!(kind.decode(&whole[..cut]).is_err(), "{}", &whole[..cut]);
            }
        }
    }
}

proptest! {
    #[test]
    fn wrapping_changes_nothing(
        (kind, document, reasoning) in documents().prop_flat_map(|(kind, document)| {
            (Just(kind), Just(document), prop_oneof![Just(String::new()), reasoning(kind)])
        }),
        (before, after) in (prose(), prose()),
        fence in sample::select(vec!["", "one line", "```json\n", "```json\r\n", "```\n", "~~~json\n", "````JSON\n"]),
        bom in any::<bool>(),
        twice in any::<bool>(),
    ) {
        // R-PARSE-01
        let [compact, pretty] = layouts(&document);
        let bare = kind.decode(&compact);
        prop_assert!(bare.is_ok(), "{:?}", bare);
        let bom = if bom { "\u{feff}" } else { "" };
        let again = if twice { fenced(&compact, "```json\n") } else { String::new() };
        let text = format!("{bom}{reasoning}{before}{}{after}{again}", fenced(&pretty, fence));
        prop_assert_eq!(kind.decode(&text), bare, "{}", text);
    }

    #[test]
    fn two_that_differ_are_refused((kind, first, second) in documents().prop_flat_map(|(kind, document)| {
        (Just(kind), Just(document), kind.documents())
    }), between in prose()) {
        // R-PARSE-01
        prop_assume!(first != second);
        let violation = kind.decode(&format!("{first}{between}{second}")).unwrap_err();
        prop_assert!(violation.message.starts_with("ambiguous"), "{:?}", violation);
    }

    #[test]
    fn numbers_keep_their_digits(digits in "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?") {
        // R-PARSE-01
        let text = json!({"answer_version": "diagnosis_plan_v1", "steps": [
            {"step_id": "s", "goal": "g", "arguments": {"n": "DIGITS"}},
        ]}).to_string().replace("\"DIGITS\"", &digits);
        let plan = crate::plan(&text).unwrap();
        let arguments = Value::Object(plan.steps[0].arguments.clone().unwrap());
        // serde_json writes the sign of an exponent out; nothing else may differ.
        let kept = arguments.to_string().replace("e+", "e").to_lowercase();
        prop_assert_eq!(kept, format!("{{\"n\":{digits}}}").replace('E', "e").replace("e+", "e"));
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in prop_oneof![any::<String>(), soup()]) {
        // R-PARSE-01
        for kind in Kind::ALL {
            if let Ok(document) = kind.decode(&text) {
                prop_assert_eq!(kind.decode(&document.to_string()), Ok(document));
            }
        }
    }
}

/// What texts are made of, in any order.
fn soup() -> impl Strategy<Value = String> {
    let tokens = sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ":",
        ",",
        "\n",
        " ",
        "```json\n",
        "```",
        "~~~",
        "<think>",
        "</think>",
        "</",
        "<",
        "\u{feff}",
        "answer_version",
        "\"answer_version\":",
        "\"composed_answer_v1\"",
        "\"headline\":\"h\",",
        "\"claim_order\":[],",
        "\"next_steps\":[]",
        "é",
        "\u{1f980}",
        "tru“",
        "-1.5e3",
        "0x",
        "null",
        "\\u00",
        "\\ud800",
        "\u{0}",
        "{\"answer_version\":\"composed_answer_v1\",\"headline\":\"h\",\"claim_order\":[],\"next_steps\":[]}",
    ]);
    vec(tokens, 0..24).prop_map(|tokens| tokens.concat())
}

#[test]
fn long_texts_of_brackets_are_refused() {
    // R-PARSE-01
    let mib = 1 << 20;
    for unit in [
        "{",
        "[",
        "}",
        "{\"",
        "{\"a\":",
        "[{",
        "{}",
        "[1,",
        "```\n",
        "```json\n{\n",
        "<think>",
        "</think>",
        "<think></",
        "{\"a\":\"</think>\",\"b\":",
        "{\"</think>{\",\":[",
        "\\",
        "\"",
        "{\"a\":[1,2,],",
    ] {
        let text = unit.repeat(mib / unit.len());
        for kind in Kind::ALL {
            assert!(kind.decode(&text).is_err(), "{unit}");
        }
    }
    let violation = Kind::Plan.decode(&" ".repeat(mib + 1)).unwrap_err();
    assert_eq!(violation.message, "longer than 1048576 bytes");
}
