//! The form of a transcription. Its fields arrive one by one in any order and are checked together at the end.

use serde::Serialize;

use super::analysis::metadata;
use super::check::{Path, missing, shown};
use super::json::parse_strict;
use super::read::{check_length, choose};
use super::webhook_url::{self, Schemes};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::limits;
use crate::metadata::Metadata;

/// Maximum length of `model` in a form. The API has no limit; no model name is this long.
const MODEL_CHARACTERS: usize = 1_000;
const METADATA: &str = "metadata";

/// The format of the response to a synchronous transcription.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    #[default]
    Json,
    Text,
}

/// A checked `POST /v1/audio/transcriptions`, without its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranscriptionRequest {
    pub model: String,
    #[serde(rename = "async")]
    pub asynchronous: bool,
    pub language: Option<String>,
    pub prompt: Option<String>,
    pub response_format: ResponseFormat,
    pub stream: bool,
    pub webhook_url: Option<String>,
    /// Only the console's form has it.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl TranscriptionRequest {
    /// The first part of `language`, in lower case: `pt` for `pt-BR`. Only this part is passed to models.
    pub fn primary_language(&self) -> Option<String> {
        let language = self.language.as_deref()?;
        language.split('-').next().map(str::to_ascii_lowercase)
    }
}

/// The text parts of the form, as they arrive.
#[derive(Debug, Clone, Default)]
pub struct TranscriptionFields {
    model: Option<String>,
    asynchronous: Option<bool>,
    language: Option<String>,
    prompt: Option<String>,
    response_format: Option<ResponseFormat>,
    stream: Option<bool>,
    webhook_url: Option<String>,
    metadata: Option<Metadata>,
}

impl TranscriptionFields {
    /// Reads one part. Unknown names are ignored, so that clients of other transcription APIs work.
    pub fn set(&mut self, name: &str, value: &[u8]) -> Checked<()> {
        let path = Path::Root.field(name);
        match name {
            "model" => put(&mut self.model, &path, text(&path, value, MODEL_CHARACTERS)?),
            "async" => put(&mut self.asynchronous, &path, boolean(&path, value)?),
            "language" => put(&mut self.language, &path, language(&path, value)?),
            "prompt" => put(&mut self.prompt, &path, text(&path, value, limits::PROMPT_CHARACTERS)?),
            "response_format" => put(&mut self.response_format, &path, response_format(&path, value)?),
            "stream" => put(&mut self.stream, &path, boolean(&path, value)?),
            "webhook_url" => put(&mut self.webhook_url, &path, address(&path, value)?),
            _ => Ok(()),
        }
    }

    /// Reads the field `metadata`: JSON with the metadata of the job.
    pub fn set_metadata(&mut self, value: &[u8]) -> Checked<()> {
        let path = Path::Root.field(METADATA);
        let json = parse_strict(value).map_err(|error| {
            let message = error.message.replacen("The body", "`metadata`", 1);
            ApiError { message, ..error }.at(METADATA)
        })?;
        put(&mut self.metadata, &path, metadata(&path, json)?)
    }

    /// The value of `async` if it has arrived. The size limit of the file depends on it.
    pub fn asynchronous(&self) -> Option<bool> {
        self.asynchronous
    }

    /// The checked request. Call it after the last part.
    pub fn finish(self) -> Checked<TranscriptionRequest> {
        let given = |text: &String| !text.is_empty();
        let model = self.model.filter(given).ok_or_else(|| missing(&Path::Root.field("model")))?;
        let request = TranscriptionRequest {
            model,
            asynchronous: self.asynchronous.unwrap_or(false),
            language: self.language.filter(given),
            prompt: self.prompt.filter(given),
            response_format: self.response_format.unwrap_or_default(),
            stream: self.stream.unwrap_or(false),
            webhook_url: self.webhook_url,
            metadata: self.metadata.unwrap_or_default(),
        };
        check_combination(&request)?;
        Ok(request)
    }
}

