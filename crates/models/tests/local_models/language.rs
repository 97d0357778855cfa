//! Language models from GGUF files of the operator.

use std::fs;

use auris_domain::model::{Capability, Rate};
use auris_engine_testing::asset;
use auris_models::install::{UnitPrices, is_installed};
use auris_models::{Catalog, EngineKind, LiveCatalog};

use crate::gguf_file::GgufFile;
use crate::machine::{MULTILINGUAL, Machine, ggml};

const SMOLLM2: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// What the language model in the built-in catalogue does, at these prices.
fn rates_of_the_catalogue(input: &str, output: &str) -> Vec<Rate> {
    let catalog = Catalog::built_in().unwrap();
    let mut rates = catalog.find("smollm2-135m-instruct").unwrap().model.capabilities.clone();
    for pair in rates.chunks_exact_mut(2) {
        pair[0].price_per_unit_usd = input.parse().unwrap();
        pair[1].price_per_unit_usd = output.parse().unwrap();
    }
    rates
}

#[test]
fn a_language_model_does_what_those_of_the_catalogue_do_until_it_is_removed() {
    let machine = Machine::new();
    let added = machine.add(&machine.file("Qwen3-Tiny-Q4_K_M.gguf", &GgufFile::new().bytes()), None).unwrap();
    assert_eq!((added.model.id.as_str(), added.engine), ("qwen3-tiny-q4-k-m", EngineKind::Gguf));

    let catalog = machine.catalog();
    let entry = catalog.find("qwen3-tiny-q4-k-m").unwrap();
    assert!(entry.local && entry.languages.is_empty() && is_installed(machine.models_dir(), entry));
    assert_eq!((entry.model.display_name.as_str(), entry.engine), ("Qwen3 Tiny", EngineKind::Gguf));
    assert_eq!(entry.model.capabilities, rates_of_the_catalogue("0", "0"));
    assert_eq!(entry.files[0].name, "Qwen3-Tiny-Q4_K_M.gguf");
    assert!(machine.installer.verify(entry).is_empty());
    fs::write(machine.models_dir().join("qwen3-tiny-q4-k-m/Qwen3-Tiny-Q4_K_M.gguf"), "x").unwrap();
    assert_eq!(machine.installer.verify(entry), ["Qwen3-Tiny-Q4_K_M.gguf"]);

    assert!(machine.installer.remove(entry).unwrap());
    assert!(machine.catalog().find("qwen3-tiny-q4-k-m").is_none());
    assert_eq!(machine.contents(), ["local.toml"]);
}

#[test]
fn a_published_file_is_accepted_without_the_right_name() {
    let machine = Machine::new();
    // Assets are named by their SHA-256, as files of Ollama are.
    let path = machine.file("blobs/notes", b"");
    let blob = path.with_file_name(format!("sha256-{SMOLLM2}"));
    std::os::unix::fs::symlink(asset(SMOLLM2), &blob).unwrap();
    let added = machine.add(&blob, None).unwrap();
    assert_eq!(added.model.id, "smollm2-135m-8k-lc100k-mix1-ep2");
    assert_eq!(added.model.display_name, "Smollm2 135M 8k Lc100K Mix1 Ep2");
    assert_eq!((added.files[0].name.as_str(), added.files[0].sha256.as_str()), ("model.gguf", SMOLLM2));
}

#[test]
fn a_name_that_is_not_for_people_is_replaced_by_the_id() {
    let machine = Machine::new();
    let file = GgufFile::new().with("general.name", "/raid/models/qwen3");
    let added = machine.add(&machine.file("notes.gguf", &file.bytes()), None).unwrap();
    assert_eq!(added.model.display_name, "notes");
    let file = file.without("general.name");
    let added = machine.add(&machine.file("notes.gguf", &file.bytes()), Some("calls")).unwrap();
    assert_eq!(added.model.display_name, "calls");
}

