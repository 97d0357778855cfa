//! The dependency rule of ARCHITECTURE.md, checked over `cargo metadata`.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Which crate of ours may know which; the domain is at the bottom of everything.
const EDGES: [(&str, &[&str]); 8] = [
    ("auris-domain", &[]),
    ("auris-store", &["auris-domain"]),
    ("auris-engines", &["auris-domain"]),
    ("auris-service", &["auris-domain", "auris-engines", "auris-store"]),
    ("auris-api", &["auris-domain", "auris-service"]),
    ("auris", &["auris-api", "auris-domain", "auris-engines", "auris-service", "auris-store"]),
    ("auris-e2e", &[]),
    // Measures the bare parts beside the whole, so it names them too.
    (BENCH, &["auris-domain", "auris-store"]),
];
const BENCH: &str = "auris-bench";

/// Crates of others that one crate of ours keeps to itself.
const OWNERS: [(&str, &str); 12] = [
    ("sqlx", "auris-store"),
    ("object_store", "auris-store"),
    ("axum", "auris-api"),
    ("tower-http", "auris-api"),
    ("rten", "auris-engines"),
    ("rten-tensor", "auris-engines"),
    ("candle-core", "auris-engines"),
    ("candle-transformers", "auris-engines"),
    ("symphonia", "auris-engines"),
    ("rubato", "auris-engines"),
    ("clap", "auris"),
    ("figment", "auris"),
];

#[test]
fn our_crates_know_each_other_exactly_as_drawn() {
    let dependencies = dependencies();
    let ours: BTreeSet<&str> = dependencies.keys().map(String::as_str).collect();
    let drawn: BTreeSet<&str> = EDGES.iter().map(|(name, _)| *name).collect();
    assert_eq!(ours, drawn, "the crates of the workspace");
    for (name, allowed) in EDGES {
        let known = dependencies[name].iter().map(String::as_str);
        let known: BTreeSet<&str> = known.filter(|other| ours.contains(other)).collect();
        assert_eq!(known, allowed.iter().copied().collect(), "what {name} knows");
    }
}

#[test]
fn each_foreign_framework_is_named_in_one_crate() {
    for (name, known) in dependencies().into_iter().filter(|(name, _)| name != BENCH) {
        for (foreign, owner) in OWNERS {
            let kept = name == owner || !known.contains(foreign);
            assert!(kept, "{name} names {foreign}, which only {owner} may");
        }
    }
}

/// The direct dependencies of each crate of the workspace, of every kind.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(|package| (text(&package["name"]), names(package))).collect()
}

fn names(package: &Value) -> BTreeSet<String> {
    let dependencies = package["dependencies"].as_array().expect("a list");
    dependencies.iter().map(|dependency| text(&dependency["name"])).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
