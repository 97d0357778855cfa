//! The memory that loading takes, compared with what stays.

use std::path::Path;
use std::process::Command;

use auris_engine_testing::asset;
use auris_engine_testing::weight_files::{
    FloatType, GgmlType, read_vocabulary, write_ggml, write_safetensors,
};
use auris_kernels::Linear;
use auris_weights::{
    CopyPolicy, Family, ModelConfig, ModelFiles, TensorSource, expected_tensors, open_model, open_source,
    packed_copy_path,
};
use tempfile::TempDir;

use crate::support::{MOONSHINE_BASE, WHISPER_TINY, WHISPER_TOKENIZER, folder};

/// What the child process loads: a folder, the family of the model, and whether the packed copy is used.
const FOLDER: &str = "AURIS_TEST_LOAD";
const FAMILY: &str = "AURIS_TEST_LOAD_FAMILY";
const POLICY: &str = "AURIS_TEST_LOAD_POLICY";

/// Every part of a model.
fn load(folder: &Path, family: Family, policy: CopyPolicy) -> (Vec<Linear>, Vec<Vec<f32>>) {
    let mut parts = open_model(folder, family, policy).unwrap();
    let config = *parts.config();
    let (mut linears, mut floats) = (Vec::new(), Vec::new());
    let mut tensors = expected_tensors(&config);
    tensors.retain(|tensor| parts.contains(&tensor.name));
    for tensor in tensors {
        if tensor.shape.len() > 1 && tensor.name.ends_with("weight") {
            linears.push(parts.linear(&[&tensor.name], &[None]).unwrap());
        } else {
            floats.push(parts.floats(&tensor.name).unwrap());
        }
    }
    (linears, floats)
}

/// A line of the process's status, in kilobytes.
fn status(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Does nothing unless another test starts it with a folder. A separate process, because the peak is that of the whole
/// process.
#[test]
fn one_load_is_measured() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let is = |name: &str, value: &str| std::env::var(name).unwrap() == value;
    let family = if is(FAMILY, "Moonshine") { Family::Moonshine } else { Family::Whisper };
    let policy = if is(POLICY, "Use") { CopyPolicy::Use } else { CopyPolicy::Ignore };
    let before = status("VmRSS:");
    let model = load(Path::new(&folder), family, policy);
    // Pages of a mapped copy are resident when they were read once, as the first transcription does.
    let read = |linear: &Linear| linear.packed().weights.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    assert!(model.0.iter().map(read).sum::<u64>() > 0);
    let (peak, resident) = (status("VmHWM:") - before, status("VmRSS:") - before);
    assert!(resident > 30_000.0, "{resident} kB");
    assert!(peak <= 1.3 * resident, "{peak} kB at the peak, {resident} kB stay");
    drop(model);
}

fn assert_load_is_small(folder: &Path, family: Family, policy: CopyPolicy) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::one_load_is_measured", "--nocapture"])
        .env(FOLDER, folder)
        .env(FAMILY, format!("{family:?}"))
        .env(POLICY, format!("{policy:?}"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(
        said.contains("1 passed"),
        "{}: {said}{}",
        folder.display(),
        String::from_utf8_lossy(&child.stderr)
    );
}

/// Without a packed copy, while one is written, and from the copy.
fn assert_every_load_is_small(folder: &Path, family: Family) {
    assert_load_is_small(folder, family, CopyPolicy::Ignore);
    assert!(!packed_copy_path(folder).exists());
    assert_load_is_small(folder, family, CopyPolicy::Use);
    assert!(packed_copy_path(folder).exists());
    assert_load_is_small(folder, family, CopyPolicy::Use);
}

fn opened(folder: &TempDir, family: Family) -> (Box<dyn TensorSource>, ModelConfig) {
    open_source(&ModelFiles::find(folder.path()).unwrap(), family).unwrap()
}

#[test]
fn loading_takes_at_most_a_third_more_memory_than_the_model() {
    for (files, family) in [(WHISPER_TINY, Family::Whisper), (MOONSHINE_BASE, Family::Moonshine)] {
        // The same weights as bytes and as floats, which are four times as large.
        let quantized = folder(&files);
        let floats = tempfile::tempdir().unwrap();
        let (source, config) = opened(&quantized, family);
        write_safetensors(floats.path(), (&*source, &config), FloatType::F32, 1);
        drop(source);
        assert_every_load_is_small(quantized.path(), family);
        assert_every_load_is_small(floats.path(), family);
    }
}

#[test]
fn loading_a_ggml_file_takes_at_most_a_third_more_memory_than_the_model() {
    let (source, config) = opened(&folder(&WHISPER_TINY), Family::Whisper);
    let tokens = read_vocabulary(&asset(WHISPER_TOKENIZER));
    for kind in [GgmlType::F16, GgmlType::Q5_0] {
        let folder = tempfile::tempdir().unwrap();
        write_ggml(&folder.path().join("ggml-tiny.bin"), (&*source, &config), kind, &tokens);
        assert_every_load_is_small(folder.path(), Family::Whisper);
    }
}
