//! An inspection in words.

use super::explained::{Explained, Fit, Granted};
use super::kind;
use bytesize::ByteSize;
use portcullis_plugins::{Change, Changes, CoreFacts, FileKind, Inspection, Need, StoreLimits, WitVersion, explain};
use std::path::Path;

pub(super) fn of_file(path: &Path, inspected: &Inspection, imports: &[Explained], fits: &[Fit]) -> String {
    let parts =
        [header(path, inspected), roles(inspected, fits), names("Exports", &inspected.exports), explained(imports)];
    parts.join("\n\n")
}

fn header(path: &Path, inspected: &Inspection) -> String {
    let supported = WitVersion::ALL.map(WitVersion::as_str).join(", ");
    let memory = inspected.core.initial_memory;
    format!(
        "{}: {}, {} bytes\n\
         sha256    {}\n\
         version   {}\n\
         WIT       {} (this host supports {supported})\n\
         made by   {}\n\
         memory    {memory} bytes at the start ({}): limits.memory has to be at least that\n\
         core      {}",
        path.display(),
        kind(inspected.kind),
        inspected.size,
        inspected.sha256,
        said(inspected.version.as_deref()),
        listed(&inspected.wit, "none"),
        made_by(inspected),
        ByteSize(memory),
        core(&inspected.core),
    )
}

fn core(facts: &CoreFacts) -> String {
    let CoreFacts { modules, instances, memories, initial_memory: _, tables, table_elements } = *facts;
    let host = StoreLimits::HOST;
    let over = if host.allow(facts) { "" } else { ": more than any guest may have" };
    format!(
        "modules {modules}; of what a guest may have: instances {instances}/{}, memories {memories}/{}, tables \
         {tables}/{}, elements of a table {table_elements}/{}{over}",
        host.instances, host.memories, host.tables, host.table_elements
    )
}

fn listed(words: &[String], none: &str) -> String {
    if words.is_empty() { none.to_owned() } else { words.join(", ") }
}

fn made_by(inspected: &Inspection) -> String {
    let producers = &inspected.producers;
    let tools: Vec<_> = producers
        .all()
        .iter()
        .filter(|it| it.field != "language")
        .map(|it| format!("{} {}", it.name, it.version).trim_end().to_owned())
        .collect();
    match producers.language() {
        Some(language) => format!("{}: {}", language.as_str(), listed(&tools, "no tool is named")),
        None => listed(&tools, "not said"),
    }
}

