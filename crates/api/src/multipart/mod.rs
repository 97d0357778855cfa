//! The transcription form: text parts collected, the file streamed to the spool, in constant memory and any order.

mod feed;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::limits;
use auris_domain::request::transcription::{
    TranscriptionFields, TranscriptionRequest, check_file, file_limit, file_too_large,
};
use auris_service::upload::{Spool, SpoolWriter};
use auris_service::{Service, ServiceError};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use multer::{Field, Multipart};

use self::feed::{Barren, Feed, Gauge};
use crate::incoming;

/// A form that kept all its rules.
pub(crate) struct Form {
    pub(crate) request: TranscriptionRequest,
    pub(crate) spool: Spool,
}

/// Reads a whole form.
pub(crate) async fn read(service: &Service, headers: &HeaderMap, body: Body) -> Result<Form, ServiceError> {
    let boundary = boundary(headers)?;
    let (feed, gauge) = Feed::new(body);
    read_parts(service, Multipart::new(feed, boundary), &gauge).await
}

async fn read_parts(
    service: &Service,
    mut parts: Multipart<'_>,
    gauge: &Gauge,
) -> Result<Form, ServiceError> {
    let mut fields = TranscriptionFields::default();
    let mut upload: Option<Spool> = None;
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        gauge.reset();
        count += 1;
        if count > limits::FORM_PARTS {
            let message = format!("The form has more than {} parts.", limits::FORM_PARTS);
            return Err(ApiError::new(ErrorCode::TooManyItems, message).into());
        }
        let Some(name) = part.name().map(str::to_owned) else {
            return Err(unnamed().into());
        };
        if name != "file" {
            fields.set(&name, &text_part(part, &name, gauge).await?)?;
        } else if upload.is_some() {
            let message = "The part `file` was sent twice; send one file a request.";
            return Err(ApiError::new(ErrorCode::InvalidMultipart, message).at("file").into());
        } else {
            let writer = service.open_spool().await?;
            upload = Some(file_part(part, writer, fields.asynchronous(), gauge).await?);
        }
    }
    let request = fields.finish()?;
    check_file(upload.as_ref().map(|spool| spool.bytes), request.asynchronous)?;
    match upload {
        Some(spool) => Ok(Form { request, spool }),
        None => Err(ServiceError::Internal("a form without a file passed its check".into())),
    }
}

async fn text_part(mut part: Field<'_>, name: &str, gauge: &Gauge) -> Checked<Vec<u8>> {
    let mut value = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(broken)? {
        gauge.reset();
        if value.len() + chunk.len() > limits::FORM_PART_BYTES {
            let message = format!("The part `{name}` is larger than {} bytes.", limits::FORM_PART_BYTES);
            return Err(ApiError::new(ErrorCode::ValueTooLong, message).at(name));
        }
        value.extend_from_slice(&chunk);
    }
    Ok(value)
}

async fn file_part(
    mut part: Field<'_>,
    mut writer: SpoolWriter,
    asynchronous: Option<bool>,
    gauge: &Gauge,
) -> Result<Spool, ServiceError> {
    let limit = file_limit(asynchronous);
    while let Some(chunk) = part.chunk().await.map_err(broken)? {
        gauge.reset();
        if writer.bytes() + chunk.len() as u64 > limit {
            return Err(file_too_large(asynchronous.unwrap_or(true)).into());
        }
        writer.write(&chunk).await?;
    }
    writer.finish().await
}

fn boundary(headers: &HeaderMap) -> Checked<String> {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("multipart/form-data") {
        let message = "The body must be a form with a file; send it as `multipart/form-data`.";
        return Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Type"));
    }
    multer::parse_boundary(value).map_err(|_| {
        let message = "The `Content-Type` names no boundary; let your HTTP library build the form.";
        ApiError::new(ErrorCode::InvalidMultipart, message).at("Content-Type")
    })
}

fn broken(error: multer::Error) -> ApiError {
    let reason = match &error {
        multer::Error::StreamReadFailed(cause) => match cause.downcast_ref::<Barren>() {
            Some(barren) => barren.to_string(),
            None => incoming::explain(cause.as_ref()),
        },
        // A list of somebody else's, open to growth.
        _ => error.to_string(),
    };
    ApiError::new(ErrorCode::InvalidMultipart, format!("The form cannot be read: {reason}."))
}

fn unnamed() -> ApiError {
    ApiError::new(ErrorCode::InvalidMultipart, "A part of the form has no name.")
}
