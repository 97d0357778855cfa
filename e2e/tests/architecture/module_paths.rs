//! Which modules a source file names: paths are read from the text and followed through re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::source::SourceFile;

/// A module path without the crate, such as `["jobs", "read"]`.
pub(crate) type ModulePath = Vec<String>;

/// The modules of a crate and the names that each of them imports or re-exports.
pub(crate) struct Modules {
    all: BTreeSet<ModulePath>,
    /// From a module and a name in it to the path that a `use` gave the name to.
    imports: BTreeMap<(ModulePath, String), ModulePath>,
}

impl Modules {
    pub(crate) fn of(files: &[SourceFile]) -> Self {
        let all: BTreeSet<ModulePath> = files.iter().map(|file| module_of(&file.path)).collect();
        let mut imports = BTreeMap::new();
        for file in files {
            let module = module_of(&file.path);
            for named in imports_of(&file.lines.join("\n"), &module, &all) {
                if let Some(name) = named.local_name() {
                    imports.insert((module.clone(), name), named.path);
                }
            }
        }
        Self { all, imports }
    }

    /// The modules that code of the file names, each seen from the crate's root. A re-export counts as the module that
    /// defines the item.
    pub(crate) fn named_by(&self, file: &SourceFile) -> BTreeSet<ModulePath> {
        let module = module_of(&file.path);
        let named = named_paths(&file.lines.join("\n"), &module);
        named.into_iter().map(|named| self.defining_module(named.path)).collect()
    }

    /// Follows imports until the name is defined in the module itself. A name that is imported from itself, as in
    /// `pub use name::name`, is followed once.
    fn defining_module(&self, mut path: ModulePath) -> ModulePath {
        let mut followed = BTreeSet::new();
        loop {
            let module = self.existing(&path);
            let Some(name) = path.get(module.len()) else { return module };
            let key = (module, name.clone());
            match self.imports.get(&key) {
                Some(target) if followed.insert(key.clone()) => {
                    let item = path.split_off(key.0.len() + 1);
                    path = [target.clone(), item].concat();
                }
                Some(_) | None => return key.0,
            }
        }
    }

    /// The longest part of the path that is a module; the rest names an item in it.
    fn existing(&self, path: &[String]) -> ModulePath {
        let lengths = (0..=path.len()).rev();
        let found = lengths.map(|length| &path[..length]).find(|part| self.all.contains(*part));
        found.unwrap_or_default().to_vec()
    }
}

/// A path in the code, and the name that `as` gives it.
struct NamedPath {
    path: ModulePath,
    alias: Option<String>,
}

impl NamedPath {
    fn local_name(&self) -> Option<String> {
        self.alias.as_ref().or(self.path.last()).cloned()
    }
}

/// `lib.rs` is the crate itself, `a/mod.rs` and `a.rs` are module `a`.
pub(crate) fn module_of(path: &Path) -> ModulePath {
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
fn named_paths(code: &str, module: &[String]) -> Vec<NamedPath> {
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

/// What the `use` statements of a module name. A path that starts with the name of a child module starts there.
fn imports_of(code: &str, module: &[String], all: &BTreeSet<ModulePath>) -> Vec<NamedPath> {
    let mut paths = Vec::new();
    for statement in code.split(';') {
        let Some(imported) = imported(statement) else { continue };
        let first = imported.split("::").next().unwrap_or_default();
        let child = [module, &[first.to_owned()]].concat();
        match first {
            "crate" => read_path(&imported["crate::".len()..], Vec::new(), &mut paths),
            "super" | "self" => read_path(imported, module.to_vec(), &mut paths),
            _ if all.contains(&child) => read_path(imported, module.to_vec(), &mut paths),
            _ => {}
        }
    }
    paths
}

/// The tree behind the `use` with which the statement ends.
fn imported(statement: &str) -> Option<&str> {
    let starts = statement.match_indices("use ").map(|(index, _)| index);
    let is_start = |index: &usize| {
        let line = statement[..*index].rsplit('\n').next().unwrap_or_default();
        line.is_empty() || line == "pub " || (line.starts_with("pub(") && line.ends_with(") "))
    };
    starts.filter(is_start).last().map(|index| &statement[index + "use ".len()..])
}

fn parent(module: &[String]) -> ModulePath {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// Reads `a::b`, `super::a`, `a as b` or `{a::b, c}` and adds the paths to the list.
fn read_path(text: &str, mut path: ModulePath, paths: &mut Vec<NamedPath>) {
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
            _ => return paths.push(NamedPath { path, alias: alias(after) }),
        }
    }
}

/// The name in ` as name`.
fn alias(text: &str) -> Option<String> {
    let rest = text.strip_prefix(" as ")?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().map(str::to_owned)
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
