//! The published files of the catalogue: sizes, shapes and values of their weights.

use crate::support::{MOONSHINE_BASE, MOONSHINE_TINY, WHISPER_TINY, folder};
use auris_kernels::Linear;
use auris_weights::{
    CopyPolicy, Family, ModelConfig, ModelFiles, ModelParts, OnnxFile, expected_tensors, inspect, open_model,
    open_source, packed_copy_path,
};

#[test]
fn the_sizes_of_the_published_models_are_read_from_their_shapes() {
    let moonshine_tiny = ModelConfig {
        family: Family::Moonshine,
        width: 288,
        encoder_layers: 6,
        decoder_layers: 6,
        heads: 8,
        head_width: 36,
        encoder_feed_forward: 1_152,
        decoder_feed_forward: 1_152,
        mel_bins: 0,
        vocabulary: 32_768,
        audio_positions: 0,
        text_positions: 0,
        rotary_width: 32,
        rotary_base: 10_000.0,
    };
    let moonshine_base = ModelConfig {
        width: 416,
        encoder_layers: 8,
        decoder_layers: 8,
        head_width: 52,
        encoder_feed_forward: 1_664,
        decoder_feed_forward: 1_664,
        ..moonshine_tiny
    };
    let whisper_tiny = ModelConfig {
        family: Family::Whisper,
        width: 384,
        encoder_layers: 4,
        decoder_layers: 4,
        heads: 6,
        head_width: 64,
        encoder_feed_forward: 1_536,
        decoder_feed_forward: 1_536,
        mel_bins: 80,
        vocabulary: 51_865,
        audio_positions: 1_500,
        text_positions: 448,
        rotary_width: 0,
        rotary_base: 0.0,
    };
    assert_eq!(inspect(folder(&MOONSHINE_TINY).path()).unwrap(), moonshine_tiny);
    assert_eq!(inspect(folder(&MOONSHINE_BASE).path()).unwrap(), moonshine_base);
    assert_eq!(inspect(folder(&WHISPER_TINY).path()).unwrap(), whisper_tiny);
}

#[test]
fn every_weight_of_the_published_models_is_finite_and_small() {
    for (files, family) in [(MOONSHINE_TINY, Family::Moonshine), (WHISPER_TINY, Family::Whisper)] {
        let folder = folder(&files);
        let (source, config) = open_source(&ModelFiles::find(folder.path()).unwrap(), family).unwrap();
        for tensor in expected_tensors(&config).iter().filter(|tensor| source.contains(&tensor.name)) {
            let floats = source.floats(&tensor.name).unwrap();
            assert_eq!(floats.len(), tensor.shape.iter().product::<usize>(), "{}", tensor.name);
            assert!(floats.iter().all(|float| float.abs() < 200.0), "{}", tensor.name);
            assert!(floats.iter().any(|float| *float != 0.0), "{}", tensor.name);
            if let [outputs, inputs] = tensor.shape[..] {
                let matrix = source.matrix(&tensor.name).unwrap();
                assert_eq!((matrix.outputs(), matrix.inputs()), (outputs, inputs));
                assert_eq!(matrix.floats(), floats, "{}", tensor.name);
            }
        }
    }
}

/// A part of every kind.
fn load(parts: &mut dyn ModelParts) -> (Vec<Linear>, Vec<f32>) {
    let name = |part: &str| format!("model.decoder.layers.3.{part}");
    let joined = ["self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"].map(name);
    let joined = joined.each_ref().map(String::as_str);
    let up = (name("mlp.fc1.weight"), name("mlp.fc1.bias"));
    let linears = vec![
        parts.linear(&joined, &[None; 3]).unwrap(),
        parts.linear(&[&up.0], &[Some(&up.1)]).unwrap(),
        parts.linear(&["model.decoder.embed_tokens.weight"], &[None]).unwrap(),
        parts.linear(&["model.encoder.conv2.weight"], &[Some("model.encoder.conv2.bias")]).unwrap(),
    ];
    (linears, parts.floats("model.encoder.groupnorm.bias").unwrap())
}

#[test]
fn the_copy_of_a_published_model_is_the_same_to_the_last_bit() {
    let folder = folder(&MOONSHINE_TINY);
    let open = |policy: CopyPolicy| open_model(folder.path(), Family::Moonshine, policy).unwrap();
    let expected = load(&mut *open(CopyPolicy::Ignore));
    let written = load(&mut *open(CopyPolicy::Use));
    assert!(packed_copy_path(folder.path()).exists());
    let mapped = load(&mut *open(CopyPolicy::Use));
    for other in [written, mapped] {
        assert_eq!(expected.1, other.1);
        for (one, other) in expected.0.iter().zip(&other.0) {
            let (one, other) = (one.packed(), other.packed());
            assert!(one.weights == other.weights && one.offsets == other.offsets);
            assert!(one.scales == other.scales && one.bias == other.bias);
        }
    }
    let (outputs, inputs) = (expected.0[1].outputs(), expected.0[1].inputs());
    assert_eq!((outputs, inputs), (2 * 1_152, 288));
    assert_eq!((expected.0[3].outputs(), expected.0[3].inputs()), (2 * 288, 7 * 288));
}

#[test]
fn rows_of_a_quantized_table_are_the_numbers_of_the_file() {
    let folder = folder(&WHISPER_TINY);
    let mut parts = open_model(folder.path(), Family::Whisper, CopyPolicy::Ignore).unwrap();
    let table = parts.linear(&["decoder.token_embedding.weight"], &[None]).unwrap();
    let floats = parts.floats("decoder.token_embedding.weight").unwrap();
    let mut row = vec![0.0; table.inputs()];
    for token in [0, 1, 15, 16, 255, 256, 50_257, 51_864] {
        table.row(token, &mut row);
        let expected = &floats[token * row.len()..(token + 1) * row.len()];
        // Integers are kept, except in rows whose zero point makes them too large.
        let largest = expected.iter().fold(0f32, |largest, weight| largest.max(weight.abs()));
        assert!(row.iter().zip(expected).all(|(one, other)| (one - other).abs() <= largest / 127.0));
    }
}

#[test]
fn the_built_in_nets_are_read_by_name_and_by_place() {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/");
    let open = |name: &str| OnnxFile::open((models.to_owned() + name).as_ref()).unwrap();
    let voice = open("silero_vad_16k_sequence.onnx");
    assert_eq!(voice.shape("encoder.0.weight").unwrap(), [128, 129, 3]);
    let lstm = voice.nodes().iter().find(|node| node.operator == "LSTM").unwrap();
    assert_eq!(voice.shape(&lstm.inputs[1]).unwrap(), [1, 512, 128]);
    assert_eq!(lstm.integer("hidden_size"), Some(128));
    let segmentation = open("pyannote_segmentation_3_0.onnx");
    assert_eq!(segmentation.nodes().iter().filter(|node| node.operator == "LSTM").count(), 4);
    assert_eq!(segmentation.floats("sincnet.conv1d.1.bias").unwrap().len(), 60);
    let voices = open("campplus_zh_en_16k_common_advanced.onnx");
    let first = voices.nodes().iter().find(|node| node.operator == "Conv").unwrap();
    assert!(first.integers("kernel_shape").is_some() && voices.contains(&first.inputs[1]));
}
