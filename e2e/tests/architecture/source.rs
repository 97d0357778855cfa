//! Source files of production code: tests are left out.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct SourceFile {
    /// Relative to `src`.
    pub(crate) path: PathBuf,
    /// The lines before the test module of the file.
    pub(crate) lines: Vec<String>,
}

/// The production code of the crate in the folder.
pub(crate) fn production_code(crate_folder: &Path) -> Vec<SourceFile> {
    let root = crate_folder.join("src");
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).expect("a folder of the checkout").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "tests" {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).expect("a source file is UTF-8");
            let path = path.strip_prefix(root).expect("the file is in the folder").to_owned();
            files.push(SourceFile { path, lines: without_tests(&text) });
        }
    }
}

/// A test module is the last item of its file. A single test-only item ends at the next empty line.
fn without_tests(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.lines();
    while let Some(line) = rest.next() {
        if line.trim_start() != "#[cfg(test)]" {
            lines.push(line.to_owned());
            continue;
        }
        let item = rest.next().unwrap_or_default();
        if item.starts_with("mod ") && item.ends_with('{') {
            break;
        }
        if !item.ends_with(';') {
            rest.by_ref().find(|line| line.is_empty());
        }
    }
    lines
}

#[test]
fn test_code_is_left_out() {
    let text = "struct A;\n#[cfg(test)]\nuse x;\nstruct B;\n#[cfg(test)]\nfn t() {\n}\n\nstruct C;\n#[cfg(test)]\nmod tests {\nstruct D;\n}";
    assert_eq!(without_tests(text), ["struct A;", "struct B;", "struct C;"]);
}
