//! The store is divided into folders by subject, few enough to read their names at once.

use std::collections::BTreeSet;

use crate::module_paths::module_of;
use crate::source::production_code;
use crate::workspace::crates;

const MAX_MODULES: usize = 15;

#[test]
fn the_store_has_at_most_fifteen_top_level_modules() {
    let store = crates().into_iter().find(|one| one.name == "auris-store").expect("the store is a crate");
    let files = production_code(&store.folder);
    let names: BTreeSet<String> =
        files.iter().filter_map(|file| module_of(&file.path).into_iter().next()).collect();
    assert!(names.contains("sql"), "the modules are read from the wrong folder: {names:?}");
    assert!(names.len() <= MAX_MODULES, "{} modules: {names:?}", names.len());
}
