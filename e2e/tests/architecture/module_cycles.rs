//! Modules of a crate do not depend on each other in a cycle.
//!
//! A module depends on its sibling if code in the one names a path in the other, in whatever file of the two folders.
//! Paths that only reach a parent or a child are not counted: re-exports go that way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::source::{SourceFile, production_code};
use crate::workspace::crates;

/// A module path without the crate, such as `["jobs", "read"]`.
type ModulePath = Vec<String>;
/// From each module to the siblings that it names.
type Graph = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

#[test]
fn no_modules_depend_on_each_other_in_a_cycle() {
    let mut cycles = Vec::new();
    for one in crates() {
        let graph = dependencies(&production_code(&one.folder));
        cycles.extend(cycles_of(&graph).iter().map(|cycle| format!("{}: {}", one.name, shown(cycle))));
    }
    assert!(cycles.is_empty(), "{} cycles:\n{}", cycles.len(), cycles.join("\n"));
}

fn dependencies(files: &[SourceFile]) -> Graph {
    let modules: BTreeSet<ModulePath> = files.iter().map(|file| module_of(&file.path)).collect();
    let mut graph = Graph::new();
    for file in files {
        let module = module_of(&file.path);
        for target in named_paths(&file.lines.join("\n"), &module) {
            if let Some((from, to)) = siblings(&module, &existing(&target, &modules)) {
                graph.entry(from).or_default().insert(to);
            }
        }
    }
    graph
}

/// `lib.rs` is the crate itself, `a/mod.rs` and `a.rs` are module `a`.
fn module_of(path: &Path) -> ModulePath {
    let mut parts: ModulePath = path
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if parts.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// Every path in the code that starts with `crate::` or `super::`, seen from the crate's root.
fn named_paths(code: &str, module: &[String]) -> Vec<ModulePath> {
    let mut paths = Vec::new();
    for (keyword, start) in [("crate::", Vec::new()), ("super::", parent(module))] {
        for (index, _) in code.match_indices(keyword) {
            let before = code[..index].chars().next_back();
            let is_path_start =
                before.is_none_or(|letter| !letter.is_alphanumeric() && !['_', ':', '$'].contains(&letter));
            let line = code[..index].rsplit('\n').next().unwrap_or_default();
            let is_comment = line.trim_start().starts_with("//");
            if is_path_start && !is_comment {
                read_path(&code[index + keyword.len()..], start.clone(), &mut paths);
            }
        }
    }
    paths
}

fn parent(module: &[String]) -> ModulePath {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// Reads `a::b`, `super::a` or `{a::b, c}` and adds the paths to the list.
fn read_path(text: &str, mut path: ModulePath, paths: &mut Vec<ModulePath>) {
    let mut rest = text;
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            for member in members(group) {
                read_path(member, path.clone(), paths);
            }
            return;
        }
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        match name {
            "super" => drop(path.pop()),
            "self" | "" => {}
            name => path.push(name.to_owned()),
        }
        match after.strip_prefix("::") {
            Some(next) if !name.is_empty() => rest = next,
            _ => return paths.push(path),
        }
    }
}

/// The members of a group up to its closing brace.
fn members(group: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (index, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                members.push(group[start..index].trim());
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(group[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

/// The longest part of the path that is a module; the rest names an item in it.
fn existing(path: &[String], modules: &BTreeSet<ModulePath>) -> ModulePath {
    let lengths = (0..=path.len()).rev();
    let found = lengths.map(|length| &path[..length]).find(|part| modules.contains(*part));
    found.unwrap_or_default().to_vec()
}

/// The two modules with the same parent that the dependency is between, if neither contains the other.
fn siblings(from: &[String], to: &[String]) -> Option<(ModulePath, ModulePath)> {
    let common = from.iter().zip(to).take_while(|(one, other)| one == other).count();
    let both_go_on = from.len() > common && to.len() > common;
    both_go_on.then(|| (from[..=common].to_vec(), to[..=common].to_vec()))
}

/// One cycle for each module that is part of one and not of a cycle that was found before.
fn cycles_of(graph: &Graph) -> Vec<Vec<ModulePath>> {
    let mut cycles: Vec<Vec<ModulePath>> = Vec::new();
    for start in graph.keys() {
        let known = cycles.iter().any(|cycle| cycle.contains(start));
        if !known && let Some(cycle) = shortest_cycle(graph, start) {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Breadth-first search from the module back to itself.
fn shortest_cycle(graph: &Graph, start: &ModulePath) -> Option<Vec<ModulePath>> {
    let mut paths = std::collections::VecDeque::from([vec![start.clone()]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = paths.pop_front() {
        for next in path.last().and_then(|last| graph.get(last)).into_iter().flatten() {
            if next == start {
                return Some(path);
            }
            if seen.insert(next.clone()) {
                paths.push_back([path.clone(), vec![next.clone()]].concat());
            }
        }
    }
    None
}

fn shown(cycle: &[ModulePath]) -> String {
    let names: Vec<String> = cycle.iter().chain(cycle.first()).map(|module| module.join("::")).collect();
    names.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, code: &str) -> SourceFile {
        SourceFile { path: path.into(), lines: code.lines().map(str::to_owned).collect() }
    }

    #[test]
    fn a_cycle_is_found_through_folders_groups_and_parents() {
        let files = [
            file("lib.rs", "mod a; mod b; mod c;"),
            file("a/mod.rs", "mod x;"),
            file("a/x.rs", "use crate::{b::B, c};"),
            file("b.rs", "fn f() { super::a::go() }"),
            file("c.rs", "// crate::a is only mentioned here"),
        ];
        let cycles = cycles_of(&dependencies(&files));
        assert_eq!(cycles.iter().map(|cycle| shown(cycle)).collect::<Vec<_>>(), ["a -> b -> a"]);
    }

    #[test]
    fn parents_and_children_may_name_each_other() {
        let files =
            [file("a/mod.rs", "pub use self::x::X;"), file("a/x.rs", "use super::Y; use crate::a::Z;")];
        assert!(cycles_of(&dependencies(&files)).is_empty());
    }
}
