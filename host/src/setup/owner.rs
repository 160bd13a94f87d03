//! Which process runs a run, in words that tell it from any other, also from a later one with the same number.

use std::path::PathBuf;

/// `PID/START`: the process id, and when the system started it.
pub(super) fn this_process() -> String {
    let pid = std::process::id();
    format!("{pid}/{}", start_of(pid).unwrap_or_default())
}

/// Whether the process that wrote these words still runs. Words that say nothing are nobody's.
pub(super) fn is_alive(owner: &str) -> bool {
    let Some((pid, start)) = owner.split_once('/') else { return false };
    let Ok(pid) = pid.parse() else { return false };
    // Where the system does not tell when a process started, every owner counts as alive: a run must not be taken from
    // a living process.
    start.is_empty() || start_of(pid).is_some_and(|now| now == start)
}

/// Field 22 of `/proc/PID/stat` with the machine's boot, see proc(5). None where there is no such file.
fn start_of(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(PathBuf::from(format!("/proc/{pid}/stat"))).ok()?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    // The name of the program may hold spaces and brackets; the last bracket ends it.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_ascii_whitespace().nth(19)?;
    Some(format!("{}-{ticks}", boot.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_not_by_its_number_alone() {
        // R-RUN-05
        let own = this_process();
        assert!(is_alive(&own));
        if start_of(std::process::id()).is_some() {
            assert!(!is_alive(&format!("{}/another-start", std::process::id())));
            assert!(!is_alive("4294967295/whenever"));
        }
        assert!(!is_alive("") && !is_alive("someone"));
    }
}
