//! One model in every format: the converter writes whisper-tiny as GGML and as safetensors, and all of them give nearly
//! the same products.

use std::path::Path;

use crate::support::{WHISPER_TINY, WHISPER_TOKENIZER, folder};
use auris_engine_testing::asset;
use auris_engine_testing::weight_files::{
    FloatType, GgmlType, read_vocabulary, write_ggml, write_safetensors,
};
use auris_weights::{
    CopyPolicy, Family, GgmlFile, ModelConfig, ModelFiles, TensorSource, inspect, open_model, open_source,
};

/// The last one is the only one whose rows are whole blocks of the K types.
const PRODUCTS: [&str; 4] = [
    "decoder.token_embedding.weight",
    "encoder.blocks.2.mlp.0.weight",
    "decoder.blocks.3.cross_attn.key.weight",
    "encoder.blocks.1.mlp.2.weight",
];
/// The largest difference: half a step of our own 8 bits, and half a step of those of the file, or a whole one where the
/// numbers of a block reach farther below zero than above. The K types also round their scales.
const BLOCKS: [(GgmlType, f32); 11] = [
    (GgmlType::F16, 0.005),
    (GgmlType::Q8_0, 0.009),
    (GgmlType::Q5_1, 0.04),
    (GgmlType::Q5_0, 0.07),
    (GgmlType::Q4_1, 0.08),
    (GgmlType::Q4_0, 0.14),
    (GgmlType::Q6K, 0.03),
    (GgmlType::Q5K, 0.04),
    (GgmlType::Q4K, 0.08),
    (GgmlType::Q3K, 0.3),
    (GgmlType::Q2K, 0.4),
];

fn source() -> (Box<dyn TensorSource>, ModelConfig) {
    let folder = folder(&WHISPER_TINY);
    open_source(&ModelFiles::find(folder.path()).unwrap(), Family::Whisper).unwrap()
}

/// The largest part that any weight of a row differs by, as a part of the row's largest weight.
fn difference(original: &dyn TensorSource, folder: &Path) -> f32 {
    let mut parts = open_model(folder, Family::Whisper, CopyPolicy::Ignore).unwrap();
    let mut worst = 0f32;
    for name in PRODUCTS {
        let product = parts.linear(&[name], &[None]).unwrap();
        let expected = original.floats(name).unwrap();
        let mut row = vec![0.0; product.inputs()];
        for (output, expected) in expected.chunks_exact(row.len()).enumerate().step_by(7) {
            product.row(output, &mut row);
            let largest = expected.iter().fold(1e-9f32, |largest, weight| largest.max(weight.abs()));
            let differences = row.iter().zip(expected).map(|(one, other)| (one - other).abs() / largest);
            worst = differences.fold(worst, f32::max);
        }
    }
    let norm = "decoder.blocks.0.cross_attn_ln.bias";
    assert!(
        parts
            .floats(norm)
            .unwrap()
            .iter()
            .zip(original.floats(norm).unwrap())
            .all(|(one, other)| (one - other).abs() < 0.01)
    );
    worst
}

#[test]
fn a_model_is_the_same_in_every_format_as_far_as_its_numbers_go() {
    let (source, config) = source();
    let tokens = read_vocabulary(&asset(WHISPER_TOKENIZER));
    for (kind, limit) in BLOCKS {
        let folder = tempfile::tempdir().unwrap();
        write_ggml(&folder.path().join("ggml-tiny.bin"), (&*source, &config), kind, &tokens);
        assert_eq!(inspect(folder.path()).unwrap(), config, "{kind:?}");
        let worst = difference(&*source, folder.path());
        assert!(worst < limit, "{kind:?}: {worst}");
        // Not much finer either: the products really have this type.
        assert!(worst > limit / 4.0, "{kind:?}: {worst}");
    }
    for (kind, files, limit) in
        [(FloatType::F32, 1, 0.005), (FloatType::F16, 2, 0.005), (FloatType::Bf16, 1, 0.009)]
    {
        let folder = tempfile::tempdir().unwrap();
        write_safetensors(folder.path(), (&*source, &config), kind, files);
        assert_eq!(inspect(folder.path()).unwrap(), config, "{kind:?}");
        let worst = difference(&*source, folder.path());
        assert!(worst < limit, "{kind:?}: {worst}");
    }
}

#[test]
fn the_tokens_of_a_tokenizer_come_back_from_a_ggml_file() {
    let (source, config) = source();
    let tokens = read_vocabulary(&asset(WHISPER_TOKENIZER));
    assert_eq!((tokens.len(), &tokens[220][..], &tokens[264][..]), (50_257, &b" "[..], &b" the"[..]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ggml-tiny.bin");
    write_ggml(&path, (&*source, &config), GgmlType::F16, &tokens);
    let file = GgmlFile::open(&path).unwrap();
    assert_eq!(file.vocabulary(), tokens);
    let filters = file.mel_filters();
    assert_eq!(filters.len(), 80 * 201);
    // Every band hears something, and the filters of a band have one peak.
    assert!(filters.chunks(201).all(|band| band.iter().any(|weight| *weight > 0.0)));
}
