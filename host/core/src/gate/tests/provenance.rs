//! Which invocation a binding means, and what follows for the run.

use super::*;
use crate::document::Verdict;
use crate::gate::{BindingStatus, GateStatus, Inconsistency, RawGate, RawResult, Severity};
use crate::route::Gate;
use enum_iterator::all;

fn stated(id: Option<&str>, tool_name: &str) -> Binding {
    Binding { source_invocation_id: id.map(str::to_owned), tool_name: tool_name.into(), ..binding("", "", "refused") }
}

fn of_tool(id: &str, tool_name: &str) -> Invocation {
    Invocation { tool_name: tool_name.into(), ..invocation(id, b"connection refused") }
}

fn of_run(id: &str, run_id: &str) -> Invocation {
    Invocation { run_id: run_id.into(), ..invocation(id, b"connection refused") }
}

/// The effective id and tool name of one binding, and its reason code.
fn source(invocations: &[Invocation], tools: &[&str], stated: Binding) -> (String, String, &'static str) {
    let evidence = Evidence { claims: vec![claim("a", "x", vec![stated])], hypotheses: vec![], limitations: vec![] };
    let tools: Vec<_> = tools.iter().map(|&name| name.to_owned()).collect();
    let report = check(&GateInput { run_id: RUN, evidence: &evidence, invocations, tools: &tools });
    let checked = report.checked.first().unwrap();
    (checked.source_invocation_id.clone(), checked.tool_name.clone(), checked.reason_code.as_str())
}

#[test]
fn an_invocation_must_be_of_this_run_and_of_the_tool() {
    // R-GATE-01 R-GATE-02 R-GATE-05
    let ledger = [of_tool("inv-1", "query_logs"), of_tool("inv-2", "list_changes"), of_run("inv-9", "run-0")];
    for (id, tool_name, reason) in [
        ("inv-1", "query_logs", "ok"),
        ("inv-2", "query_logs", "tool_mismatch"),
        ("inv-1", "Query_Logs", "tool_mismatch"),
        ("inv-9", "query_logs", "foreign_run"),
        ("call_0", "query_logs", "unknown_invocation"),
        ("inv-1 ", "query_logs", "unknown_invocation"),
        ("", "query_logs", "unknown_invocation"),
    ] {
        let found = source(&ledger, &[], stated(Some(id), tool_name));
        assert_eq!(found, (id.into(), tool_name.into(), reason));
    }
}

#[test]
fn only_success_is_evidence() {
    // R-GATE-02
    for status in all::<InvocationStatus>() {
        let recorded = Invocation { status, ..of_tool("inv-1", "query_logs") };
        let (_, _, reason) = source(&[recorded], &[], stated(Some("inv-1"), "query_logs"));
        assert_eq!(reason, if status == InvocationStatus::Ok { "ok" } else { "invocation_failed" }, "{status:?}");
    }
}

#[test]
fn an_absent_id_is_completed_when_there_is_one_choice() {
    // R-PARSE-03
    let one = of_tool("inv-1", "query_logs");
    let other = of_tool("inv-2", "list_changes");
    let second = of_tool("inv-3", "query_logs");
    let foreign = of_run("inv-9", "run-0");
    let complete = |ledger: &[Invocation]| {
        let (id, _, reason) = source(ledger, &[], stated(None, "query_logs"));
        (id, reason)
    };
    assert_eq!(complete(&[one.clone(), other.clone(), foreign.clone()]), ("inv-1".into(), "ok"));
    assert_eq!(complete(&[one.clone(), second.clone()]), (String::new(), "unknown_invocation"));
    assert_eq!(
        complete(&[one.clone(), Invocation { status: InvocationStatus::Error, ..second }]).1,
        "unknown_invocation"
    );
    assert_eq!(complete(&[other, foreign]), (String::new(), "unknown_invocation"));
}

