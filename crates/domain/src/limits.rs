//! Every limit of the interface, once.

/// Interface megabytes are 1,048,576 bytes.
pub const MEGABYTE: u64 = 1_048_576;
pub const SYNC_FILE_BYTES: u64 = 25 * MEGABYTE;
pub const ASYNC_FILE_BYTES: u64 = 95 * MEGABYTE;

pub const PROMPT_CHARACTERS: usize = 4_000;
pub const LANGUAGE_CHARACTERS: usize = 16;
pub const TRANSCRIPT_LANGUAGE_MIN_CHARACTERS: usize = 2;
pub const IDEMPOTENCY_KEY_CHARACTERS: usize = 255;

pub const FORM_PARTS: usize = 64;
pub const FORM_PART_BYTES: usize = 64 * 1024;

/// Ten million characters, each escaped, with their segments and utterances, fit into this.
pub const ANALYSIS_BODY_BYTES: usize = 256 * 1024 * 1024;
pub const ENDPOINT_BODY_BYTES: usize = 64 * 1024;

pub const PAGE_DEFAULT: u32 = 20;
pub const PAGE_MAX: u32 = 100;

pub const METADATA_ENTRIES: usize = 16;
pub const METADATA_KEY_CHARACTERS: usize = 64;
pub const METADATA_VALUE_CHARACTERS: usize = 512;

pub const TASKS: usize = 16;
pub const TASK_ID_CHARACTERS: usize = 64;
pub const TASK_INSTRUCTIONS_CHARACTERS: usize = 20_000;
pub const TASK_OUTPUT_TOKENS: i64 = 131_072;
/// What a task that names no `max_output_tokens` may answer.
pub const TASK_DEFAULT_OUTPUT_TOKENS: i64 = 1_024;
pub const TASK_TEMPERATURE: f64 = 2.0;
pub const SOURCES: usize = 16;
pub const SOURCE_MIN_CHARACTERS: usize = 3;
pub const SOURCE_CHARACTERS: usize = 512;
pub const SCHEMA_NAME_CHARACTERS: usize = 64;
pub const SCHEMA_DESCRIPTION_CHARACTERS: usize = 1_000;

pub const ENTITY_TYPES: usize = 64;
pub const ENTITY_TYPE_CHARACTERS: usize = 64;
pub const SPEAKERS: i64 = 100;
pub const MODEL_CHARACTERS: usize = 100;

pub const TRANSCRIPT_CHARACTERS: usize = 10_000_000;
pub const TRANSCRIPT_ITEMS: usize = 100_000;
pub const DECIMAL_FRACTION_DIGITS: usize = 10;

pub const WEBHOOK_URL_CHARACTERS: usize = 2_048;
pub const WEBHOOK_ENDPOINTS: usize = 16;

/// A result larger than this as JSON becomes an artifact.
pub const INLINE_RESULT_BYTES: usize = 1024 * 1024;
/// A step whose worker died runs at most this often.
pub const STEP_ATTEMPTS: i64 = 3;
/// How long `async: false` holds an analysis back before it answers with the job as it is.
pub const ANALYSIS_HOLD_SECONDS: u64 = 60;
/// An answer remembered for an Idempotency-Key lives this long.
pub const IDEMPOTENCY_SECONDS: i64 = 24 * 3600;
/// The largest integer that every JSON reader holds exactly.
pub const TIMESTAMP_MAX: i64 = 9_007_199_254_740_991;
