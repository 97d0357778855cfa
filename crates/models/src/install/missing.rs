//! What a pull would still fetch.

use std::collections::BTreeSet;

use super::Installer;
use crate::catalog::{Catalog, ModelFile};

impl Installer {
    /// The total size of the files that a pull of the model would fetch; zero for an unknown model.
    pub fn missing_bytes(&self, catalog: &Catalog, id: &str) -> u64 {
        let mut counted = BTreeSet::new();
        self.count_missing(catalog, id, &mut counted)
    }

    /// Counts each model once, although several may pull it.
    fn count_missing<'a>(&self, catalog: &'a Catalog, id: &str, counted: &mut BTreeSet<&'a str>) -> u64 {
        let Some(entry) = catalog.find(id).filter(|entry| counted.insert(&entry.model.id)) else { return 0 };
        let folder = self.models_dir.join(&entry.model.id);
        let is_missing = |file: &&ModelFile| {
            !folder.join(&file.name).metadata().is_ok_and(|found| found.len() == file.bytes)
        };
        let own: u64 = entry.files.iter().filter(is_missing).map(|file| file.bytes).sum();
        let others = entry.pulls.iter().chain(&entry.upgrades);
        own + others.map(|other| self.count_missing(catalog, other, counted)).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_are_not_installed_are_counted_once() {
        let file = |name: &str, bytes: u64| {
            format!("[[models.files]]\nname = \"{name}\"\nsha256 = \"{}\"\nbytes = {bytes}\n", "0".repeat(64))
        };
        let model = |id: &str, more: &str| {
            format!(
                "[[models]]\nid = \"{id}\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n{more}"
            )
        };
        let text = [
            model("shared", &(file("one", 5) + &file("two", 7))),
            model("middle", &("pulls = [\"shared\"]\n".to_owned() + &file("three", 11))),
            model("all", "pulls = [\"shared\", \"middle\"]\n"),
        ];
        let catalog = Catalog::parse(&text.concat()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let installer = Installer::new(folder.path(), None);
        assert_eq!(installer.missing_bytes(&catalog, "all"), 23);
        fs::create_dir(folder.path().join("shared")).unwrap();
        fs::write(folder.path().join("shared/one"), "12345").unwrap();
        assert_eq!(installer.missing_bytes(&catalog, "all"), 18);
        assert_eq!(installer.missing_bytes(&catalog, "unknown"), 0);
    }
}
