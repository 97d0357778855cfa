//! Files that are damaged or hostile: an error that says what is wrong, and never a panic.

use super::*;

const HUGE: u64 = 1 << 60;

fn error(file: Vec<u8>) -> String {
    GgufFile::from_memory(file).unwrap_err().to_string()
}

#[track_caller]
fn expect_error(file: Writer, parts: &[&str]) {
    let error = error(file.finish());
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

/// The complete file with other bytes at a place.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = complete();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn read_all(file: &GgufFile) {
    for key in ["u8", "f32", "yes", "text", "texts", "no texts", "broken texts", "i32s", "u64s", "flags"] {
        let _ = (file.text(key), file.number(key), file.float(key), file.flag(key));
        let _ = (file.texts(key), file.numbers(key));
    }
    for (name, _) in TENSORS {
        let Some(shape) = file.shape(name) else { continue };
        assert_eq!(file.floats(name).unwrap().len(), shape.iter().product::<usize>());
        let _ = file.linear(name);
    }
}

#[test]
fn a_file_that_is_truncated_anywhere_is_refused() {
    let file = complete();
    for length in 0..file.len() {
        assert!(GgufFile::from_memory(file[..length].to_vec()).is_err(), "{length}");
    }
    let error = error(file[..file.len() - 1].to_vec());
    assert!(error.contains("tensor `norm`") && error.contains("ends too early"), "{error}");
}

#[test]
fn a_damaged_file_gives_an_error_or_a_model_but_never_panics() {
    let mut complete_files = 0;
    crate::test_files::damage(&complete(), 3_000, |bytes| {
        if let Ok(file) = GgufFile::from_memory(bytes) {
            read_all(&file);
            complete_files += 1;
        }
    });
    // Damage to the weights themselves cannot be noticed.
    assert!(complete_files > 100, "{complete_files}");
}

#[test]
fn other_files_and_versions_are_refused() {
    assert!(error(vec![]).contains("not a GGUF file"));
    assert!(error(changed(0, b"FUGG")).contains("not a GGUF file"));
    assert!(error(changed(4, &1u32.to_le_bytes())).contains("GGUF version is 1"));
    assert!(error(changed(4, &4u32.to_le_bytes())).contains("GGUF version is 4"));
    // A big-endian file of version 3.
    assert!(error(changed(4, &3u32.to_be_bytes())).contains("little-endian"));
    assert!(GgufFile::from_memory(changed(4, &2u32.to_le_bytes())).is_ok());
}

#[test]
fn counts_that_the_file_has_no_bytes_for_are_refused() {
    assert!(error(changed(8, &HUGE.to_le_bytes())).contains("tensors; the maximum"));
    assert!(error(changed(16, &HUGE.to_le_bytes())).contains("keys; the maximum"));
    // One more of each than there are.
    assert!(GgufFile::from_memory(changed(8, &7u64.to_le_bytes())).is_err());
    assert!(GgufFile::from_memory(changed(16, &24u64.to_le_bytes())).is_err());
    for kind in [0, 8, 10] {
        let file = Writer::new().value("list", 9, &list(kind, HUGE, &[]));
        expect_error(file, &["key `list`", "items; the maximum"]);
        let file = Writer::new().value("list", 9, &list(kind, 1 << 20, &[0; 100]));
        expect_error(file, &["key `list`", "ends too early"]);
    }
    for length in [100, HUGE, u64::MAX] {
        let file = Writer::new().value("text", 8, &length.to_le_bytes());
        expect_error(file, &["key `text`", "ends too early"]);
    }
}

#[test]
fn values_that_do_not_exist_are_refused() {
    let inner = list(0, 1, &[1]);
    expect_error(Writer::new().value("a", 9, &list(9, 1, &inner)), &["key `a`", "list of lists"]);
    expect_error(Writer::new().value("a", 13, &[0; 8]), &["key `a`", "its type is 13"]);
    expect_error(Writer::new().value("a", 9, &list(13, 1, &[0; 8])), &["key `a`", "its type is 13"]);
    expect_error(Writer::new().value("a", 7, &[2]), &["key `a`", "neither 0 nor 1"]);
    let long = "k".repeat((1 << 16) + 1);
    expect_error(Writer::new().value(&long, 0, &[1]), &["a name has 65537 bytes"]);
}

#[test]
fn a_key_or_a_name_that_occurs_twice_is_refused() {
    let file = Writer::new().value("a", 0, &[1]).value("a", 0, &[1]);
    expect_error(file, &["two values with the key `a`"]);
    let one = floats(&[1.0]);
    let file = Writer::new().tensor("a", &[1], F32, &one).tensor("a", &[1], F32, &one);
    expect_error(file, &["two tensors with the name `a`"]);
}

#[test]
fn an_alignment_that_is_not_a_power_of_two_is_refused() {
    for (kind, bytes) in [(4, &48u32.to_le_bytes()[..]), (4, &[0; 4]), (5, &[0xFF; 4]), (6, &[0; 4])] {
        let file = Writer::new().value("general.alignment", kind, bytes);
        expect_error(file, &["`general.alignment` is not a usable power of two"]);
    }
    // The largest power of two: the data would start where no file reaches.
    let file = Writer::new().value("general.alignment", 10, &(1u64 << 63).to_le_bytes());
    expect_error(file.tensor("a", &[1], F32, &floats(&[1.0])), &["tensor `a`", "ends too early"]);
    let file = Writer::new().tensor("a", &[1], F32, &floats(&[1.5])).finish();
    assert_eq!(GgufFile::from_memory(file).unwrap().floats("a").unwrap(), [1.5]);
}

#[test]
fn a_tensor_outside_the_file_is_named() {
    for offset in [4, 32, HUGE, u64::MAX] {
        let file = Writer::new().tensor("a", &[1], F32, &floats(&[1.0])).at(offset);
        expect_error(file, &["tensor `a`", "ends too early"]);
    }
    expect_error(Writer::new().tensor("a", &[2], F32, &[0; 4]), &["tensor `a`", "ends too early"]);
}

#[test]
fn shapes_and_types_that_cannot_be_are_named() {
    let file = Writer::new().tensor("a", &[1 << 40, 1 << 40], F32, &[0; 4]);
    expect_error(file, &["tensor `a`", "cannot have the shape"]);
    // A row that is not whole blocks, though all rows together are.
    let file = Writer::new().tensor("a", &[2, 128], Q4_K, &[0; 144]);
    expect_error(file, &["tensor `a`", "cannot have the shape"]);
    let file = Writer::new().tensor("a", &[1; 5], F32, &[0; 4]);
    expect_error(file, &["tensor `a`", "5 dimensions"]);
    let file = Writer::new().tensor("a", &[1], 19, &[0; 4]);
    expect_error(file, &["tensor `a`", "GGML type is 19"]);
}

#[test]
fn tensors_that_share_bytes_are_refused() {
    let two = floats(&[1.0, 2.0]);
    let first = || Writer::new().tensor("a", &[2], F32, &two);
    expect_error(first().tensor("b", &[2], F32, &two).at(4), &["`a` and `b` share bytes"]);
    expect_error(first().tensor("b", &[2], F32, &two).at(0), &["share bytes"]);
    assert!(GgufFile::from_memory(first().tensor("b", &[2], F32, &two).at(8).finish()).is_ok());
    assert!(GgufFile::from_memory(first().tensor("b", &[0], F32, &[]).at(0).finish()).is_ok());
}
