//! Bodies that stop, arrive slowly, or are not read to their end.

use std::time::Duration;

use auris_domain::limits::MEGABYTE;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::post;
use axum::{BoxError, Router};
use futures::{Stream, StreamExt, stream};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::Instant;

use super::timed_body::Progress;
use super::{explain, watch};

const JSON: &str = "application/json";
const FORM: &str = "multipart/form-data; boundary=B";

fn request(content_type: &str, body: Body) -> Request {
    let request = Request::builder().header(header::CONTENT_TYPE, content_type);
    request.header(header::EXPECT, "100-continue").body(body).unwrap()
}

/// A body of this number of chunks, one each second.
fn one_chunk_per_second(
    chunk: usize,
    count: usize,
) -> impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static {
    stream::unfold(count, move |left| async move {
        let left = left.checked_sub(1)?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok::<_, BoxError>(Bytes::from(vec![b'x'; chunk])), left))
    })
}

/// Reads a body to its end. Returns how many seconds that took, and why it failed.
async fn read(content_type: &str, body: Body) -> (u64, Option<String>) {
    let (request, _unread) = watch(request(content_type, body));
    let started = Instant::now();
    let mut chunks = request.into_body().into_data_stream();
    let mut failure = None;
    while let Some(chunk) = chunks.next().await {
        failure = chunk.err().map(|error| explain(&error));
    }
    (started.elapsed().as_secs(), failure)
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_arriving_ends_with_the_reason() {
    let first = Bytes::from(vec![b'x'; MEGABYTE as usize]);
    let chunks = stream::iter([Ok::<_, BoxError>(first)]).chain(stream::pending());
    let (seconds, failure) = read(JSON, Body::from_stream(chunks)).await;
    assert_eq!((seconds, failure.as_deref()), (60, Some("no data was received for 60 seconds")));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_arrives_too_slowly_ends_with_the_reason() {
    let drip = |content_type, bytes_per_second| {
        read(content_type, Body::from_stream(one_chunk_per_second(bytes_per_second, 3600)))
    };
    let json = "it arrived at less than 32 KiB per second".to_owned();
    let form = "it arrived at less than 4 KiB per second".to_owned();
    assert_eq!(drip(JSON, 1).await, (30, Some(json.clone())));
    // After 39 seconds, a quarter of the minimum rate has earned 9.75 seconds in addition to the 30.
    assert_eq!(drip(JSON, 8 * 1024).await, (39, Some(json)));
    assert_eq!(drip(FORM, 1).await, (30, Some(form)));
    assert_eq!(drip(FORM, 8 * 1024).await, (3600, None));
    assert_eq!(drip(JSON, 32 * 1024).await, (3600, None));
}

/// A body that sends `first` bytes at once, and then a piece after each pause.
fn fast_then_slow(first: usize, pause: Duration, piece: usize) -> Body {
    let pieces = stream::unfold((), move |()| async move {
        tokio::time::sleep(pause).await;
        Some((Ok::<_, BoxError>(Bytes::from(vec![b'x'; piece])), ()))
    });
    let first = Bytes::from(vec![b'x'; first]);
    Body::from_stream(stream::iter([Ok::<_, BoxError>(first)]).chain(pieces))
}

#[tokio::test(start_paused = true)]
async fn fast_bytes_do_not_pay_for_hours_of_almost_nothing() {
    let fast = 64 * MEGABYTE as usize;
    for (content_type, rate) in [(JSON, 32), (FORM, 4)] {
        let too_slow = Some(format!("it arrived at less than {rate} KiB per second"));
        for pause in [1, 20, 59] {
            let body = fast_then_slow(fast, Duration::from_secs(pause), 1);
            assert_eq!(
                read(content_type, body).await,
                (60, too_slow.clone()),
                "a byte every {pause} seconds"
            );
        }
        // Bursts: half of the minimum rate on average.
        let burst = fast_then_slow(fast, Duration::from_secs(50), 50 * rate / 2 * 1024);
        let (seconds, failure) = read(content_type, burst).await;
        assert_eq!(failure, too_slow);
        assert!(seconds < 120, "{seconds}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_nobody_reads_does_not_count() {
    let chunks = one_chunk_per_second(1, 20);
    let (request, _unread) = watch(request(JSON, Body::from_stream(chunks)));
    let mut chunks = request.into_body().into_data_stream();
    let mut count = 0;
    while let Some(chunk) = chunks.next().await {
        chunk.unwrap();
        count += 1;
        tokio::time::sleep(Duration::from_secs(100)).await;
    }
    assert_eq!(count, 20);
}

async fn watched(request: Request, next: Next) -> Response {
    let (request, unread) = watch(request);
    let mut response = next.run(request).await;
    unread.unwrap().finish(&mut response);
    response
}

async fn read_all(body: Body) -> (StatusCode, String) {
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        if let Err(error) = chunk {
            return (StatusCode::BAD_REQUEST, explain(&error));
        }
    }
    (StatusCode::OK, String::new())
}

fn connect() -> DuplexStream {
    let (client, server) = tokio::io::duplex(64 * 1024);
    let router: Router = Router::new().route("/", post(read_all)).layer(from_fn(watched));
    let service = TowerToHyperService::new(router);
    tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(server), service));
    client
}

#[tokio::test(start_paused = true)]
async fn a_connection_with_a_slow_body_is_answered_and_closed() {
    for content_type in [JSON, FORM] {
        let (mut reader, mut writer) = tokio::io::split(connect());
        let head = format!(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: {content_type}\r\nContent-Length: 268435456\r\n\r\n"
        );
        writer.write_all(head.as_bytes()).await.unwrap();
        let sending = tokio::spawn(async move {
            while writer.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let mut received = String::new();
        reader.read_to_string(&mut received).await.unwrap();
        assert!(received.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{received}");
        assert!(received.contains("\r\nconnection: close\r\n"), "{received}");
        assert!(received.contains("it arrived at less than"), "{received}");
        sending.await.unwrap();
    }
}

#[tokio::test]
async fn what_a_handler_did_not_read_is_discarded() {
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, BoxError>>(1);
    let chunks = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|chunk| (chunk, receiver))
    });
    let (request, unread) = watch(request(JSON, Body::from_stream(chunks)));
    let mut body = request.into_body().into_data_stream();
    sender.send(Ok(Bytes::from_static(b"read"))).await.unwrap();
    body.next().await.unwrap().unwrap();
    drop(body);
    unread.unwrap().drain();
    for _ in 0..3 {
        sender.send(Ok(Bytes::from_static(b"unread"))).await.unwrap();
    }
    assert!(!sender.is_closed());
}

#[tokio::test]
async fn a_client_that_awaits_100_continue_is_not_asked_to_send() {
    let (request, unread) = watch(request(JSON, Body::from("unread")));
    drop(request);
    let unread = unread.unwrap();
    let body = unread.body.clone();
    unread.drain();
    tokio::task::yield_now().await;
    assert_eq!(body.progress(), Progress::Untouched);
}

#[tokio::test]
async fn a_request_without_a_body_has_nothing_to_drain() {
    assert!(watch(request(JSON, Body::empty())).1.is_none());
}
