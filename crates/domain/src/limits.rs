//! The limits of the API.

/// Bytes in a megabyte, as the API counts them.
pub const MEGABYTE: u64 = 1_048_576;
/// Maximum size of an uploaded file with `async=false`.
pub const SYNC_FILE_BYTES: u64 = 25 * MEGABYTE;
/// Maximum size of an uploaded file with `async=true`.
pub const ASYNC_FILE_BYTES: u64 = 95 * MEGABYTE;

pub const PROMPT_CHARACTERS: usize = 4_000;
pub const LANGUAGE_CHARACTERS: usize = 16;
pub const TRANSCRIPT_LANGUAGE_MIN_CHARACTERS: usize = 2;
pub const IDEMPOTENCY_KEY_CHARACTERS: usize = 255;

/// Maximum number of parts in an upload.
pub const FORM_PARTS: usize = 64;
/// Maximum size of each part of an upload other than the file.
pub const FORM_PART_BYTES: usize = 64 * 1024;
/// Maximum bytes of a JSON body of the console and of the operator API.
pub const CONSOLE_BODY_BYTES: usize = 64 * 1024;

/// Maximum size of an analysis request. The largest valid transcript fits even if every character is escaped.
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
/// Maximum value of a task's `max_output_tokens`.
pub const TASK_OUTPUT_TOKENS: i64 = 131_072;
/// Maximum tokens in the answer of a task that does not set `max_output_tokens`.
pub const TASK_DEFAULT_OUTPUT_TOKENS: i64 = 1_024;
pub const TASK_TEMPERATURE: f64 = 2.0;
pub const SOURCES: usize = 16;
pub const SOURCE_MIN_CHARACTERS: usize = 3;
pub const SOURCE_CHARACTERS: usize = 512;
pub const SCHEMA_NAME_CHARACTERS: usize = 64;
pub const SCHEMA_DESCRIPTION_CHARACTERS: usize = 1_000;

pub const ENTITY_TYPES: usize = 64;
pub const ENTITY_TYPE_CHARACTERS: usize = 64;
/// Maximum value of `min_speakers` and `max_speakers`.
pub const SPEAKERS: i64 = 100;
pub const MODEL_CHARACTERS: usize = 100;

pub const TRANSCRIPT_CHARACTERS: usize = 10_000_000;
/// Maximum number of segments in a transcript, and of utterances.
pub const TRANSCRIPT_ITEMS: usize = 100_000;
pub const DECIMAL_FRACTION_DIGITS: usize = 10;

pub const WEBHOOK_URL_CHARACTERS: usize = 2_048;
pub const WEBHOOK_ENDPOINTS: usize = 16;

/// Maximum size of a result, as JSON, inside a job. A larger result is stored as an artifact.
pub const INLINE_RESULT_BYTES: usize = 1024 * 1024;
/// Maximum number of lost workers that count against a step; the last one fails it. One more loss may not count (see
/// `machine::Loss`), so a step whose workers die is run at most four times.
pub const STEP_LOSSES: i64 = 3;
/// The longest that an analysis request with `async: false` waits for its job. Then it returns the unfinished job.
pub const ANALYSIS_HOLD_SECONDS: u64 = 60;
/// How long the response to a request with an `Idempotency-Key` is stored.
pub const IDEMPOTENCY_SECONDS: i64 = 24 * 3600;
