//! Models from files of the operator: checked, copied, entered into the local catalogue, and removed again.

use std::fs;
use std::path::Path;

use auris_domain::model::{Capability, NativeUnit};
use auris_engine_core::Ignore;
use auris_models::install::{PackedCopyState, UnitPrices, is_installed, is_verifiable};
use auris_models::{EngineKind, ModelFile};
use auris_weights::{CopyPolicy, Family, open_model, packed_copy_path};
use sha2::{Digest, Sha256};

use crate::machine::{ENGLISH, LARGE_V3, MULTILINGUAL, Machine, distilled_ggml, ggml};

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[test]
fn a_file_is_copied_and_listed_until_it_is_removed() {
    let machine = Machine::new();
    let bytes = ggml(MULTILINGUAL);
    let path = machine.file("ggml-our-calls.bin", &bytes);
    let added = machine.add(&path, None).unwrap();
    assert_eq!((added.model.id.as_str(), added.engine), ("whisper-our-calls", EngineKind::Whisper));
    // The operator may change the file afterwards.
    fs::write(&path, "other").unwrap();

    let catalog = machine.catalog();
    let entry = catalog.find("whisper-our-calls").unwrap();
    assert!(entry.local && entry.languages.is_empty() && is_installed(machine.models_dir(), entry));
    assert_eq!(entry.model.display_name, "Whisper our-calls");
    let [rate] = entry.model.capabilities.as_slice() else { panic!("{:?}", entry.model.capabilities) };
    let found = (rate.capability, rate.native_unit, rate.price_per_unit_usd.to_string());
    assert_eq!(found, (Capability::Transcription, NativeUnit::AudioSecond, "0".to_owned()));
    let name = "ggml-our-calls.bin".to_owned();
    let file = ModelFile { name, sha256: sha256(&bytes), bytes: bytes.len() as u64, sources: Vec::new() };
    assert_eq!(entry.files, [file]);
    assert!(machine.installer.verify(entry).is_empty());

    assert!(machine.installer.remove(entry).unwrap());
    assert!(machine.catalog().find("whisper-our-calls").is_none());
    assert_eq!(machine.contents(), ["local.toml"]);
}

#[test]
fn a_file_with_an_unusual_name_gets_one_that_is_found() {
    let machine = Machine::new();
    for (index, name) in [".hidden.bin", "model.ggml", "a\\b.bin"].iter().enumerate() {
        let id = format!("calls-{index}");
        let added = machine.add(&machine.file(name, &ggml(MULTILINGUAL)), Some(&id)).unwrap();
        assert_eq!(added.files[0].name, "ggml-model.bin");
        assert!(machine.catalog().find(&id).is_some(), "{name}");
    }
}

#[test]
fn an_english_vocabulary_knows_only_english() {
    let machine = Machine::new();
    let path = machine.file("ggml-tiny.en.bin", &ggml(ENGLISH));
    let added = machine.add(&path, Some("calls")).unwrap();
    assert_eq!((added.model.id.as_str(), added.languages.as_slice()), ("calls", &["en".to_owned()][..]));
    assert!(machine.catalog().find("calls").unwrap().knows_language("en"));
}

#[test]
fn a_large_or_distilled_model_knows_all_languages() {
    let machine = Machine::new();
    for (name, bytes) in [("ggml-large-v3.bin", ggml(LARGE_V3)), ("ggml-distil.bin", distilled_ggml())] {
        let added = machine.add(&machine.file(name, &bytes), Some(name)).unwrap();
        assert!(added.languages.is_empty() && added.knows_language("de") && added.knows_language("yue"));
    }
}

#[test]
fn a_model_that_was_added_cannot_be_pulled() {
    let machine = Machine::new();
    machine.add(&machine.file("ggml-x.bin", &ggml(MULTILINGUAL)), Some("calls")).unwrap();
    let error = machine.installer.pull(&machine.catalog(), "calls", &mut Ignore).unwrap_err().to_string();
    assert!(
        error.contains("added from a file") && error.contains("auris models add FILE --id calls"),
        "{error}"
    );
}

