//! Which crate may depend on which. What a crate does depend on is read from its `Cargo.toml`, and which libraries are
//! reserved for it from the table in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use auris_e2e::repository;

use crate::source::production_code;
use crate::workspace::{Crate, crates, production_crates};

/// What both the store and the engines may use.
const COMMON: [&str; 2] = ["auris-domain", "auris-tls"];

/// Where the app constructs the store and the engines, and what it may name there. Everything else in the app reaches them
/// through the service.
const CONSTRUCTION: [(&str, &[&str]); 3] = [
    ("config", &["BlobSettings", "BucketSettings", "DatabaseSettings", "Encryption", "Tuning"]),
    ("serve/mod.rs", &["Store"]),
    (
        "wiring.rs",
        &[
            "Blobs",
            "Catalog",
            "EngineSettings",
            "Engines",
            "Installer",
            "LocalCatalog",
            "Store",
            "install",
            "kernel_level_note",
        ],
    ),
];

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
fn a_library_in_the_table_of_the_architecture_is_used_by_exactly_the_crates_that_list_it() {
    let table = reserved_libraries();
    let reserved: BTreeSet<String> = table.values().flatten().cloned().collect();
    assert!(reserved.contains("sqlx"), "the table was not found: {table:?}");
    let mut offenders = Vec::new();
    for one in production_crates() {
        let name = one.folder.file_name().expect("a folder").to_string_lossy().into_owned();
        let used: BTreeSet<String> = one.production_dependencies.intersection(&reserved).cloned().collect();
        match table.get(&name) {
            None => offenders.push(format!("{name} has no row")),
            Some(listed) if *listed != used => {
                offenders.push(format!("{name} lists {listed:?} and uses {used:?}"));
            }
            Some(_) => {}
        }
    }
    assert!(offenders.is_empty(), "the table in ARCHITECTURE.md is wrong:\n{}", offenders.join("\n"));
}

#[test]
fn the_app_names_the_store_and_the_engines_only_to_construct_them() {
    let app = find("auris");
    let mut offenders = Vec::new();
    for file in production_code(&app.folder) {
        let place = CONSTRUCTION.iter().find(|(place, _)| file.path.starts_with(place));
        let allowed = place.map_or(&[][..], |(_, names)| *names);
        let named = names_of_store_and_engines(&file.lines.join("\n"));
        let wrong = named.into_iter().filter(|name| !allowed.contains(&name.as_str()));
        offenders.extend(wrong.map(|name| format!("app/src/{}: {name}", file.path.display())));
    }
    assert!(offenders.is_empty(), "{} names:\n{}", offenders.len(), offenders.join("\n"));
}

/// What a file imports from the store and the engines.
fn names_of_store_and_engines(code: &str) -> Vec<String> {
    let after_names = ["auris_store", "auris_engines"].into_iter().flat_map(|name| code.split(name).skip(1));
    let imports = after_names.map(|rest| rest.split(';').next().unwrap_or_default());
    let words =
        imports.flat_map(|names| names.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn names_are_found_in_imports_of_several_lines() {
    let code =
        "use auris_store::{\n    Blobs,\n    StoreError,\n};\nuse auris_engines::install::Installer;\n";
    assert_eq!(names_of_store_and_engines(code), ["Blobs", "StoreError", "install", "Installer"]);
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

/// The last column of the table of crates in ARCHITECTURE.md, by crate.
fn reserved_libraries() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').collect();
        let name = names_in(cells[1]).next().expect("the name of a crate");
        (name, cells.last().into_iter().flat_map(|cell| names_in(cell)).collect())
    })
    .collect()
}

/// The words between backticks.
fn names_in(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
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