#[test]
fn a_file_that_cannot_run_leaves_nothing_behind_and_the_error_says_why() {
    let machine = Machine::new();
    let whole = GgufFile::new().bytes();
    let template = "tokenizer.chat_template";
    for (bytes, said) in [
        (
            GgufFile::new().with("general.architecture", "mamba").bytes(),
            "`mamba`; supported are llama, qwen2",
        ),
        (GgufFile::new().without("general.architecture").bytes(), "architecture `unknown`"),
        (GgufFile::new().with("tokenizer.ggml.model", "llama").bytes(), "tokenizer of the kind `llama`"),
        (GgufFile::new().without("tokenizer.ggml.model").bytes(), "tokenizer of the kind `unknown`"),
        (GgufFile::new().without(template).bytes(), "no chat template"),
        (GgufFile::new().with(template, " ").bytes(), "often named `Instruct`"),
        (GgufFile::new().split(3).bytes(), "one of 3 parts"),
        (whole[..whole.len() - 1].to_vec(), "download it again"),
        (whole[..60].to_vec(), "ends too early"),
        (b"GGUF\x03\0\0\0".to_vec(), "ends too early"),
        (b"GGUF\x01\0\0\0".to_vec(), "version is 1"),
    ] {
        let error = machine.add(&machine.file("notes.gguf", &bytes), None).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("notes.gguf"), "{said}: {error}");
        assert!(machine.contents().is_empty(), "{:?}", machine.contents());
    }
    machine.add(&machine.file("notes.gguf", &GgufFile::new().split(1).bytes()), None).unwrap();
}

#[test]
fn prices_are_for_tokens_and_are_kept() {
    let machine = Machine::new();
    let path = machine.file("notes.gguf", &GgufFile::new().bytes());
    let prices = UnitPrices {
        input_token: "0.0000000001".parse().ok(),
        output_token: "0.000002".parse().ok(),
        ..UnitPrices::default()
    };
    machine.add_priced(&path, prices).unwrap();
    let catalog = machine.catalog();
    let found = &catalog.find("notes").unwrap().model;
    assert_eq!(found.capabilities, rates_of_the_catalogue("0.0000000001", "0.000002"));
    machine.installer.remove(catalog.find("notes").unwrap()).unwrap();
    machine.add_priced(&path, UnitPrices { output_token: None, ..prices }).unwrap();
    let rates = machine.catalog().find("notes").unwrap().model.rates(Capability::Task);
    let prices: Vec<String> = rates.iter().map(|rate| rate.price_per_unit_usd.to_string()).collect();
    assert_eq!(prices, ["0.0000000001", "0"]);
}

#[test]
fn a_price_for_another_kind_of_model_is_refused_with_the_right_option() {
    let machine = Machine::new();
    let language = machine.file("notes.gguf", &GgufFile::new().bytes());
    let speech = machine.file("ggml-x.bin", &ggml(MULTILINGUAL));
    let price = "0.1".parse().ok();
    let audio = UnitPrices { audio_second: price, ..UnitPrices::default() };
    let input = UnitPrices { input_token: price, ..UnitPrices::default() };
    let output = UnitPrices { output_token: price, ..UnitPrices::default() };
    for (path, prices, said) in [
        (&language, audio, "use `--input-price` and `--output-price`"),
        (&speech, input, "use `--price`"),
        (&speech, output, "use `--price`"),
    ] {
        let error = machine.add_priced(path, prices).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert!(machine.contents().is_empty());
    }
}

#[test]
fn a_running_process_uses_an_added_language_model_and_notices_another_file() {
    let machine = Machine::new();
    let live = LiveCatalog::new(Catalog::built_in().unwrap(), machine.models_dir());
    let added = machine.add(&machine.file("notes.gguf", &GgufFile::new().bytes()), None).unwrap();
    let snapshot = live.snapshot();
    let found = snapshot.catalog.find("notes").unwrap();
    assert!(found.model.can(Capability::Task) && snapshot.replaced.is_empty());
    machine.installer.remove(&added).unwrap();
    let other = GgufFile::new().with("general.name", "Qwen3 Other").bytes();
    machine.add(&machine.file("notes.gguf", &other), None).unwrap();
    assert_eq!(live.snapshot().replaced, ["notes"]);
}

#[test]
fn a_language_model_that_cannot_answer_is_not_added() {
    let machine = Machine::new();
    let path = machine.file("notes.gguf", &GgufFile::new().bytes());
    let outcome = Err("it has no tensor `output_norm.weight`".to_owned());
    let error = machine.add_to(&machine.catalog(), &path, None, outcome).unwrap_err().to_string();
    assert!(error.contains("output_norm.weight") && error.contains("not added"), "{error}");
    assert!(machine.contents().is_empty());
}