#[test]
fn a_wrong_file_leaves_nothing_behind_and_the_error_says_what_is_wrong() {
    let whole = ggml(MULTILINGUAL);
    let machine = Machine::new();
    let weights = machine.file("other/model.safetensors", &[0; 8]);
    machine.file("other/config.json", br#"{"model_type": "wav2vec2"}"#);
    let without_config = machine.file("bare/model.safetensors", &[0; 8]);
    let without_tokenizer = machine.file("mute/model.safetensors", &[0; 8]);
    machine.file("mute/config.json", br#"{"model_type": "whisper"}"#);
    let onnx = machine.file("onnx/encoder_model.onnx", b"");
    machine.file("onnx/decoder_model_merged.onnx", b"");
    let folder = |file: &Path| file.parent().unwrap().to_owned();
    for (path, said) in [
        (machine.models_dir().join("missing.bin"), "missing.bin"),
        (machine.file("notes.txt", b"not a model"), "a `ggml-*.bin` file of whisper.cpp"),
        (machine.file("notes.md", b"not a model"), "a GGUF file with a language model"),
        (machine.file("ggml-cut.bin", &whole[..whole.len() - 7]), "download or convert it again"),
        (machine.file("ggml-head.bin", &whole[..60]), "it ends too early"),
        (folder(&without_config), "config.json"),
        (folder(&without_tokenizer), "tokenizer.json` is missing"),
        (folder(&weights), "`wav2vec2`"),
        (weights, "as a folder"),
        (folder(&onnx), "ONNX"),
    ] {
        let error = machine.add(&path, Some("calls")).unwrap_err().to_string();
        assert!(error.contains(said), "{}: {error}", path.display());
        assert!(machine.contents().is_empty(), "{:?}", machine.contents());
    }
}

#[test]
fn a_file_without_a_tensor_is_refused_with_its_name() {
    let machine = Machine::new();
    let mut bytes = ggml(MULTILINGUAL);
    let name = b"decoder.ln.bias";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    bytes[at..at + name.len()].copy_from_slice(b"decoder.ln.cias");
    let error = machine.add(&machine.file("ggml-x.bin", &bytes), None).unwrap_err().to_string();
    assert!(error.contains("decoder.ln.bias"), "{error}");
}

#[test]
fn a_model_that_cannot_be_run_is_not_added() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let error =
        machine.add_to(&machine.catalog(), &path, None, Err("out of tune".into())).unwrap_err().to_string();
    assert!(error.contains("out of tune") && error.contains("not added"), "{error}");
    assert!(machine.contents().is_empty());
    machine.add(&path, None).unwrap();
}

#[test]
fn a_cancelled_addition_leaves_nothing_behind() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    for early in [true, false] {
        let error = machine.add_cancelled(&path, early).to_string();
        assert!(error.contains("cancelled"), "{error}");
        assert!(machine.contents().is_empty(), "{:?}", machine.contents());
    }
}

#[test]
fn what_a_killed_process_has_left_is_deleted_by_the_next_addition() {
    let machine = Machine::new();
    let leftover = machine.models_dir().join(".old.adding/old");
    fs::create_dir_all(&leftover).unwrap();
    fs::write(leftover.join("ggml-old.bin"), "half").unwrap();
    fs::write(machine.models_dir().join(".old.lock"), "").unwrap();
    // Another process is still adding this one.
    fs::create_dir_all(machine.models_dir().join(".new.adding/new")).unwrap();
    let lock = fs::File::create(machine.models_dir().join(".new.lock")).unwrap();
    lock.lock().unwrap();
    machine.add(&machine.file("ggml-x.bin", &ggml(MULTILINGUAL)), Some("calls")).unwrap();
    assert_eq!(machine.contents(), [".new.adding", "calls", "local.toml"]);
}

#[test]
fn links_are_followed_to_the_file_and_the_copy_is_a_file() {
    let machine = Machine::new();
    let blob = machine.file("blobs/0123", &ggml(MULTILINGUAL));
    let link = machine.file("snapshot/readme", b"").with_file_name("ggml-linked.bin");
    std::os::unix::fs::symlink(&blob, &link).unwrap();
    let added = machine.add(&link, None).unwrap();
    assert_eq!(added.model.id, "whisper-linked");
    let copy = machine.models_dir().join("whisper-linked/ggml-linked.bin");
    assert!(copy.symlink_metadata().unwrap().is_file());
}

#[test]
fn an_id_is_taken_once() {
    let machine = Machine::new();
    let path = machine.file("ggml-tiny.bin", &ggml(MULTILINGUAL));
    // The catalogue has a model of this name.
    assert_eq!(machine.add(&path, None).unwrap().model.id, "whisper-tiny-local");
    for (id, said) in [
        (None, "already added"),
        (Some("whisper-tiny-local"), "auris models remove whisper-tiny-local"),
        (Some("whisper-tiny"), "auris models pull whisper-tiny"),
        (Some("../calls"), "`../calls`"),
    ] {
        let error = machine.add(&path, id).unwrap_err().to_string();
        assert!(error.contains(said), "{id:?}: {error}");
    }
    assert_eq!(machine.contents(), ["local.toml", "whisper-tiny-local"]);
}

#[test]
fn a_folder_that_is_not_a_model_is_not_overwritten() {
    let machine = Machine::new();
    let photo = machine.models_dir().join("calls/photo.jpg");
    fs::create_dir_all(photo.parent().unwrap()).unwrap();
    fs::write(&photo, "mine").unwrap();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let error = machine.add(&path, Some("calls")).unwrap_err().to_string();
    assert!(error.contains("is not a model"), "{error}");
    assert_eq!(fs::read(photo).unwrap(), b"mine");
}

