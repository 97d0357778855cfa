//! The catalogue of a running process follows `local.toml`.

use std::fs;

use auris_models::{Catalog, LiveCatalog};

use crate::machine::{ENGLISH, MULTILINGUAL, Machine, ggml};

#[test]
fn added_changed_and_removed_models_are_seen_at_once() {
    let machine = Machine::new();
    let live = LiveCatalog::new(Catalog::built_in().unwrap(), machine.models_dir());
    let before = live.snapshot().catalog;
    assert!(before.find("calls").is_none());

    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let added = machine.add(&path, Some("calls")).unwrap();
    let snapshot = live.snapshot();
    assert!(snapshot.catalog.find("calls").is_some_and(|entry| entry.local));
    assert!(snapshot.replaced.is_empty(), "{:?}", snapshot.replaced);
    // Callers that hold the old snapshot keep it.
    assert!(before.find("calls").is_none());

    machine.installer.remove(&added).unwrap();
    let path = machine.file("ggml-x.bin", &ggml(ENGLISH));
    machine.add(&path, Some("calls")).unwrap();
    assert_eq!(live.snapshot().replaced, ["calls"], "the files are other ones");
    assert!(live.snapshot().replaced.is_empty());

    machine.installer.remove(&added).unwrap();
    let snapshot = live.snapshot();
    assert!(snapshot.catalog.find("calls").is_none());
    assert_eq!(snapshot.replaced, ["calls"]);
}

#[test]
fn an_invalid_file_changes_nothing_until_it_is_corrected() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    machine.add(&path, Some("calls")).unwrap();
    let local = machine.models_dir().join("local.toml");
    let valid = fs::read_to_string(&local).unwrap();
    let live = LiveCatalog::new(Catalog::built_in().unwrap(), machine.models_dir());
    fs::write(&local, "[[models]]\nid = 7\n").unwrap();
    assert!(live.snapshot().catalog.find("calls").is_some());
    fs::write(&local, valid.replace("Whisper calls", "Ours")).unwrap();
    let snapshot = live.snapshot();
    assert_eq!(snapshot.catalog.find("calls").unwrap().model.display_name, "Ours");
    assert!(snapshot.replaced.is_empty(), "a new name needs no reload");
}

#[test]
fn a_model_with_another_beam_is_loaded_again() {
    let machine = Machine::new();
    machine.add(&machine.file("ggml-x.bin", &ggml(MULTILINGUAL)), Some("calls")).unwrap();
    let live = LiveCatalog::new(Catalog::built_in().unwrap(), machine.models_dir());
    let local = machine.models_dir().join("local.toml");
    let text = fs::read_to_string(&local).unwrap();
    fs::write(&local, text.replace("engine = ", "beam = 5\nengine = ")).unwrap();
    let snapshot = live.snapshot();
    assert_eq!(snapshot.catalog.find("calls").unwrap().beam.width, 5);
    assert_eq!(snapshot.replaced, ["calls"]);
}
