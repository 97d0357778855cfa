//! Reads the transcription form in constant memory: text parts are collected, the file is streamed to the spool. Parts
//! may come in any order.

mod header_limit;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::limits;
use auris_domain::request::transcription::{
    TranscriptionFields, TranscriptionRequest, check_file, file_limit, file_too_large,
};
use auris_service::transcribe::Spool;
use auris_service::{Caller, Service, ServiceError};
use axum::body::Body;
use axum::http::HeaderMap;
use multer::{Field, Multipart};

use self::header_limit::{HeadersTooLarge, LimitedBody, PendingBytes};
use crate::content_type::{content_type, has_content_type, require_no_encoding};
use crate::request_body;

const ANALYSIS: &str = "analysis";
const METADATA: &str = "metadata";

/// A valid form.
pub(crate) struct Form {
    pub(crate) request: TranscriptionRequest,
    pub(crate) spool: Spool,
    /// The text of the field `analysis`, which only the console's form may have.
    pub(crate) analysis: Option<String>,
}

/// A request whose form is not read yet.
pub(crate) struct FormRequest {
    pub(crate) fields: FormFields,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// Which fields a form may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormFields {
    Transcription,
    /// Also the metadata of the job, and an analysis that starts when the transcription has completed.
    Console,
}

/// Reads and checks a whole form. Waits before reading anything if there are too many uploads of the caller's key, of its
/// project, or of all keys together.
pub(crate) async fn read(
    service: &Service,
    caller: &Caller,
    request: FormRequest,
) -> Result<Form, ServiceError> {
    let FormRequest { fields, headers, body } = request;
    let boundary = boundary(&headers)?;
    let upload = service.begin_upload(caller).await?;
    let (body, pending) = LimitedBody::new(body);
    let mut parts = Multipart::new(body, boundary);
    let mut reader = FormReader::new(service, fields, pending);
    while let Some(part) = parts.next_field().await.map_err(unreadable)? {
        reader.read_part(part).await?;
    }
    let mut form = reader.finish()?;
    form.spool.count(upload.received());
    Ok(form)
}

/// The parts of a form that were read so far.
struct FormReader<'a> {
    service: &'a Service,
    pending: PendingBytes,
    parts: usize,
    allowed: FormFields,
    fields: TranscriptionFields,
    analysis: Option<String>,
    file: Option<Spool>,
}

impl<'a> FormReader<'a> {
    fn new(service: &'a Service, allowed: FormFields, pending: PendingBytes) -> Self {
        let fields = TranscriptionFields::default();
        Self { service, pending, parts: 0, allowed, fields, analysis: None, file: None }
    }

    async fn read_part(&mut self, part: Field<'_>) -> Result<(), ServiceError> {
        self.pending.reset();
        self.parts += 1;
        if self.parts > limits::FORM_PARTS {
            return Err(too_many_parts().into());
        }
        let name = part.name().ok_or_else(unnamed_part)?.to_owned();
        if name == "file" {
            return self.read_file(part).await;
        }
        let value = self.read_text(part, &name).await?;
        match (self.allowed, name.as_str()) {
            (FormFields::Console, ANALYSIS) => Ok(self.set_analysis(value)?),
            (FormFields::Console, METADATA) => Ok(self.fields.set_metadata(&value)?),
            (FormFields::Console | FormFields::Transcription, _) => Ok(self.fields.set(&name, &value)?),
        }
    }

    fn set_analysis(&mut self, value: Vec<u8>) -> Checked<()> {
        let refused = |message: &str| ApiError::new(ErrorCode::InvalidValue, message).at(ANALYSIS);
        if self.analysis.is_some() {
            return Err(refused("`analysis` was given more than once."));
        }
        let text = String::from_utf8(value).map_err(|_| refused("`analysis` must be UTF-8."))?;
        self.analysis = Some(text);
        Ok(())
    }

    async fn read_text(&self, mut part: Field<'_>, name: &str) -> Checked<Vec<u8>> {
        let mut value = Vec::new();
        while let Some(chunk) = part.chunk().await.map_err(unreadable)? {
            self.pending.reset();
            if value.len() + chunk.len() > limits::FORM_PART_BYTES {
                return Err(part_too_large(name));
            }
            value.extend_from_slice(&chunk);
        }
        Ok(value)
    }

    async fn read_file(&mut self, mut part: Field<'_>) -> Result<(), ServiceError> {
        if self.file.is_some() {
            return Err(second_file().into());
        }
        let asynchronous = self.fields.asynchronous();
        let limit = file_limit(asynchronous);
        let mut writer = self.service.open_spool().await?;
        while let Some(chunk) = part.chunk().await.map_err(unreadable)? {
            self.pending.reset();
            if writer.bytes() + chunk.len() as u64 > limit {
                return Err(file_too_large(asynchronous.unwrap_or(true)).into());
            }
            writer.write(&chunk).await?;
        }
        self.file = Some(writer.finish().await?);
        Ok(())
    }

    fn finish(self) -> Result<Form, ServiceError> {
        let request = self.fields.finish()?;
        check_file(self.file.as_ref().map(|spool| spool.bytes), request.asynchronous)?;
        match self.file {
            Some(spool) => Ok(Form { request, spool, analysis: self.analysis }),
            None => Err(ServiceError::Internal("`check_file` accepted a form without a file".into())),
        }
    }
}

fn boundary(headers: &HeaderMap) -> Checked<String> {
    if !has_content_type(headers, "multipart/form-data") {
        let message = "The body must be a form with a file; send it as `multipart/form-data`.";
        return Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Type"));
    }
    require_no_encoding(headers)?;
    multer::parse_boundary(content_type(headers)).map_err(|_| {
        let message = "The `Content-Type` has no boundary; let your HTTP library build the form.";
        ApiError::new(ErrorCode::InvalidMultipart, message).at("Content-Type")
    })
}

fn unreadable(error: multer::Error) -> ApiError {
    let reason = match &error {
        multer::Error::StreamReadFailed(cause) => match cause.downcast_ref::<HeadersTooLarge>() {
            Some(too_large) => too_large.to_string(),
            None => request_body::explain(cause.as_ref()),
        },
        // multer's error enum is non-exhaustive.
        _ => error.to_string(),
    };
    ApiError::new(ErrorCode::InvalidMultipart, format!("The form cannot be read: {reason}."))
}

fn too_many_parts() -> ApiError {
    let message = format!("The form has more than {} parts.", limits::FORM_PARTS);
    ApiError::new(ErrorCode::TooManyItems, message)
}

fn unnamed_part() -> ApiError {
    ApiError::new(ErrorCode::InvalidMultipart, "A part of the form has no name.")
}

fn part_too_large(name: &str) -> ApiError {
    let message = format!("The part `{name}` is larger than {} bytes.", limits::FORM_PART_BYTES);
    ApiError::new(ErrorCode::ValueTooLong, message).at(name)
}

fn second_file() -> ApiError {
    let message = "The part `file` was sent twice; send one file per request.";
    ApiError::new(ErrorCode::InvalidMultipart, message).at("file")
}
