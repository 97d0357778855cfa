//! Which crate may depend on which. What a crate does depend on is read from its `Cargo.toml`.

use std::collections::BTreeSet;
use std::fs;

use auris_e2e::repository;

use crate::source::production_code;
use crate::workspace::{Crate, crates, production_crates};

/// The part of the product that keeps a library to itself.
enum Owner {
    Crate(&'static str),
    EngineCrates,
}

const OWNED_LIBRARIES: [(&str, Owner); 11] = [
    ("sqlx", Owner::Crate("auris-store")),
    ("object_store", Owner::Crate("auris-store")),
    ("axum", Owner::Crate("auris-api")),
    ("multer", Owner::Crate("auris-api")),
    ("clap", Owner::Crate("auris")),
    ("indicatif", Owner::Crate("auris")),
    ("symphonia", Owner::EngineCrates),
    ("rubato", Owner::EngineCrates),
    ("rayon", Owner::EngineCrates),
    ("tokenizers", Owner::EngineCrates),
    ("llguidance", Owner::EngineCrates),
];

/// What both the store and the engines may use.
const COMMON: [&str; 2] = ["auris-domain", "auris-tls"];

/// Where the app constructs the store and the engines: from the settings, for a command, and for a server. Everything else
/// in the app reaches them through the service.
const CONSTRUCTION: [&str; 3] = ["config", "wiring.rs", "serve/mod.rs"];

#[test]
fn the_domain_depends_on_no_other_crate_of_ours() {
    expect_only("auris-domain", &[]);
}

#[test]
fn the_store_depends_on_the_domain_and_tls_only() {
    expect_only("auris-store", &COMMON);
}

#[test]
fn an_engine_crate_depends_on_common_and_engine_crates_only() {
    let engine_crates = engine_crates();
    let mut allowed: Vec<&str> = engine_crates.iter().map(String::as_str).collect();
    allowed.extend(COMMON);
    for name in &engine_crates {
        expect_only(name, &allowed);
    }
}

#[test]
fn the_kernels_depend_on_no_other_crate_of_ours_and_the_weights_on_the_kernels_only() {
    expect_only("auris-kernels", &[]);
    expect_only("auris-weights", &["auris-kernels"]);
}

#[test]
fn the_evaluation_depends_on_no_other_crate_of_ours() {
    expect_only("auris-evaluation", &[]);
}

#[test]
fn the_service_depends_on_the_domain_the_store_the_engines_and_the_evaluation_only() {
    let allowed = ["auris-domain", "auris-engines", "auris-evaluation", "auris-store", "auris-tls"];
    expect_only("auris-service", &allowed);
}

#[test]
fn the_api_depends_on_the_domain_and_the_service_only() {
    expect_only("auris-api", &["auris-domain", "auris-service"]);
}

#[test]
fn outside_of_the_engine_crates_only_the_crate_engines_is_known() {
    let engine_crates = engine_crates();
    let mut offenders = Vec::new();
    for one in production_crates().iter().filter(|one| !engine_crates.contains(&one.name)) {
        let known = one.production_dependencies.intersection(&engine_crates);
        let known = known.filter(|name| *name != "auris-engines");
        offenders.extend(known.map(|name| format!("{} depends on {name}", one.name)));
    }
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn an_owned_library_is_used_by_its_owner_and_by_nobody_else() {
    let crates = production_crates();
    let mut offenders = Vec::new();
    let engine_crates = engine_crates();
    for (library, owner) in OWNED_LIBRARIES {
        let users = crates.iter().filter(|one| one.production_dependencies.contains(library));
        let users: Vec<&str> = users.map(|one| one.name.as_str()).collect();
        if users.is_empty() {
            offenders.push(format!("nobody depends on {library}: remove it from the list"));
        }
        let strangers = users.iter().filter(|user| match owner {
            Owner::Crate(owner) => owner != **user,
            Owner::EngineCrates => !engine_crates.contains(**user),
        });
        offenders.extend(strangers.map(|user| format!("{user} depends on {library} and does not own it")));
    }
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn the_app_names_the_store_and_the_engines_only_to_construct_them() {
    let app = find("auris");
    let mut offenders = Vec::new();
    let files = production_code(&app.folder);
    for file in files.iter().filter(|file| !CONSTRUCTION.iter().any(|place| file.path.starts_with(place))) {
        for (number, line) in file.lines.iter().enumerate() {
            if line.contains("auris_store") || line.contains("auris_engines") {
                offenders.push(format!("app/src/{}:{}: {}", file.path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(offenders.is_empty(), "{} places:\n{}", offenders.len(), offenders.join("\n"));
}

#[test]
fn every_workspace_dependency_is_used() {
    let used: BTreeSet<String> = crates().into_iter().flat_map(|one| one.dependencies).collect();
    let manifest =
        fs::read_to_string(repository().join("Cargo.toml")).expect("the manifest of the workspace");
    let section = manifest.split("[workspace.dependencies]").nth(1).expect("the section exists");
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    let unused: Vec<&str> = names.map(|(name, _)| name).filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "no crate uses {unused:?}");
}

fn expect_only(name: &str, allowed: &[&str]) {
    let ours: BTreeSet<String> = crates().into_iter().map(|one| one.name).collect();
    let known = find(name).production_dependencies;
    let wrong: Vec<&String> =
        known.intersection(&ours).filter(|other| !allowed.contains(&other.as_str())).collect();
    assert!(wrong.is_empty(), "{name} depends on {wrong:?}; it may depend only on {allowed:?}");
}

/// `auris-engines` and every crate of ours that it depends on, directly or not, except the common ones.
fn engine_crates() -> BTreeSet<String> {
    let crates = crates();
    let mut found = BTreeSet::from(["auris-engines".to_owned()]);
    loop {
        let members = crates.iter().filter(|one| found.contains(&one.name));
        let known: BTreeSet<String> = members.flat_map(|one| one.production_dependencies.clone()).collect();
        let ours = crates.iter().map(|one| &one.name).filter(|name| known.contains(*name));
        let new: Vec<String> =
            ours.filter(|name| !COMMON.contains(&name.as_str()) && !found.contains(*name)).cloned().collect();
        if new.is_empty() {
            return found;
        }
        found.extend(new);
    }
}

fn find(name: &str) -> Crate {
    let found = crates().into_iter().find(|one| one.name == name);
    found.unwrap_or_else(|| panic!("there is no crate {name}: change the rules of this test with the crates"))
}