#[test]
fn a_namespace_prefix_is_dropped_when_the_rest_is_one_known_tool() {
    // R-PARSE-03
    let ledger = [of_tool("inv-1", "query_logs"), of_tool("inv-2", "k8s.get")];
    for (tools, id, tool_name, effective, reason) in [
        (&[][..], "inv-1", "functions.query_logs", "query_logs", "ok"),
        (&[], "inv-1", "a.b.query_logs", "query_logs", "ok"),
        (&[], "inv-2", "functions.k8s.get", "k8s.get", "ok"),
        (&[], "inv-2", "k8s.get", "k8s.get", "ok"),
        // The rest is two known tools, the whole name is one, or it is none at all.
        (&["get"], "inv-2", "functions.k8s.get", "functions.k8s.get", "tool_mismatch"),
        (&["functions.query_logs"], "inv-1", "functions.query_logs", "functions.query_logs", "tool_mismatch"),
        (&[], "inv-1", "functions.logs", "functions.logs", "tool_mismatch"),
        (&[], "inv-1", "functionsquery_logs", "functionsquery_logs", "tool_mismatch"),
        (&[], "inv-1", "query_logs.", "query_logs.", "tool_mismatch"),
    ] {
        let found = source(&ledger, tools, stated(Some(id), tool_name));
        assert_eq!(found, (id.into(), effective.into(), reason), "{tool_name}");
    }
}

#[test]
fn the_worst_binding_decides() {
    // R-GATE-03 R-GATE-04 R-GATE-05
    let ledger = [invocation("inv-1", b"connection refused")];
    let good = || claim("good", "It refused.", vec![binding("inv-1", "", "refused")]);
    let bad = || claim("bad", "It accepted.", vec![binding("inv-1", "", "accepted")]);
    let forged = || claim("forged", "It refused.", vec![binding("call_0", "", "refused")]);
    let unbound = || claim("unbound", "It is so.", vec![]);
    let low = (RawResult::Fail, Some(Severity::LowConfid));
    let reject = (RawResult::Fail, Some(Severity::Reject));
    for (claims, (result, severity), outcome, verified, failed) in [
        (vec![], (RawResult::Pass, None), Gate::Pass, 0, 0),
        (vec![good()], (RawResult::Pass, None), Gate::Pass, 1, 0),
        (vec![good(), bad()], low, Gate::LowConfid, 1, 1),
        (vec![bad()], low, Gate::LowConfidUnbacked, 0, 1),
        (vec![good(), unbound()], low, Gate::LowConfid, 1, 0),
        (vec![unbound()], low, Gate::LowConfidUnbacked, 0, 0),
        (vec![good(), bad(), forged()], reject, Gate::Reject, 1, 2),
    ] {
        let report = report(&ledger, claims);
        assert_eq!(report.raw, RawGate { result, severity });
        assert_eq!(report.outcome(), outcome);
        assert_eq!((report.verified_binding_count, report.failed_binding_count), (verified, failed));
        assert_eq!(report.unbound_claims, if severity == low.1 && failed == 0 { vec!["unbound"] } else { vec![] });
    }
}

#[test]
fn a_cut_output_caps_the_run() {
    // R-GATE-08
    let cut = |output: &[u8]| Invocation { truncated: true, ..invocation("inv-1", output) };
    let quoting = || vec![claim("a", "x", vec![binding("inv-1", "", "refused")])];
    let capped = report(&[cut(b"connection refu... refused")], quoting());
    assert_eq!(reasons(&capped), ["truncated_source"]);
    assert_eq!(capped.checked.first().unwrap().status, BindingStatus::Pass);
    assert_eq!(capped.raw, RawGate { result: RawResult::Pass, severity: None });
    assert_eq!(
        (capped.status, capped.ceiling, capped.outcome()),
        (GateStatus::LowConfid, Verdict::LowConfid, Gate::LowConfid)
    );
    // What is not in it still does not match.
    assert_eq!(reasons(&report(&[cut(b"accepted")], quoting())), ["text_not_found"]);
    // An output that no passed binding quotes caps nothing.
    let unquoted = Invocation { truncated: true, ..invocation("inv-2", b"") };
    assert_eq!(report(&[invocation("inv-1", b"refused"), unquoted], quoting()).status, GateStatus::Pass);
}