fn check_combination(request: &TranscriptionRequest) -> Checked<()> {
    if request.stream && request.asynchronous {
        let message = "`stream` cannot be combined with `async=true`; read the job's events instead.";
        return Err(ApiError::new(ErrorCode::InvalidCombination, message).at("stream"));
    }
    if request.webhook_url.is_some() && !request.asynchronous {
        let message =
            "`webhook_url` requires `async=true`; a synchronous response already has the transcript.";
        return Err(ApiError::new(ErrorCode::InvalidCombination, message).at("webhook_url"));
    }
    if !request.metadata.is_empty() && !request.asynchronous {
        let message =
            "`metadata` requires `async=true`; a synchronous transcription has no job that keeps it.";
        return Err(ApiError::new(ErrorCode::InvalidCombination, message).at(METADATA));
    }
    Ok(())
}

fn put<T>(slot: &mut Option<T>, path: &Path<'_>, value: T) -> Checked<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(path.refuse(ErrorCode::InvalidValue, format!("`{path}` was given more than once."))),
    }
}

fn utf8<'a>(path: &Path<'_>, value: &'a [u8]) -> Checked<&'a str> {
    let text = std::str::from_utf8(value).map_err(|_| path.invalid("UTF-8"))?;
    if text.contains('\0') {
        return Err(path.invalid("without the NUL character (U+0000)"));
    }
    Ok(text)
}

fn text(path: &Path<'_>, value: &[u8], characters: usize) -> Checked<String> {
    let text = utf8(path, value)?;
    check_length(path, text, &(0..=characters))?;
    Ok(text.to_owned())
}

fn boolean(path: &Path<'_>, value: &[u8]) -> Checked<bool> {
    let text = utf8(path, value)?;
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(path.invalid(&format!("`true` or `false`, not `{}`", shown(text)))),
    }
}

fn response_format(path: &Path<'_>, value: &[u8]) -> Checked<ResponseFormat> {
    let formats = [("json", ResponseFormat::Json), ("text", ResponseFormat::Text)];
    choose(path, utf8(path, value)?, &formats)
}

fn language(path: &Path<'_>, value: &[u8]) -> Checked<String> {
    let language = text(path, value, limits::LANGUAGE_CHARACTERS)?;
    let is_part =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let primary = language.split('-').next().unwrap_or_default();
    let is_primary = primary.len() >= 2 && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    if language.is_empty() || (is_primary && language.split('-').all(is_part)) {
        return Ok(language);
    }
    Err(path.invalid("an ISO 639-1 code such as `en`, or a BCP 47 tag such as `pt-BR`"))
}

fn address(path: &Path<'_>, value: &[u8]) -> Checked<String> {
    webhook_url::check(path, utf8(path, value)?.to_owned(), Schemes::HttpOrHttps)
}

/// Maximum size of the file. The larger limit applies until `async` has arrived.
pub fn file_limit(asynchronous: Option<bool>) -> u64 {
    match asynchronous {
        Some(false) => limits::SYNC_FILE_BYTES,
        Some(true) | None => limits::ASYNC_FILE_BYTES,
    }
}

/// Checks the size of the file after the last part. `size` is `None` if the form had no file.
pub fn check_file(size: Option<u64>, asynchronous: bool) -> Checked<()> {
    match size {
        None => Err(missing(&Path::Root.field("file"))),
        Some(0) => Err(ApiError::new(ErrorCode::EmptyFile, "`file` is empty: it has zero bytes.").at("file")),
        Some(bytes) if bytes > file_limit(Some(asynchronous)) => Err(file_too_large(asynchronous)),
        Some(_) => Ok(()),
    }
}

/// The error for a file above its limit. It is also used while the file is still arriving.
pub fn file_too_large(asynchronous: bool) -> ApiError {
    let message = if asynchronous {
        "`file` is too large: files may have up to 95 MB (99,614,720 bytes)."
    } else {
        "`file` is too large: a synchronous call accepts up to 25 MB (26,214,400 bytes); send async=true for files up to 95 MB."
    };
    ApiError::new(ErrorCode::FileTooLarge, message).at("file")
}
