//! Modules of a crate do not depend on each other in a cycle.
//!
//! A module depends on its sibling if code in the one names a path in the other, in whatever file of the two folders. An
//! item that a parent re-exports counts as the module that defines it. Items that a parent or a child defines itself are
//! not counted.

use std::collections::{BTreeMap, BTreeSet};

use crate::module_paths::{ModulePath, Modules, module_of};
use crate::source::{SourceFile, production_code};
use crate::workspace::crates;

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
    let modules = Modules::of(files);
    let mut graph = Graph::new();
    for file in files {
        let module = module_of(&file.path);
        for target in modules.named_by(file) {
            if let Some((from, to)) = siblings(&module, &target) {
                graph.entry(from).or_default().insert(to);
            }
        }
    }
    graph
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

    #[test]
    fn a_cycle_is_found_through_re_exports_of_a_parent() {
        let files = [
            file("lib.rs", "mod a;\npub use a::{One, two as three};"),
            file("a/mod.rs", "mod x;\nmod y;\npub use self::x::X;\npub(crate) use y::Y as Z;"),
            file("a/x.rs", "use super::Z;"),
            file("a/y.rs", "use crate::a::X;"),
        ];
        let cycles = cycles_of(&dependencies(&files));
        assert_eq!(cycles.iter().map(|cycle| shown(cycle)).collect::<Vec<_>>(), ["a::x -> a::y -> a::x"]);
    }

    #[test]
    fn a_re_export_of_a_function_with_the_name_of_its_module_is_followed_once() {
        let files = [
            file("lib.rs", "mod a;\nmod b;\npub use a::a;"),
            file("a.rs", ""),
            file("b.rs", "use crate::a;"),
        ];
        assert_eq!(cycles_of(&dependencies(&files)), Vec::<Vec<ModulePath>>::new());
    }
}
