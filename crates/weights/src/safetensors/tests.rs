use std::fs;
use std::path::Path;

use super::*;
use crate::config::Family;
use crate::error::WeightsError;
use crate::source::TensorSource;
use crate::test_files::{CONFIG, CONFIG_JSON, damage, expect_weights, read_all, safetensors};

fn folder(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), config).unwrap();
    fs::write(folder.path().join("model.safetensors"), safetensors()).unwrap();
    folder
}

fn open(folder: &Path) -> Result<SafetensorsModel, WeightsError> {
    SafetensorsModel::open(folder, Family::Whisper)
}

#[test]
fn a_folder_has_sizes_and_weights() {
    let folder = folder(CONFIG_JSON);
    assert_eq!(family_of_config(folder.path()).unwrap(), Family::Whisper);
    let model = open(folder.path()).unwrap();
    assert_eq!(*model.config(), CONFIG);
    expect_weights(&model);
}

#[test]
fn the_sizes_of_both_published_moonshine_models_are_read() {
    let config = |width: usize, layers: usize, rotary: &str| {
        let text = format!(
            r#"{{"model_type":"moonshine","hidden_size":{width},"intermediate_size":{},"encoder_num_hidden_layers":{layers},
            "decoder_num_hidden_layers":{layers},"encoder_num_attention_heads":8,"decoder_num_attention_heads":8,
            "vocab_size":32768,"max_position_embeddings":194,{rotary}}}"#,
            width * 4
        );
        let folder = folder(&text);
        assert_eq!(family_of_config(folder.path()).unwrap(), Family::Moonshine);
        config::read_config(folder.path(), Family::Moonshine)
    };
    let tiny = config(288, 6, r#""partial_rotary_factor":0.9,"rope_theta":10000.0"#).unwrap();
    assert_eq!((tiny.head_width, tiny.rotary_width, tiny.rotary_base), (36, 32, 10_000.0));
    let base =
        config(416, 8, r#""rope_parameters":{"partial_rotary_factor":0.62,"rope_theta":10000.0}"#).unwrap();
    assert_eq!((base.head_width, base.rotary_width, base.text_positions), (52, 32, 194));
    let other = config(288, 6, r#""decoder_hidden_act":"relu""#).unwrap_err().to_string();
    assert!(other.contains("`decoder_hidden_act` is `relu`"), "{other}");
    assert!(config(290, 6, r#""rope_theta":1.0"#).is_err());
}

#[test]
fn names_without_a_prefix_and_a_tied_output_product_are_found() {
    let file = String::from_utf8_lossy(&safetensors()[..]).into_owned();
    // Names of the same length keep the positions.
    assert!(file.contains("model.decoder.embed_tokens.weight"));
    let mut bytes = safetensors();
    rename(&mut bytes, "model.decoder.embed_tokens.weight", "proj_out.weight");
    rename(&mut bytes, "model.encoder.conv1.weight", "encoder.conv1.weight");
    let folder = folder(CONFIG_JSON);
    fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
    expect_weights(&open(folder.path()).unwrap());
}

/// Replaces a name in the header.
fn rename(file: &mut Vec<u8>, from: &str, to: &str) {
    let length = u64::from_le_bytes(*file.first_chunk().unwrap()) as usize;
    let header = String::from_utf8(file[8..8 + length].to_vec()).unwrap();
    let header = header.replace(&format!("\"{from}\""), &format!("\"{to}\""));
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend(header.as_bytes());
    changed.extend(&file[8 + length..]);
    *file = changed;
}

#[test]
fn a_damaged_file_gives_an_error_or_a_model_but_never_panics() {
    let mut complete = 0;
    damage(&safetensors(), 3_000, |bytes| {
        if let Ok(file) = SafetensorsFile::from_bytes(bytes) {
            complete += usize::from(file.floats("model.encoder.layer_norm.bias").is_ok());
        }
    });
    assert!(complete > 100, "{complete}");
}

#[test]
fn claims_that_the_file_does_not_keep_are_refused() {
    let read = |header: &str, length: u64, data: usize| {
        let mut file = length.to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(vec![0; data]);
        SafetensorsFile::from_bytes(file).map(|_| ()).map_err(|error| error.to_string())
    };
    let entry = |shape: &str, offsets: &str| {
        format!(r#"{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}}}"#)
    };
    let whole = |header: &str| read(header, header.len() as u64, 16);
    assert_eq!(whole(&entry("[2,2]", "[0,16]")), Ok(()));
    for (header, text) in [
        (entry("[2,3]", "[0,16]"), "needs 24 bytes and has 16"),
        (entry("[2,3]", "[0,24]"), "are not in the file"),
        (entry("[2,2]", "[16,0]"), "are not in the file"),
        (entry("[-1,2]", "[0,16]"), "header cannot be read"),
        (entry("[18446744073709551615,2]", "[0,16]"), "needs more bytes"),
        (entry("[2,2]", "[0,18446744073709551615]"), "are not in the file"),
        (
            r#"{"a":{"dtype":"F8_E4M3","shape":[16],"data_offsets":[0,16]}}"#.to_owned(),
            "its type is `F8_E4M3`",
        ),
        (r#"{"a":1}"#.to_owned(), "header cannot be read"),
        ("[[[[".to_owned(), "header cannot be read"),
    ] {
        let error = whole(&header).unwrap_err();
        assert!(error.contains(text), "{error}");
    }
    let twice = entry("[2,2]", "[0,16]");
    let twice = format!("{},{}", &twice[..twice.len() - 1], &twice[1..]);
    assert!(whole(&twice).unwrap_err().contains("listed twice"));
    for length in [u64::MAX, u64::MAX - 7, 1 << 40, 100_000_001, 1_000] {
        assert!(read("{}", length, 0).unwrap_err().contains("does not fit"));
    }
}

#[test]
fn several_files_are_read_by_their_index_and_only_from_the_folder() {
    let folder = folder(CONFIG_JSON);
    let path = |name: &str| folder.path().join(name);
    fs::rename(path("model.safetensors"), path("one.safetensors")).unwrap();
    let index = path("model.safetensors.index.json");
    fs::write(&index, r#"{"metadata":{},"weight_map":{"a":"one.safetensors","b":"one.safetensors"}}"#)
        .unwrap();
    expect_weights(&open(folder.path()).unwrap());
    for name in ["../one.safetensors", "/one.safetensors", "a\\\\one.safetensors", "..", ".", ""] {
        fs::write(&index, format!(r#"{{"weight_map":{{"a":"{name}"}}}}"#)).unwrap();
        let error = open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("names the file `{}`", name.replace("\\\\", "\\"))), "{error}");
    }
    fs::write(&index, r#"{"weight_map":{"a":"none.safetensors"}}"#).unwrap();
    assert!(matches!(open(folder.path()), Err(WeightsError::Io { .. })));
}

#[test]
fn a_config_of_another_kind_or_with_absurd_sizes_is_refused() {
    let error = |from: &str, to: &str| {
        let folder = folder(&CONFIG_JSON.replace(from, to));
        let family = family_of_config(folder.path());
        let model = open(folder.path()).and_then(|model| read_all(&model, model.config()));
        family.map(|_| ()).and(model.map(|_| ())).unwrap_err().to_string()
    };
    assert!(error("whisper", "bert").contains("`bert`"));
    assert!(error("gelu", "relu").contains("`activation_function` is `relu`"));
    assert!(error(r#""encoder_attention_heads":1"#, r#""encoder_attention_heads":0"#).contains("heads"));
    assert!(error("\"d_model\":64", "\"d_model\":1000000").contains("the width is 1000000"));
    assert!(error("\"d_model\":64", "\"d_model\":65").contains("needs [65, 2, 3]"));
    assert!(error("\"encoder_layers\":1", "\"encoder_layers\":2").contains("encoder.blocks.1"));
    assert!(error("{", "").contains("config.json"));
}
