use std::fs;
use std::path::Path;

use auris_kernels::Linear;

use super::*;
use crate::config::Family;
use crate::error::WeightsError;
use crate::parts::{ModelParts, open_model};
use crate::test_files::{CONFIG, damage, ggml};

const PRODUCTS: [&str; 3] = ["query", "key", "value"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ggml-small.bin"), ggml()).unwrap();
    folder
}

fn open(folder: &Path, policy: CopyPolicy) -> Box<dyn ModelParts> {
    open_model(folder, Family::Whisper, policy).unwrap()
}

/// What a net would ask for.
fn load(parts: &mut dyn ModelParts) -> (Vec<Linear>, Vec<f32>) {
    assert_eq!(*parts.config(), CONFIG);
    let name = |part: &str, kind: &str| format!("encoder.blocks.0.attn.{part}.{kind}");
    let weights = PRODUCTS.map(|part| name(part, "weight"));
    let biases = PRODUCTS.map(|part| name(part, "bias"));
    assert!(parts.contains(&weights[1]) && !parts.contains(&biases[1]));
    let biases = biases.each_ref().map(|name| parts.contains(name).then_some(name.as_str()));
    let joined = parts.linear(&weights.each_ref().map(String::as_str), &biases).unwrap();
    let convolution = parts.linear(&["encoder.conv2.weight"], &[Some("encoder.conv2.bias")]).unwrap();
    let table = parts.linear(&["decoder.token_embedding.weight"], &[None]).unwrap();
    (vec![joined, convolution, table], parts.floats("decoder.positional_embedding").unwrap())
}

fn expect_same(one: &(Vec<Linear>, Vec<f32>), other: &(Vec<Linear>, Vec<f32>)) {
    assert_eq!(one.1, other.1);
    for (one, other) in one.0.iter().zip(&other.0) {
        let (one, other) = (one.packed(), other.packed());
        assert_eq!((one.inputs, one.outputs), (other.inputs, other.outputs));
        assert_eq!((one.weights, one.offsets), (other.weights, other.offsets));
        assert_eq!((one.scales, one.bias), (other.scales, other.bias));
    }
}

fn has_copy(folder: &Path) -> bool {
    packed_copy_path(folder).exists()
}

#[test]
fn the_second_load_comes_from_the_copy_and_is_the_same_to_the_last_bit() {
    let folder = folder();
    let without = load(&mut *open(folder.path(), CopyPolicy::Ignore));
    assert!(!has_copy(folder.path()));
    let first = load(&mut *open(folder.path(), CopyPolicy::Use));
    assert!(has_copy(folder.path()));
    expect_same(&without, &first);
    // Without its weights, only the copy can answer. The time of the file is the same.
    let source = folder.path().join("ggml-small.bin");
    let time = fs::metadata(&source).unwrap().modified().unwrap();
    let mut hollow = ggml();
    let length = hollow.len();
    hollow[4_096..length - 4_096].fill(0);
    fs::write(&source, hollow).unwrap();
    fs::File::options().write(true).open(&source).unwrap().set_modified(time).unwrap();
    let mut parts = open(folder.path(), CopyPolicy::Use);
    expect_same(&first, &load(&mut *parts));
}

#[test]
fn a_part_that_the_copy_lacks_comes_from_the_weights_and_the_copy_is_written_anew() {
    let folder = folder();
    drop(open(folder.path(), CopyPolicy::Use));
    let empty = fs::read(packed_copy_path(folder.path())).unwrap();
    let expected = load(&mut *open(folder.path(), CopyPolicy::Ignore));
    let mut parts = open(folder.path(), CopyPolicy::Use);
    expect_same(&expected, &load(&mut *parts));
    drop(parts);
    assert!(!has_copy(folder.path()));
    load(&mut *open(folder.path(), CopyPolicy::Use));
    assert!(fs::read(packed_copy_path(folder.path())).unwrap().len() > empty.len());
}

#[test]
fn a_changed_source_is_noticed_and_the_copy_is_replaced() {
    let folder = folder();
    load(&mut *open(folder.path(), CopyPolicy::Use));
    let copy = fs::read(packed_copy_path(folder.path())).unwrap();
    let mut changed = ggml();
    let last = changed.len() - 1;
    changed[last] ^= 0x40;
    fs::write(folder.path().join("ggml-small.bin"), changed).unwrap();
    load(&mut *open(folder.path(), CopyPolicy::Use));
    let new = fs::read(packed_copy_path(folder.path())).unwrap();
    assert_ne!(copy, new);
    assert_eq!(copy.len(), new.len());
}

#[test]
fn a_damaged_copy_is_not_used_and_is_replaced() {
    let folder = folder();
    let expected = load(&mut *open(folder.path(), CopyPolicy::Use));
    let path = packed_copy_path(folder.path());
    let intact = fs::read(&path).unwrap();
    let mut longer = intact.clone();
    longer.push(0);
    let mut other_checksum = intact.clone();
    other_checksum[40] ^= 1;
    for damaged in [&b""[..], &intact[..50], &intact[..intact.len() - 1], &longer, &other_checksum] {
        fs::remove_file(&path).unwrap();
        fs::write(&path, damaged).unwrap();
        expect_same(&expected, &load(&mut *open(folder.path(), CopyPolicy::Use)));
        assert_eq!(fs::read(&path).unwrap(), intact);
    }
}

