//! JSON bodies: checks their content type, size and memory, then parses them strictly.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::request::json::{self, RawJson};
use auris_service::{ServiceError, low_priority};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use futures::StreamExt;

use crate::body_memory::Reservation;
use crate::body_turns::ProjectTurns;
use crate::content_type::{has_content_type, require_no_encoding, require_utf8};
use crate::request_body;

/// A JSON body that was received and not parsed yet.
#[derive(Debug)]
pub(crate) struct JsonBody {
    bytes: Vec<u8>,
    reservation: Reservation,
}

impl JsonBody {
    /// Reads a body of at most `limit` bytes into memory. The reservation grows with what has arrived: a declared
    /// length costs the client nothing, so it must not cost memory.
    pub(crate) async fn receive(
        reservation: Reservation,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
    ) -> Checked<Self> {
        check_content_type(headers)?;
        if declared_length(headers) > limit {
            return Err(too_large(limit));
        }
        read(reservation, body, limit).await
    }

    /// Parses the body and checks it, on a thread for blocking work; a large body when its turn has come, on a thread with
    /// low priority. Returns the body's memory reservation with the result.
    pub(crate) async fn check<T: Send + 'static>(
        self,
        turns: ProjectTurns<'_>,
        check: impl FnOnce(RawJson<'_>) -> Checked<T> + Send + 'static,
    ) -> Result<(T, Reservation), ServiceError> {
        let Self { bytes, reservation } = self;
        let turn = turns.of_body(bytes.len()).await?;
        let check = move || Ok((check(json::parse_strict(&bytes)?)?, reservation));
        let checking = match turn {
            Some(turn) => low_priority::spawn(move || {
                let checked = check();
                drop(turn);
                checked
            }),
            None => tokio::task::spawn_blocking(check),
        };
        checking.await.map_err(ServiceError::internal)?.map_err(ServiceError::Refused)
    }
}

fn check_content_type(headers: &HeaderMap) -> Checked<()> {
    if !has_content_type(headers, "application/json") {
        let message = "The body must be JSON; send the header `Content-Type: application/json`.";
        return Err(ApiError::new(ErrorCode::InvalidContentType, message).at("Content-Type"));
    }
    require_utf8(headers)?;
    require_no_encoding(headers)
}

/// The `Content-Length`; 0 for a chunked body, which has none.
fn declared_length(headers: &HeaderMap) -> usize {
    let text = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

async fn read(mut reservation: Reservation, body: Body, limit: usize) -> Checked<JsonBody> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| unreadable(&error))?;
        let length = bytes.len() + chunk.len();
        if length > limit {
            return Err(too_large(limit));
        }
        reservation.grow(length).await?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(JsonBody { bytes, reservation })
}

fn unreadable(error: &axum::Error) -> ApiError {
    let message = format!("The body cannot be read: {}.", request_body::explain(error));
    ApiError::new(ErrorCode::InvalidJson, message)
}

