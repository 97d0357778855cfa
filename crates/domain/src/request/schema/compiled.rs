//! Compiled schemas, kept for their next use: a schema is compiled once when its request is checked, and the answers of
//! its task are then checked without compiling anything.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use jsonschema::Validator;
use quick_cache::Weighter;
use quick_cache::unsync::Cache;
use sha2::{Digest, Sha256};

use super::SchemaFault;
use crate::step::SchemaText;

/// Maximum estimated memory of all compiled schemas.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// The least that a compiled schema counts, so that there are at most 1,024.
const ENTRY_BYTES: u64 = 64 * 1024;

/// The compiled schemas of this process. Requests are checked in one crate and answers in two others, and the limit is on
/// the memory of the process, so there is one for all.
pub(super) static COMPILED: LazyLock<CompiledSchemas> = LazyLock::new(|| CompiledSchemas::new(CACHE_BYTES));

/// The hash of a schema's text.
type SchemaHash = [u8; 32];

/// A schema that can check answers.
#[derive(Clone)]
pub(super) struct CompiledSchema {
    pub(super) validator: Arc<Validator>,
    /// About its memory.
    pub(super) bytes: u64,
}

struct EstimatedBytes;

impl Weighter<SchemaHash, CompiledSchema> for EstimatedBytes {
    fn weight(&self, _: &SchemaHash, schema: &CompiledSchema) -> u64 {
        schema.bytes.max(ENTRY_BYTES)
    }
}

/// A limited number of compiled schemas. The least used are dropped first.
pub(super) struct CompiledSchemas {
    entries: Mutex<Cache<SchemaHash, CompiledSchema, EstimatedBytes>>,
}

impl CompiledSchemas {
    fn new(bytes: u64) -> Self {
        let entries = usize::try_from(bytes / ENTRY_BYTES).unwrap_or(usize::MAX);
        Self { entries: Mutex::new(Cache::with_weighter(entries, bytes, EstimatedBytes)) }
    }

    /// The compiled form of a schema; `compile` is called only if it is not known. A deep schema is also deep to drop, so
    /// this is called, and its result dropped, only on a deep stack.
    pub(super) fn get(
        &self,
        schema: &SchemaText,
        compile: impl FnOnce(&SchemaText) -> Result<CompiledSchema, SchemaFault>,
    ) -> Result<Arc<Validator>, SchemaFault> {
        let hash: SchemaHash = Sha256::digest(schema.as_str()).into();
        if let Some(known) = self.lock().get(&hash) {
            return Ok(Arc::clone(&known.validator));
        }
        let compiled = compile(schema)?;
        let validator = Arc::clone(&compiled.validator);
        self.lock().insert(hash, compiled);
        Ok(validator)
    }

    fn lock(&self) -> MutexGuard<'_, Cache<SchemaHash, CompiledSchema, EstimatedBytes>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Gets a schema that takes `bytes`, and counts how often it was compiled.
    fn get(schemas: &CompiledSchemas, schema: &Value, bytes: u64, compiled: &mut usize) {
        let compile = |schema: &SchemaText| {
            *compiled += 1;
            let validator = jsonschema::validator_for(&schema.read().unwrap()).unwrap();
            Ok(CompiledSchema { validator: Arc::new(validator), bytes })
        };
        schemas.get(&SchemaText::of(schema), compile).unwrap();
    }

    #[test]
    fn a_schema_is_compiled_once() {
        let schemas = CompiledSchemas::new(CACHE_BYTES);
        let mut compiled = 0;
        for _ in 0..5 {
            get(&schemas, &json!({"type": "string"}), 1, &mut compiled);
            get(&schemas, &json!({"type": "number"}), 1, &mut compiled);
        }
        assert_eq!(compiled, 2);
    }

    #[test]
    fn a_schema_that_cannot_be_compiled_is_not_kept() {
        let schemas = CompiledSchemas::new(CACHE_BYTES);
        let refuse = |_: &SchemaText| Err(SchemaFault::Unusable("no".into()));
        assert!(schemas.get(&SchemaText::of(&json!({})), refuse).is_err());
        let mut compiled = 0;
        get(&schemas, &json!({}), 1, &mut compiled);
        assert_eq!(compiled, 1);
    }

    #[test]
    fn the_number_and_the_memory_of_compiled_schemas_are_limited() {
        let schemas = CompiledSchemas::new(16 * ENTRY_BYTES);
        let mut compiled = 0;
        for number in 0..100 {
            get(&schemas, &json!({"const": number}), 1, &mut compiled);
            assert!(schemas.lock().len() <= 16);
        }
        for number in 100..200 {
            get(&schemas, &json!({"const": number}), 4 * ENTRY_BYTES, &mut compiled);
            assert!(schemas.lock().weight() <= 16 * ENTRY_BYTES);
        }
        get(&schemas, &json!({}), 100 * ENTRY_BYTES, &mut compiled);
        assert!(schemas.lock().weight() <= 16 * ENTRY_BYTES);
        assert_eq!(compiled, 201);
    }
}