#[test]
fn a_copy_with_any_damage_to_its_structure_is_refused_without_a_panic() {
    let folder = folder();
    load(&mut *open(folder.path(), CopyPolicy::Use));
    let copy = fs::read(packed_copy_path(folder.path())).unwrap();
    assert!(check_copy(&copy));
    // Only the header and the directory: the weights in between have no structure.
    let start = u64::from_le_bytes(*copy[16..].first_chunk().unwrap()) as usize;
    let mut refused = 0;
    damage(&copy[start..], 2_000, |directory| {
        let mut file = copy[..start].to_vec();
        file[24..32].copy_from_slice(&(directory.len() as u64).to_le_bytes());
        file.extend(directory);
        refused += usize::from(!check_copy(&file));
    });
    damage(&copy[..HEADER], 500, |header| {
        let _ = check_copy(&[&header[..], &copy[HEADER..]].concat());
    });
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn damage_to_the_content_is_found_when_the_whole_copy_is_verified() {
    let folder = folder();
    load(&mut *open(folder.path(), CopyPolicy::Use));
    let path = packed_copy_path(folder.path());
    verify_copy(&path).unwrap();
    let mut copy = fs::read(&path).unwrap();
    copy[HEADER + 100] ^= 1;
    let damaged = folder.path().join("damaged");
    fs::write(&damaged, copy).unwrap();
    let error = verify_copy(&damaged).unwrap_err().to_string();
    assert!(error.contains("wrong checksum") && error.contains("damaged`"), "{error}");
    assert!(!damaged.exists() && path.exists());
    assert!(matches!(verify_copy(&folder.path().join("none")), Err(WeightsError::Io { .. })));
}

#[test]
fn positions_outside_of_the_file_are_refused() {
    let folder = folder();
    load(&mut *open(folder.path(), CopyPolicy::Use));
    let copy = fs::read(packed_copy_path(folder.path())).unwrap();
    let start = u64::from_le_bytes(*copy[16..].first_chunk().unwrap()) as usize;
    let directory = String::from_utf8(copy[start..].to_vec()).unwrap();
    let with = |from: &str, to: &str| {
        let directory = directory.replace(from, to);
        let mut file = copy[..start].to_vec();
        file[24..32].copy_from_slice(&(directory.len() as u64).to_le_bytes());
        file.extend(directory.as_bytes());
        check_copy(&file)
    };
    assert!(with("", ""));
    assert!(!with("\"weights\":[64,", "\"weights\":[0,"));
    assert!(!with("\"weights\":[64,", "\"weights\":[65,"));
    assert!(!with("\"weights\":[64,", "\"weights\":[18446744073709551615,"));
    assert!(!with("\"inputs\":64", "\"inputs\":63"));
    assert!(!with("\"outputs\":40", "\"outputs\":4000000000"));
    assert!(!with("\"vocabulary\":40", "\"vocabulary\":41"));
    assert!(!with("\"heads\":1", "\"heads\":0"));
    assert!(!with("\"floats\"", "\"other\""));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_works_without_a_copy() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let expected = load(&mut *open(folder.path(), CopyPolicy::Ignore));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere; a file in the place of the copy cannot be replaced by anybody.
    let is_superuser = fs::write(folder.path().join("x"), "").is_ok();
    if is_superuser {
        fs::create_dir(packed_copy_path(folder.path())).unwrap();
    }
    for _ in 0..2 {
        expect_same(&expected, &load(&mut *open(folder.path(), CopyPolicy::Use)));
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copies = fs::read_dir(folder.path()).unwrap().flatten().filter(|entry| entry.path().is_file());
    assert!(copies.map(|entry| entry.file_name()).all(|name| name == "ggml-small.bin" || name == "x"));
}

#[test]
fn leftovers_of_a_crashed_process_are_deleted_and_those_of_a_living_one_are_not() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::write(path(".packed-old.tmp"), "half of a copy").unwrap();
    fs::write(path("packed-0.auris"), "a copy of an earlier version").unwrap();
    let busy = fs::File::create(path(".packed-busy.tmp")).unwrap();
    busy.lock().unwrap();
    load(&mut *open(folder.path(), CopyPolicy::Use));
    assert!(!path(".packed-old.tmp").exists() && !path("packed-0.auris").exists());
    assert!(path(".packed-busy.tmp").exists());
    assert!(has_copy(folder.path()));
}

#[test]
fn no_copy_is_left_of_a_model_that_cannot_be_loaded() {
    let folder = folder();
    let mut parts = open(folder.path(), CopyPolicy::Use);
    let error = parts.floats("encoder.blocks.7.attn_ln.bias").unwrap_err();
    assert!(matches!(error, WeightsError::Missing { .. }));
    drop(parts);
    assert!(!has_copy(folder.path()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
