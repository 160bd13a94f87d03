//! A path leads the gatekeeper to the value that independent libraries find there, or it is refused.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::gate::GateReason;
use portcullis_core::json;
use portcullis_fuzz_light::case::{Case, find, shown};

// A path, a NUL character, a JSON document.
fuzz_target!(|text: &str| {
    let Some((path, document)) = text.split_once('\0').filter(|(_, document)| !document.contains('\0')) else { return };
    let Ok(root) = json::read(document) else { return };
    let found = if path == "$" { Some(&root) } else { find(path, &root) };
    let quote = found.map_or_else(|| "nothing".to_owned(), shown);
    let report = Case::read(format!("{document}\0\0text\0{path}\0{quote}").as_bytes()).check();
    // A NUL in the quote would end it.
    let Some(checked) = report.checked.first().filter(|_| !quote.contains('\0')) else { return };
    match checked.reason_code {
        GateReason::Ok => assert_eq!(Some(&checked.matched_text), found.map(shown).as_ref()),
        GateReason::PathNotFound => assert_eq!(found, None),
        GateReason::PathNotSingular => assert!(path.starts_with('$')),
        GateReason::PathSyntax => assert!(found.is_none() || path.contains('~'), "{path:?} leads to {found:?}"),
        // A text may be blank or not even text, and a number beyond any exponent.
        GateReason::EmptyQuote | GateReason::TextNotFound => assert!(found.is_some()),
        other => panic!("{other:?} of {path:?}"),
    }
});
