//! The memory that loading takes, compared with what stays.

use std::path::Path;
use std::process::Command;

use auris_engine_testing::weight_files::{FloatType, write_safetensors};
use auris_kernels::Linear;
use auris_weights::{CopyPolicy, Family, ModelFiles, expected_tensors, open_model, open_source};

use crate::support::{WHISPER_TINY, folder};

/// The folder that the child process loads.
const FOLDER: &str = "AURIS_TEST_LOAD";

/// Every part of a model.
fn load(folder: &Path) -> (Vec<Linear>, Vec<Vec<f32>>) {
    let mut parts = open_model(folder, Family::Whisper, CopyPolicy::Ignore).unwrap();
    let config = *parts.config();
    let (mut linears, mut floats) = (Vec::new(), Vec::new());
    for tensor in expected_tensors(&config) {
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

#[test]
fn loading_takes_at_most_a_third_more_memory_than_the_model() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let before = status("VmRSS:");
        let model = load(Path::new(&folder));
        let (peak, resident) = (status("VmHWM:") - before, status("VmRSS:") - before);
        assert!(resident > 30_000.0, "{resident} kB");
        assert!(peak <= 1.3 * resident, "{peak} kB at the peak, {resident} kB stay");
        drop(model);
        return;
    }
    // The same weights as bytes and as floats, which are four times as large. A process of its own, because the peak is
    // that of the whole process.
    let quantized = folder(&WHISPER_TINY);
    let floats = tempfile::tempdir().unwrap();
    let (source, config) =
        open_source(&ModelFiles::find(quantized.path()).unwrap(), Family::Whisper).unwrap();
    write_safetensors(floats.path(), (&*source, &config), FloatType::F32, 1);
    for folder in [&quantized, &floats] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "memory::loading_takes_at_most_a_third_more_memory_than_the_model",
                "--nocapture",
            ])
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    }
}
