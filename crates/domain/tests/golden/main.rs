//! Every example of the API description that has a stored form can be read and is written unchanged.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot continue should panic")]

mod examples;
mod outputs;
mod records;
mod specs;
mod transcripts;

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn examples_folder() -> PathBuf {
    // Read at run time, because the tests may run in another folder than the one they were compiled in.
    let package = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    package.join("../../openapi/examples")
}

/// The text of `openapi/examples/NAME.json`.
fn example(name: &str) -> String {
    let path = examples_folder().join(format!("{name}.json"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The example without one of its fields.
fn example_without(name: &str, field: &str) -> String {
    let mut document = parse(&example(name));
    let removed = document.as_object_mut().unwrap().shift_remove(field);
    assert!(removed.is_some(), "`{name}` has no `{field}`");
    document.to_string()
}

/// Reads the example as a `T` and checks that it is written with the same content.
#[track_caller]
fn assert_round_trip<T: DeserializeOwned + Serialize>(name: &str) -> T {
    let text = example(name);
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(serde_json::to_value(&read).unwrap(), parse(&text), "{name}");
    read
}