fn roles(inspected: &Inspection, fits: &[Fit]) -> String {
    if let Some(problem) = &inspected.broken {
        return format!("Fits nowhere: {problem}");
    }
    if fits.is_empty() {
        return match inspected.kind {
            FileKind::BareModule => "Fits nowhere: it does not say which component it is to become. Build it with \
                                     wit-bindgen for a world of the wit folder"
                .to_owned(),
            FileKind::Component | FileKind::TypedModule => {
                "Fits nowhere: it exports nothing that a world asks for. Build it for a world of the wit folder"
                    .to_owned()
            }
        };
    }
    let lines = fits.iter().map(|fit| match (&fit.problem, &fit.fix) {
        (Some(problem), fix) => {
            let fix = fix.as_ref().map(|fix| format!("\n    fix: {fix}")).unwrap_or_default();
            format!("  {:<20} as {}: no, {problem}{fix}", fit.place, fit.role)
        }
        (None, _) if fit.types_compared => format!("  {:<20} as {}: yes, by names and types", fit.place, fit.role),
        (None, _) => {
            format!("  {:<20} as {}: yes, by names; types are compared when it is loaded", fit.place, fit.role)
        }
    });
    format!("Fit\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn names(title: &str, names: &[String]) -> String {
    format!("{title}\n  {}", if names.is_empty() { "none".to_owned() } else { names.join("\n  ") })
}

fn explained(imports: &[Explained]) -> String {
    if imports.is_empty() {
        return "Imports\n  none: it can compute and nothing else".to_owned();
    }
    let mut lines = vec!["Imports".to_owned()];
    lines.extend(grouped(imports).iter().map(|alike| import(alike)));
    let origins = imports.iter().filter_map(|import| import.origin);
    // Most share one, so each is said once.
    let usual = once(origins.clone().map(|origin| origin.usual));
    if !usual.is_empty() {
        lines.push(format!("\nWhere WASI usually comes from\n  {}", usual.join("\n  ")));
        let ways = once(origins.map(|origin| origin.without));
        lines.push(format!("\nHow to build without it\n  {}", ways.join("\n  ")));
    }
    lines.join("\n")
}

fn once(words: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut kept = Vec::new();
    for word in words {
        if !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept
}

/// Those together of which the same is to be said, each group where its first one stands.
fn grouped(imports: &[Explained]) -> Vec<Vec<&Explained>> {
    let mut groups: Vec<Vec<&Explained>> = Vec::new();
    for import in imports {
        let is_alike = |group: &&mut Vec<&Explained>| {
            group.first().is_some_and(|first| (first.need, first.allows) == (import.need, import.allows))
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(import),
            None => groups.push(vec![import]),
        }
    }
    groups
}

fn import(alike: &[&Explained]) -> String {
    let mut lines: Vec<_> = alike.iter().map(|import| format!("  {}", import.name)).collect();
    lines.extend(alike.first().map(|Explained { need, allows, granted, .. }| {
        let needs = match need {
            Need::Nothing => "needs no right".to_owned(),
            Need::Right(right) => format!("needs the right \"{}\"{}", right.as_str(), places(granted)),
            Need::Wasi => format!("needs wasi = \"sandboxed\"{}", places(granted)),
            Need::Refused => "no setting grants it".to_owned(),
        };
        format!("      {allows}\n      {needs}")
    }));
    lines.join("\n")
}

fn places(granted: &[Granted]) -> String {
    let at = |is: bool| -> Vec<_> { granted.iter().filter(|it| it.granted == is).map(|it| it.place).collect() };
    let (yes, no) = (at(true).join(", "), at(false).join(", "));
    match (yes.as_str(), no.as_str()) {
        ("", "") => String::new(),
        (yes, "") => format!(": granted by {yes}"),
        ("", no) => format!(": not granted by {no}"),
        (yes, no) => format!(": granted by {yes}, not by {no}"),
    }
}

/// A file with its place.
type Named<'a> = (&'a Path, &'a Inspection);

pub(super) fn of_changes(old: Named<'_>, new: Named<'_>, changes: &Changes) -> String {
    let (one, other) = (old.1, new.1);
    let roles = |inspected: &Inspection| -> Vec<String> {
        inspected.serves().into_iter().map(|role| role.world().to_owned()).collect()
    };
    let rows = [
        ("file", old.0.display().to_string(), new.0.display().to_string()),
        ("kind", kind(one.kind).to_owned(), kind(other.kind).to_owned()),
        ("sha256", one.sha256.clone(), other.sha256.clone()),
        ("version", said(one.version.as_deref()), said(other.version.as_deref())),
        ("WIT", listed(&one.wit, "none"), listed(&other.wit, "none")),
        ("size", bytes(one.size as u64, None), bytes(other.size as u64, Some(one.size as u64))),
        (
            "memory",
            bytes(one.core.initial_memory, None),
            bytes(other.core.initial_memory, Some(one.core.initial_memory)),
        ),
        ("serves as", listed(&roles(one), "nothing"), listed(&roles(other), "nothing")),
    ];
    let mut lines: Vec<_> = rows
        .into_iter()
        .map(
            |(what, old, new)| {
                if old == new { format!("{what:<10} {old}") } else { format!("{what:<10} {old}\n        -> {new}") }
            },
        )
        .collect();
    let explained = |name: &str| explain(name, other.producers.language()).allows;
    lines.extend(changes.new_imports.iter().map(|name| format!("+ imports  {name}: {}", explained(name))));
    lines.extend(changes.gone_imports.iter().map(|name| format!("- imports  {name}")));
    lines.push(if changes.more.is_empty() {
        "The new one needs nothing more than the old one.".to_owned()
    } else {
        let more: Vec<_> = changes.more.iter().map(change).collect();
        format!("The new one needs more:\n  {}", more.join("\n  "))
    });
    lines.join("\n")
}

/// With the difference to an old figure, if there is one.
fn bytes(count: u64, old: Option<u64>) -> String {
    match old {
        Some(old) if count > old => format!("{count} bytes (+{})", count - old),
        Some(old) if count < old => format!("{count} bytes (-{})", old - count),
        Some(_) | None => format!("{count} bytes"),
    }
}

fn said(version: Option<&str>) -> String {
    version.unwrap_or("not said").to_owned()
}

fn change(change: &Change) -> String {
    match change {
        Change::Right(right) => format!("the right \"{}\"", right.as_str()),
        Change::Wasi => "wasi = \"sandboxed\"".to_owned(),
        Change::Refused => "an import that no setting grants".to_owned(),
        Change::Memory { from, to } => format!("{to} bytes of memory at the start, up from {from}"),
        Change::Wit { to } => format!("a host that supports WIT {}", to.join(", ")),
        Change::Role(role) => format!("another component as {role}: it no longer serves as that"),
        Change::ComponentType => "a component type: it no longer says which component it is to become".to_owned(),
    }
}
