//! Compares the filterbanks and the models with other programs. `scripts/diarize-reference` computes their figures.

use auris_audio::{AudioSource, AudioStream};
use auris_engine_testing::asset;
use serde_json::Value;

use super::embedding::EmbeddingNet;
use super::fbank::{BINS, filterbanks};
use super::segmentation::{FRAMES, SegmentationNet, WINDOW};

const TOLERANCE: f32 = 1e-3;

fn reference() -> Value {
    serde_json::from_str(include_str!("../../engine-testing/data/diarize.json")).unwrap()
}

/// The first ten seconds of the recording that the figures are for.
fn window(reference: &Value) -> Vec<f32> {
    let path = asset(reference["recording"].as_str().unwrap());
    let mut stream = AudioStream::open(&AudioSource::new(path, 60.0)).unwrap();
    let mut samples = Vec::new();
    while let Some(block) = stream.next_block().unwrap() {
        samples.extend(block);
    }
    samples.truncate(WINDOW);
    samples
}

fn rows(value: &Value) -> Vec<Vec<f32>> {
    value.as_array().unwrap().iter().map(row).collect()
}

fn row(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

fn assert_same(what: &str, ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let difference = ours.iter().zip(theirs).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
    assert!(difference < TOLERANCE, "{what}: the largest difference is {difference}");
}

#[test]
fn filterbanks_equal_those_of_kaldi() {
    let reference = reference();
    let ours = filterbanks(&window(&reference));
    assert_eq!(reference["filterbank_frames"], ours.len());
    for (at, theirs) in rows(&reference["filterbanks_every_50th"]).iter().enumerate() {
        assert_same(&format!("frame {}", at * 50), &ours[at * 50], theirs);
    }
}

#[test]
fn the_segmentation_model_equals_onnx_runtime() {
    let reference = reference();
    let ours = SegmentationNet::load().unwrap().run(&window(&reference));
    let ours: Vec<&[f32]> = ours.chunks_exact(7).collect();
    assert_eq!(ours.len(), FRAMES);
    for (at, theirs) in rows(&reference["segmentation_every_10th"]).iter().enumerate() {
        assert_same(&format!("frame {}", at * 10), ours[at * 10], theirs);
    }
}

#[test]
fn the_embedding_model_equals_onnx_runtime() {
    let reference = reference();
    let banks = filterbanks(&window(&reference));
    let mean: Vec<f32> =
        (0..BINS).map(|bin| banks.iter().map(|bins| bins[bin]).sum::<f32>() / banks.len() as f32).collect();
    let centered: Vec<f32> =
        banks.iter().flat_map(|bins| bins.iter().zip(&mean).map(|(bin, mean)| bin - mean)).collect();
    let ours = EmbeddingNet::load().unwrap().run(&centered);
    assert_same("the embedding", &ours, &row(&reference["embedding"]));
}
