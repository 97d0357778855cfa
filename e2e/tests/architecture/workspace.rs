//! The crates of the workspace and their direct dependencies, from `cargo metadata`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use auris_e2e::repository;
use serde_json::Value;

/// Crates that test or measure the others. The rules for production code do not apply to them.
const TOOLS: [&str; 4] = ["auris-bench", "auris-e2e", "auris-engine-testing", "auris-fault-layer"];

pub(crate) struct Crate {
    pub(crate) name: String,
    /// Of every kind, including those of tests.
    pub(crate) dependencies: BTreeSet<String>,
    /// Of production code only.
    pub(crate) production_dependencies: BTreeSet<String>,
    pub(crate) folder: PathBuf,
}

/// Every crate of the workspace.
pub(crate) fn crates() -> Vec<Crate> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(repository().join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("a list of packages").iter().map(Crate::read).collect()
}

/// The crates that are part of the product.
pub(crate) fn production_crates() -> Vec<Crate> {
    crates().into_iter().filter(|one| !TOOLS.contains(&one.name.as_str())).collect()
}

impl Crate {
    fn read(package: &Value) -> Self {
        let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
        let production = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        Self {
            name: text(&package["name"]),
            dependencies: dependencies.iter().map(|dependency| text(&dependency["name"])).collect(),
            production_dependencies: production.map(|dependency| text(&dependency["name"])).collect(),
            folder: manifest.parent().expect("a manifest is in a folder").to_owned(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
