//! `AURIS_KERNEL_LEVEL` limits the level of a process. Each case is a separate process, because a level is chosen once.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

use std::process::Command;

use auris_kernels::{available_levels, level, level_note};

const EXPECTED: &str = "AURIS_TEST_EXPECTED_LEVEL";

fn assert_level(limit: &str, expected: &str) {
    let this = std::env::current_exe().expect("the path of this test");
    let child = Command::new(this)
        .args(["--exact", "the_level_is_the_expected_one"])
        .env("AURIS_KERNEL_LEVEL", limit)
        .env(EXPECTED, expected)
        .output()
        .expect("the test starts again");
    assert!(child.status.success(), "limit `{limit}`: {}", String::from_utf8_lossy(&child.stdout));
}

#[test]
fn the_environment_limits_the_level() {
    for level in available_levels() {
        assert_level(level.name(), level.name());
    }
}

#[test]
fn a_limit_above_this_processor_or_of_an_unknown_name_changes_nothing() {
    let best = available_levels().last().expect("there is always the scalar level").name();
    assert_level("amx", best);
    assert_level("warp", best);
}

/// Does nothing unless the other tests start it with a limit.
#[test]
fn the_level_is_the_expected_one() {
    let Ok(expected) = std::env::var(EXPECTED) else { return };
    assert_eq!(level().name(), expected);
    let is_unknown = std::env::var("AURIS_KERNEL_LEVEL").is_ok_and(|limit| limit == "warp");
    assert_eq!(level_note().is_some(), is_unknown, "{:?}", level_note());
}
