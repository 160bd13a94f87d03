//! What a component may weigh and lean on. It costs every host that loads it, so it is a check and no advice.

use super::report::{Check, CheckResult};
use portcullis_plugins::{Language, PluginInfo, Role, WasiGrant};

/// The most bytes that a node may have, by what it is written in: Python and JavaScript bring their interpreter along.
/// No figure for an unknown language is better than a wrong one.
const fn size_budget(language: Language) -> Option<usize> {
    match language {
        Language::Rust => Some(300 * 1024),
        Language::JavaScript => Some(13_000_000),
        Language::Python => Some(20_000_000),
        Language::Go | Language::C => None,
    }
}

/// Compares size and WASI imports with what a component of this language may have. `wasi` is what the configuration
/// grants; by default a component imports none.
pub fn within_budget(info: &PluginInfo, language: Option<Language>, wasi: WasiGrant) -> [Check; 2] {
    let size = Check { name: "size", result: size(info.role, info.size, language) };
    let imported: Vec<_> = info.imports.iter().filter(|import| import.starts_with("wasi:")).collect();
    let result = match (imported.first(), wasi) {
        (None, _) => CheckResult::Passed,
        (Some(_), WasiGrant::Sandboxed) => CheckResult::Skipped(format!(
            "it imports {} interfaces of WASI, and the configuration grants them; by default it is none",
            imported.len()
        )),
        (Some(first), WasiGrant::None) => CheckResult::Failed(format!(
            "it imports {} interfaces of WASI, `{first}` among them; expected none, or wasi = \"sandboxed\" in the \
             configuration of the node",
            imported.len()
        )),
    };
    [size, Check { name: "wasi", result }]
}

fn size(role: Role, bytes: usize, language: Option<Language>) -> CheckResult {
    if matches!(role, Role::Thinker | Role::Investigator) {
        return CheckResult::Skipped(format!("{bytes} bytes; agents have no budget"));
    }
    let Some(language) = language else {
        return CheckResult::Skipped(format!("{bytes} bytes; it does not say its language, so it has no budget"));
    };
    let name = language.as_str();
    match size_budget(language) {
        None => CheckResult::Skipped(format!("{bytes} bytes; there is no budget for {name}")),
        Some(most) if bytes > most => {
            CheckResult::Failed(format!("{bytes} bytes; expected at most {most} of a node in {name}"))
        }
        Some(_) => CheckResult::Passed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(role: Role, size: usize, imports: &[&str]) -> PluginInfo {
        PluginInfo {
            role,
            name: String::new(),
            version: None,
            sha256: String::new(),
            size,
            rights: Vec::new(),
            wit: portcullis_plugins::WitVersion::CURRENT,
            imports: imports.iter().map(|&import| import.to_owned()).collect(),
            origin: String::new(),
            wasi: WasiGrant::Sandboxed,
        }
    }

    #[test]
    fn the_size_of_a_node_has_a_budget() {
        // R-HOST-07
        let words = |role, size, language| match super::size(role, size, language) {
            CheckResult::Passed => "passed".to_owned(),
            CheckResult::Failed(words) | CheckResult::Skipped(words) => words,
        };
        let rust = Some(Language::Rust);
        assert_eq!(words(Role::Planner, 307_200, rust), "passed");
        assert_eq!(words(Role::Planner, 307_201, rust), "307201 bytes; expected at most 307200 of a node in Rust");
        assert_eq!(words(Role::Planner, 13_000_000, Some(Language::JavaScript)), "passed");
        assert_eq!(words(Role::PlanParser, 20_000_000, Some(Language::Python)), "passed");
        assert_eq!(words(Role::Planner, 1, Some(Language::Go)), "1 bytes; there is no budget for Go");
        assert_eq!(words(Role::Thinker, 900_000, rust), "900000 bytes; agents have no budget");
        assert_eq!(words(Role::Planner, 9, None), "9 bytes; it does not say its language, so it has no budget");
    }

    #[test]
    fn wasi_is_over_budget_unless_it_is_granted() {
        // R-HOST-02
        let check = |imports: &[&str], wasi| {
            let [_, check] = within_budget(&info(Role::Planner, 1, imports), None, wasi);
            check.result
        };
        assert_eq!(check(&["portcullis:node/log@0.1.0"], WasiGrant::None), CheckResult::Passed);
        assert!(matches!(check(&["wasi:io/poll@0.2.0"], WasiGrant::None), CheckResult::Failed(_)));
        assert!(matches!(check(&["wasi:io/poll@0.2.0"], WasiGrant::Sandboxed), CheckResult::Skipped(_)));
    }
}
