use super::*;
use crate::test_files::{CONFIG, damage, expect_weights, ggml, read_all};

#[test]
fn sizes_tokens_and_weights_are_read() {
    let file = GgmlFile::from_bytes(ggml()).unwrap();
    assert_eq!(*file.config(), CONFIG);
    assert_eq!(file.vocabulary(), [b"a".to_vec(), b" b".to_vec(), vec![]]);
    assert_eq!(file.mel_filters(), [0.5; 10]);
    expect_weights(&file);
}

#[test]
fn a_damaged_file_gives_an_error_or_a_model_but_never_panics() {
    let mut complete = 0;
    damage(&ggml(), 3_000, |bytes| {
        if let Ok(file) = GgmlFile::from_bytes(bytes) {
            complete += usize::from(read_all(&file, file.config()).is_ok());
        }
    });
    // Damage to the weights themselves cannot be noticed.
    assert!(complete > 100, "{complete}");
}

#[test]
fn errors_say_what_is_wrong() {
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = ggml();
        change(&mut file);
        GgmlFile::from_bytes(file).unwrap_err().to_string()
    };
    let set = |at: usize, number: u32| {
        move |file: &mut Vec<u8>| file[at..at + 4].copy_from_slice(&number.to_le_bytes())
    };
    assert!(error(&|file| file.clear()).contains("not a file of whisper.cpp"));
    assert!(error(&set(0, 7)).contains("not a file of whisper.cpp"));
    // A negative size, heads that differ, filters of gigabytes, tokens of gigabytes.
    assert!(error(&set(12, u32::MAX)).contains("negative"));
    assert!(error(&set(16, 2)).contains("same width and heads"));
    assert!(error(&set(48, 0x7FFF_FFFF)).contains("ends too early"));
    assert!(error(&set(96, 0x7FFF_FFFF)).contains("tokens"));
    let truncated = error(&|file| file.truncate(file.len() - 1));
    assert!(
        truncated.contains("ends too early") && truncated.contains("tensor `decoder.ln.bias`"),
        "{truncated}"
    );
}

#[test]
fn a_tensor_that_is_missing_twice_there_or_of_another_shape_is_named() {
    let file = ggml();
    // The last tensor: three numbers, one size, the name and 64 floats.
    let last = file.len() - 16 - "decoder.ln.bias".len() - 256;
    let without = GgmlFile::from_bytes(file[..last].to_vec()).unwrap();
    let error = read_all(&without, &CONFIG).unwrap_err();
    assert!(matches!(error, WeightsError::Missing { name } if name == "decoder.ln.bias"));
    let twice = [&file[..], &file[last..]].concat();
    let error = GgmlFile::from_bytes(twice).unwrap_err().to_string();
    assert!(error.contains("two tensors with the name `decoder.ln.bias`"), "{error}");
    let other = GgmlFile::from_bytes(file).unwrap();
    let error = read_all(&other, &ModelConfig { audio_positions: 5, ..CONFIG }).unwrap_err().to_string();
    assert!(error.contains("`encoder.positional_embedding` has the shape [3, 64]"), "{error}");
}

#[test]
fn an_unknown_type_is_refused_by_its_number() {
    let mut file = ggml();
    let last = file.len() - 16 - "decoder.ln.bias".len() - 256;
    file[last + 8] = 19;
    let error = GgmlFile::from_bytes(file).unwrap_err();
    assert!(
        matches!(&error, WeightsError::Unsupported { what } if what.contains("GGML type is 19")),
        "{error}"
    );
}

#[test]
fn tensors_without_end_are_refused() {
    let mut file = ggml();
    // Tensors of one float without any size, each with another name.
    for name in 0..(1 << 16) {
        let name = format!("{name}");
        for number in [0, name.len() as u32, 0] {
            file.extend(number.to_le_bytes());
        }
        file.extend(name.as_bytes());
        file.extend([0; 4]);
    }
    let error = GgmlFile::from_bytes(file).unwrap_err().to_string();
    assert!(error.contains("more than 65536 tensors"), "{error}");
}