fn too_large(limit: usize) -> ApiError {
    let message = format!("The body is larger than {limit} bytes, the maximum for this endpoint.");
    ApiError::new(ErrorCode::BodyTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body_memory::BodyMemory;
    use crate::body_turns::BodyTurns;
    use auris_domain::id::{KeyId, ProjectId};
    use auris_domain::limits;
    use auris_domain::time::Millis;
    use auris_service::access::CredentialId;
    use axum::BoxError;
    use axum::body::Bytes;
    use futures::FutureExt;

    fn headers(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<header::HeaderName>().unwrap(), value.parse::<header::HeaderValue>().unwrap())
        });
        headers.collect()
    }

    fn of_new_project(memory: &BodyMemory) -> Reservation {
        memory.reservation(CredentialId::Key(KeyId::generate(Millis(0))), &ProjectId::generate(Millis(0)))
    }

    async fn receive(sent: &[(&'static str, &'static str)], body: &'static str) -> Checked<JsonBody> {
        let memory = of_new_project(&BodyMemory::default());
        JsonBody::receive(memory, &headers(sent), Body::from(body), 10).await
    }

    #[tokio::test]
    async fn a_body_over_its_limit_is_refused_with_and_without_a_content_length() {
        let json = ("content-type", "application/json; charset=utf-8");
        let declared = receive(&[json, ("content-length", "11")], "").await.unwrap_err();
        assert_eq!(declared.code, ErrorCode::BodyTooLarge);
        let undeclared = receive(&[json], "{\"a\": 123456}").await.unwrap_err();
        assert_eq!(undeclared.code, ErrorCode::BodyTooLarge);
        let other = receive(&[("content-type", "text/plain")], "{}").await.unwrap_err();
        assert_eq!(other.code, ErrorCode::InvalidContentType);
    }

    #[tokio::test]
    async fn a_body_is_checked_after_parsing() {
        let (turns, project) = (BodyTurns::default(), ProjectId::generate(Millis(0)));
        let turns = turns.of_project(&project);
        let body = receive(&[("content-type", "application/json")], "{\"a\": 1}").await.unwrap();
        let (value, _reservation) = body.check(turns, |value| Ok(value.as_str().to_owned())).await.unwrap();
        assert_eq!(value, "{\"a\": 1}");
        let body = receive(&[("content-type", "application/json")], "{").await.unwrap();
        assert!(matches!(body.check(turns, |_| Ok(())).await, Err(ServiceError::Refused(_))));
    }

    /// A body of a project that needs a turn.
    fn large(memory: &BodyMemory, project: &ProjectId) -> JsonBody {
        let bytes = [vec![b' '; 2 << 20], b"{}".to_vec()].concat();
        let reservation = memory.reservation(CredentialId::Key(KeyId::generate(Millis(0))), project);
        JsonBody { bytes, reservation }
    }

    #[tokio::test]
    async fn large_bodies_of_one_project_do_not_delay_those_of_another() {
        let (memory, turns) = (BodyMemory::default(), BodyTurns::with_slots(1));
        let (hostile, honest) = (ProjectId::generate(Millis(0)), ProjectId::generate(Millis(0)));
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let (begin, begun) = tokio::sync::oneshot::channel();
        let running = large(&memory, &hostile).check(turns.of_project(&hostile), move |_| {
            let _ = begin.send(());
            let _ = ended.recv();
            Ok(())
        });
        let mut running = Box::pin(running);
        assert!((&mut running).now_or_never().is_none());
        begun.await.unwrap();
        let (ends, mut waiting): (Vec<_>, Vec<_>) = (0..4)
            .map(|_| {
                let (end, ended) = std::sync::mpsc::channel::<()>();
                let check = move |_: RawJson<'_>| {
                    let _ = ended.recv();
                    Ok(())
                };
                (end, Box::pin(large(&memory, &hostile).check(turns.of_project(&hostile), check)))
            })
            .unzip();
        let mut other = Box::pin(large(&memory, &honest).check(turns.of_project(&honest), |_| Ok(())));
        for body in &mut waiting {
            assert!(body.now_or_never().is_none());
        }
        assert!((&mut other).now_or_never().is_none());
        // A small body never waits.
        let small = JsonBody { bytes: b"{}".to_vec(), reservation: of_new_project(&memory) };
        small.check(turns.of_project(&hostile), |_| Ok(())).await.unwrap();
        drop(end);
        running.await.unwrap();
        other.await.unwrap();
        for body in &mut waiting {
            assert!(
                body.now_or_never().is_none(),
                "the other project has waited for one of these bodies only"
            );
        }
        drop(ends);
        futures::future::try_join_all(waiting).await.unwrap();
    }

    #[tokio::test]
    async fn a_body_takes_no_memory_before_it_arrives() {
        let memory = BodyMemory::default();
        let json = ("content-type", "application/json");
        let declared = headers(&[json, ("content-length", "268435456")]);
        let undeclared = headers(&[json]);
        let silent = || Body::from_stream(futures::stream::pending::<Result<Bytes, BoxError>>());
        let receive = |headers, body| {
            JsonBody::receive(of_new_project(&memory), headers, body, limits::ANALYSIS_BODY_BYTES)
        };
        let mut waiting = [Box::pin(receive(&declared, silent())), Box::pin(receive(&declared, silent()))];
        for body in &mut waiting {
            assert!(body.now_or_never().is_none());
        }
        let other = vec![b' '; 2 * limits::MEGABYTE as usize];
        assert!(receive(&undeclared, Body::from(other)).now_or_never().unwrap().is_ok());
    }
}
