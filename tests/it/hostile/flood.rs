//! Ten thousand hostile attempts in one process leave its memory, its files and its threads where they were.

use super::act::{Loaded, agent, tools};
use super::guest::{Guest, all};
use crate::sandbox::engine;
use std::process::Command;
use std::time::Duration;

const ATTEMPTS: usize = 10_000;
/// Until every pool, cache and arena is as large as it gets.
const WARM_UP: usize = 1_500;
/// One stage in so many is one that the clock has to end, which takes until its next tick.
const SLOW_EACH: usize = 80;
const COMPUTE: Duration = Duration::from_millis(2);

#[test]
fn ten_thousand_attempts_leave_the_process_as_it_was() {
    // R-HOST-05 R-NODE-07
    // A process of its own, so that no other test is measured.
    let name = "hostile::flood::attempts_in_a_process_of_their_own";
    let ran = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    eprintln!("{said}");
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stdout));
    assert!(said.contains("attempts: "), "it ran nothing: {}", String::from_utf8_lossy(&ran.stdout));
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn attempts_in_a_process_of_their_own() {
    // R-HOST-05 R-NODE-07
    let guests = all();
    let loaded: Vec<_> = guests.iter().filter(|guest| is_soon_ended(guest)).flat_map(load).collect();
    let (slow, quick): (Vec<_>, Vec<_>) = loaded.into_iter().partition(|(guest, _)| is_spinning(guest));
    assert!(slow.len() > 20 && quick.len() > 100, "{} and {}", slow.len(), quick.len());

    let (mut slow, mut quick) = (slow.iter().cycle(), quick.iter().cycle());
    let (mut attempts, mut ended, mut before) = (0, 0, None);
    for stage in 0.. {
        let (guest, loaded) = if stage % SLOW_EACH == 0 { slow.next() } else { quick.next() }.unwrap();
        let calls = loaded.act(&agent(guest), &tools(guest)).await;
        attempts += calls.len();
        ended += calls.iter().filter(|call| call.ended.is_err()).count();
        if before.is_none() && attempts >= WARM_UP {
            before = Some(Process::now());
        }
        if attempts >= WARM_UP + ATTEMPTS {
            break;
        }
    }
    let (before, after) = (before.unwrap(), Process::now());
    eprintln!("attempts: {attempts}, of which {ended} were ended by the host; {before:?} -> {after:?}");
    assert!(ended * 10 > attempts * 8, "most are hostile: {ended} of {attempts}");
    assert!(after.resident_kib * 10 <= before.resident_kib * 11, "{before:?} -> {after:?}");
    assert_eq!((after.files, after.threads), (before.files, before.threads));
}

/// What waits for a clock takes longer than ten thousand that do not, and so do floods of words.
fn is_soon_ended(guest: &Guest) -> bool {
    let waits = ["agent", "tools", "run"].iter().any(|key| guest.says(key).is_some());
    let is_patient = guest.says("limits").is_some_and(|it| it.contains("wall") || it.contains("compute=20000ms"));
    !waits && !is_patient && guest.name != "log-flood"
}

fn is_spinning(guest: &Guest) -> bool {
    guest.says("limits").is_some_and(|limits| limits.contains("compute"))
}

/// The guest in each of its worlds that takes it.
fn load(guest: &Guest) -> Vec<(&Guest, Loaded)> {
    let settings = |role| {
        let mut settings = guest.settings(role);
        if is_spinning(guest) {
            settings.limits.compute = COMPUTE;
        }
        settings
    };
    let roles = guest.roles().into_iter();
    let loaded = roles
        .filter_map(|role| Loaded::load_with(engine(), &guest.name, role, &guest.build(role, ""), settings(role)).ok());
    loaded.map(|loaded| (guest, loaded)).collect()
}

/// What this process holds.
#[derive(Debug)]
struct Process {
    resident_kib: u64,
    files: usize,
    threads: usize,
}

impl Process {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
        Self {
            resident_kib: resident.trim().trim_end_matches(" kB").parse().unwrap(),
            files: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
        }
    }
}
