//! One name for one thing: a public type name is defined once in a crate.

use std::collections::BTreeMap;

use crate::source::production_code;
use crate::workspace::crates;

#[test]
fn no_public_type_name_is_defined_twice_in_one_crate() {
    let mut duplicates = Vec::new();
    for one in crates() {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in production_code(&one.folder) {
            for name in file.lines.iter().filter_map(|line| defined_type(line)) {
                places.entry(name.to_owned()).or_default().push(file.path.display().to_string());
            }
        }
        places.retain(|_, files| files.len() > 1);
        let lines =
            places.iter().map(|(name, files)| format!("{}: {name} in {}", one.name, files.join(", ")));
        duplicates.extend(lines);
    }
    assert!(duplicates.is_empty(), "{} names:\n{}", duplicates.len(), duplicates.join("\n"));
}

/// The name in a line such as `pub struct Job {`. Types in blocks are indented and belong to a trait or a function.
fn defined_type(line: &str) -> Option<&str> {
    let definition = line.strip_prefix("pub ")?;
    let keywords = ["struct ", "enum ", "trait ", "type "];
    let rest = keywords.iter().find_map(|keyword| definition.strip_prefix(keyword))?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

#[test]
fn a_definition_is_recognised_by_its_keyword() {
    assert_eq!(defined_type("pub struct Job<'a> {"), Some("Job"));
    assert_eq!(defined_type("pub enum Status {"), Some("Status"));
    assert_eq!(defined_type("pub(crate) struct Row(u8);"), None);
    assert_eq!(defined_type("    pub struct Inner;"), None);
    assert_eq!(defined_type("pub fn run() {"), None);
}
