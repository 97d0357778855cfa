//! Reads arbitrary text as an operator's catalogue of models. It finds panics.

#![no_main]

#[expect(dead_code, unused_imports, reason = "the target calls less than the product")]
#[path = "../../crates/models/src/catalog/mod.rs"]
mod catalog;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(catalog) = catalog::Catalog::parse(text) {
        assert!(catalog.models.iter().all(|entry| catalog.find(&entry.model.id).is_some()));
        let _ = catalog.with_fake();
    }
});