#[test]
fn a_list_that_cannot_be_changed_is_kept_and_nothing_is_added() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    machine.add(&path, Some("first")).unwrap();
    let catalog = machine.catalog();
    fs::write(machine.models_dir().join("local.toml"), "not a list").unwrap();
    let error = machine.add_to(&catalog, &path, Some("second"), Ok(())).unwrap_err().to_string();
    assert!(error.contains("local.toml") && error.contains("correct or delete it"), "{error}");
    assert_eq!(machine.contents(), ["first", "local.toml"]);
    assert_eq!(fs::read(machine.models_dir().join("local.toml")).unwrap(), b"not a list");
}

#[test]
fn damage_to_the_copy_is_found() {
    let machine = Machine::new();
    let added = machine.add(&machine.file("ggml-x.bin", &ggml(MULTILINGUAL)), Some("calls")).unwrap();
    let copy = machine.models_dir().join("calls/ggml-x.bin");
    let mut bytes = fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&copy, bytes).unwrap();
    assert_eq!(machine.installer.verify(&added), ["ggml-x.bin"]);
    fs::remove_file(copy).unwrap();
    assert!(is_verifiable(machine.models_dir(), &added), "a lost file of the operator is reported");
    assert_eq!(machine.installer.verify(&added), ["ggml-x.bin"]);
}

#[test]
fn a_damaged_packed_copy_is_found_and_deleted() {
    let machine = Machine::new();
    let added = machine.add(&machine.file("ggml-x.bin", &ggml(MULTILINGUAL)), Some("calls")).unwrap();
    let folder = machine.models_dir().join("calls");
    let packed = packed_copy_path(&folder);
    let state = || machine.installer.check_packed_copy(&added);
    assert_eq!(state(), PackedCopyState::Absent);
    drop(open_model(&folder, Family::Whisper, CopyPolicy::Use).unwrap());
    assert_eq!(state(), PackedCopyState::Intact);
    let mut bytes = fs::read(&packed).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&packed, bytes).unwrap();
    assert_eq!(state(), PackedCopyState::Deleted);
    assert!(!packed.exists());
    // What cannot be deleted stays.
    fs::create_dir(&packed).unwrap();
    assert_eq!(state(), PackedCopyState::Damaged);
    assert!(machine.installer.verify(&added).is_empty());
    assert!(machine.installer.remove(&added).unwrap());
    assert_eq!(machine.contents(), ["local.toml"]);
}

#[test]
fn what_the_operator_edited_survives_the_next_model() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    machine.add(&path, Some("first")).unwrap();
    let local = machine.models_dir().join("local.toml");
    let text = fs::read_to_string(&local).unwrap();
    let edited =
        text.replace("display_name = \"Whisper first\"", "display_name = \"Ours\"\nrequired_plan = \"pro\"");
    assert_ne!(edited, text);
    fs::write(&local, edited).unwrap();
    machine.add(&path, Some("second")).unwrap();
    let catalog = machine.catalog();
    let first = &catalog.find("first").unwrap().model;
    assert_eq!((first.display_name.as_str(), first.required_plan.as_deref()), ("Ours", Some("pro")));
    assert!(catalog.find("second").is_some());
}

#[test]
fn additions_at_the_same_time_are_all_listed() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let ids = ["one", "two", "three", "four"];
    std::thread::scope(|scope| {
        let additions: Vec<_> = ids.map(|id| scope.spawn(|| machine.add(&path, Some(id)))).into();
        additions.into_iter().for_each(|addition| drop(addition.join().unwrap().unwrap()));
    });
    let catalog = machine.catalog();
    assert!(ids.iter().all(|id| catalog.find(id).is_some()));
}

#[test]
fn of_additions_with_the_same_id_at_the_same_time_one_succeeds() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let catalog = machine.catalog();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let add = || machine.add_to(&catalog, &path, Some("calls"), Ok(()));
        let additions: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
        additions.into_iter().map(|addition| addition.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for error in outcomes.into_iter().filter_map(Result::err) {
        assert!(error.to_string().contains("already added"), "{error}");
    }
}

#[test]
fn a_price_is_kept() {
    let machine = Machine::new();
    let path = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let prices = UnitPrices { audio_second: "0.0000000001".parse().ok(), ..UnitPrices::default() };
    machine.add_priced(&path, prices).unwrap();
    let catalog = machine.catalog();
    let rates = catalog.find("whisper-x").unwrap().model.rates(Capability::Transcription);
    assert_eq!(
        rates.iter().map(|rate| rate.price_per_unit_usd.to_string()).collect::<Vec<_>>(),
        ["0.0000000001"]
    );
}