#[test]
fn an_input_that_contradicts_itself_is_rejected() {
    // R-GATE-03
    let sound = invocation("inv-1", b"refused");
    let quoting = |id| claim("a", "x", vec![binding(id, "", "refused")]);

    let twice = report(&[sound.clone(), of_run("inv-1", "run-0")], vec![quoting("inv-1")]);
    assert_eq!(twice.inconsistencies, [Inconsistency::DuplicateInvocation("inv-1".into())]);
    assert_eq!((twice.status, reasons(&twice)), (GateStatus::Reject, vec!["unknown_invocation"]));

    // Also when no binding quotes what is doubled.
    let unquoted = report(&[sound.clone(), of_run("b", "run-0"), of_run("b", "run-0")], vec![quoting("inv-1")]);
    assert_eq!((unquoted.status, reasons(&unquoted)), (GateStatus::Reject, vec!["ok"]));

    let claims = report(&[sound], vec![quoting("inv-1"), quoting("inv-1")]);
    assert_eq!(claims.inconsistencies, [Inconsistency::DuplicateClaim("a".into())]);
    assert_eq!(claims.status, GateStatus::Reject);

    let evidence = Evidence { claims: vec![], hypotheses: vec![], limitations: vec![] };
    let nameless = check(&GateInput { run_id: " ", evidence: &evidence, invocations: &[], tools: &[] });
    assert_eq!(nameless.inconsistencies, [Inconsistency::NoRunIdentity]);
    assert_eq!((nameless.status, nameless.ceiling), (GateStatus::Reject, Verdict::Reject));
}

#[test]
fn the_bindings_of_a_claim_support_its_numbers_together() {
    // R-GATE-07
    let ledger = [invocation("inv-1", br#"{"errors":312,"window":"5m","pool":"exhausted"}"#)];
    let text = "312 errors in 5m.";
    let errors = || binding("inv-1", "$.errors", "312");
    let window = || binding("inv-1", "$.window", "5m");
    let pool = || binding("inv-1", "$.pool", "exhausted");
    let wrong = || binding("inv-1", "$.window", "312");
    for (bindings, expected) in [
        (vec![errors(), window(), pool()], &["ok", "ok", "ok"][..]),
        (vec![errors(), pool()], &["claim_number_unsupported", "claim_number_unsupported"]),
        // A binding that fails an earlier check keeps its reason and supports nothing.
        (vec![window(), wrong()], &["claim_number_unsupported", "text_elsewhere"]),
    ] {
        let report = report(&ledger, vec![claim("a", text, bindings)]);
        assert_eq!(reasons(&report), expected);
    }
    // Not those of another claim.
    let claims = vec![claim("a", text, vec![errors()]), claim("b", "x", vec![window()])];
    assert_eq!(reasons(&report(&ledger, claims)), ["claim_number_unsupported", "ok"]);
}

#[test]
fn a_checked_binding_keeps_what_was_recorded() {
    // R-GATE-02
    let ledger = [invocation(
        "inv-1",
        "{\"m\":\"a \\u001b[31m“bad”\\u001b[0m\\n disk\",\"v\":10.0,\"o\":{\"b\":1, \"a\":2}}".as_bytes(),
    )];
    for (raw_path, stated, recorded, status) in [
        ("$.m", "\"bad\" disk", "“bad”\u{1b}[0m\n disk", "pass"),
        ("$.v", "1e1", "10.0", "pass"),
        ("$.o", "{\"a\":2,\"b\":1}", "{\"b\":1,\"a\":2}", "pass"),
        ("$.m", "good disk", "good disk", "fail"),
    ] {
        let report = report(&ledger, vec![claim("a", "x", vec![binding("inv-1", raw_path, stated)])]);
        let checked = report.checked.first().unwrap();
        assert_eq!((checked.matched_text.as_str(), checked.status.as_str()), (recorded, status));
    }
    let report = report(&ledger, vec![claim("a", "x", vec![binding("inv-1", "$.v", "10")])]);
    assert_eq!(
        serde_json::to_string(&report.checked).unwrap(),
        r#"[{"claim_id":"a","source_invocation_id":"inv-1","tool_name":"query_logs","raw_path":"$.v","matched_text":"10.0","status":"pass","reason_code":"ok"}]"#
    );
}
