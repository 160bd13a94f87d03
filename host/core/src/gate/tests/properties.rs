//! What holds for any input.

use super::*;
use crate::gate::GateStatus;
use crate::gate::fold::fold;
use crate::gate::fold::tests::foldable;
use crate::gate::token::is_border;
use proptest::prelude::*;

/// The places where a folded text may be cut.
fn borders(folded: &str) -> Vec<usize> {
    (0..=folded.len()).filter(|&at| folded.is_char_boundary(at) && is_border(folded, at)).collect()
}

fn one(output: &str, raw_path: &str, quote: &str) -> GateReport {
    report(&[invocation("inv-1", output.as_bytes())], vec![claim("a", "x", vec![binding("inv-1", raw_path, quote)])])
}

fn status_rank(status: GateStatus) -> u8 {
    match status {
        GateStatus::Reject => 0,
        GateStatus::LowConfid => 1,
        GateStatus::Pass => 2,
    }
}

/// Outputs, ids, paths and quotes that hit each other often.
fn evidence() -> impl Strategy<Value = Vec<Claim>> {
    let id = prop_oneof![
        Just(None),
        prop::sample::select(&["inv-1", "inv-2", "inv-3", "inv-9", "call_0"][..]).prop_map(Some)
    ];
    let tool = prop::sample::select(&["query_logs", "functions.query_logs", "list", "x"][..]);
    let path = prop::sample::select(&["", "$", "$.a", "/a/0", "$.b[*]", "$.b['c']", "$.a[-1]", "a"][..]);
    let quote = prop_oneof![
        prop::sample::select(&["1", "1.0", "12 errors", "null", "[1,\"12 errors\"]", "", "\u{fffd}", "5m"][..])
            .prop_map(str::to_owned),
        foldable(),
    ];
    let binding = (id, tool, path, quote).prop_map(|(id, tool, raw_path, quote)| Binding {
        source_invocation_id: id.map(str::to_owned),
        tool_name: tool.into(),
        ..binding("", raw_path, &quote)
    });
    let text =
        prop_oneof![prop::sample::select(&["x", "12 errors", "p99 is 1"][..]).prop_map(str::to_owned), foldable()];
    let claim = (prop::sample::select(&["a", "b", "c", "d"][..]), text, prop::collection::vec(binding, 0..4))
        .prop_map(|(id, text, bindings)| claim(id, &text, bindings));
    prop::collection::vec(claim, 0..4)
}

fn ledger() -> impl Strategy<Value = Vec<Invocation>> {
    let json = br#"{"a":[1,"12 errors",null],"b":{"c":"12 errors in 5m"}}"#;
    let output = prop_oneof![
        Just(json.to_vec()),
        foldable().prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    (output.clone(), output, any::<bool>()).prop_map(|(first, second, truncated)| {
        vec![
            Invocation { truncated, ..invocation("inv-1", &first) },
            Invocation { tool_name: "list".into(), ..invocation("inv-2", &second) },
            Invocation { status: InvocationStatus::NoData, ..invocation("inv-3", &second) },
            Invocation { run_id: "run-0".into(), ..invocation("inv-9", &first) },
        ]
    })
}

proptest! {
    #[test]
    fn what_is_quoted_between_borders_matches_and_is_what_was_recorded(text in foldable(), cut in any::<(prop::sample::Index, prop::sample::Index)>()) {
        // R-GATE-02 R-GATE-07
        let output = serde_json::to_string(&text).unwrap();
        let folded = fold(&text);
        let borders = borders(folded.text());
        let (left, right) = (cut.0.get(&borders), cut.1.get(&borders));
        let quote = &folded.text()[*left.min(right)..*left.max(right)];
        // A quote that folds to something else, or to nothing, is another quote; one of marks alone says nothing.
        prop_assume!(fold(quote).text() == quote && quote.contains(char::is_alphanumeric) && !quote.contains('\u{fffd}'));
        let report = one(&output, "$", quote);
        prop_assert_eq!(reasons(&report), ["ok"]);
        let matched = &report.checked[0].matched_text;
        prop_assert!(text.contains(matched.as_str()));
        prop_assert!(fold(matched).text().contains(quote));
    }

    #[test]
    fn a_changed_digit_never_matches(text in "[a-z]{1,5} [0-9]{1,25}[.,]?[0-9]{0,5}", place in any::<prop::sample::Index>(), shift in 1u8..10) {
        // R-GATE-07
        let digits: Vec<_> = text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).map(|(at, _)| at).collect();
        let mut changed = text.clone().into_bytes();
        let at = *place.get(&digits);
        changed[at] = b'0' + (changed[at] - b'0' + shift) % 10;
        let changed = String::from_utf8(changed).unwrap();
        prop_assert_eq!(reasons(&one(&text, "", &changed)), ["text_not_found"]);
        // The same number as a number.
        let (_, number) = text.split_once(' ').unwrap();
        let (_, other) = changed.split_once(' ').unwrap();
        if crate::json::read(number).is_ok() {
            prop_assert_eq!(reasons(&one(number, "", number)), ["ok"]);
            prop_assert_eq!(reasons(&one(number, "", other)), ["text_not_found"]);
        }
    }

    #[test]
    fn judges_any_bytes_without_panic(claims in evidence(), ledger in ledger(), run in any::<bool>()) {
        // R-GATE-03 R-GATE-04
        let evidence = Evidence { claims, hypotheses: vec![], limitations: vec![] };
        let run_id = if run { RUN } else { "" };
        let report = check(&GateInput { run_id, evidence: &evidence, invocations: &ledger, tools: &[] });
        let stated: usize = evidence.claims.iter().map(|claim| claim.bindings.len()).sum();
        prop_assert_eq!(report.checked.len(), stated);
        let passed = report.checked.iter().filter(|checked| checked.reason_code.severity().is_none()).count();
        prop_assert_eq!(usize::try_from(report.verified_binding_count).unwrap(), passed);
        // The same input gives the same report, also when all is read in another order.
        let mut reversed = ledger.clone();
        reversed.reverse();
        prop_assert_eq!(&report, &check(&GateInput { run_id, evidence: &evidence, invocations: &reversed, tools: &[] }));
    }

    #[test]
    fn more_claims_never_raise_the_result(claims in evidence(), more in evidence(), ledger in ledger()) {
        // R-GATE-06
        let fewer = report(&ledger, claims.clone());
        let all = report(&ledger, claims.into_iter().chain(more).collect());
        prop_assert!(status_rank(all.status) <= status_rank(fewer.status));
    }

    #[test]
    fn a_failing_binding_never_raises_the_result(claims in evidence(), ledger in ledger(), place in any::<prop::sample::Index>()) {
        // R-GATE-06
        prop_assume!(!claims.is_empty());
        let before = report(&ledger, claims.clone());
        let mut claims = claims;
        let at = place.index(claims.len());
        claims[at].bindings.push(binding("inv-1", "", "nothing that any tool said"));
        let after = report(&ledger, claims);
        prop_assert!(status_rank(after.status) <= status_rank(before.status));
        prop_assert!(after.status != GateStatus::Pass);
        prop_assert_eq!(after.verified_binding_count, before.verified_binding_count);
    }
}
