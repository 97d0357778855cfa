//! HTTP/2 requests with heads around the limits.

use axum::body::Body;
use axum::http::Request;
use axum::http::request::Builder;
use hyper::client::conn::http2::SendRequest;

use super::http2::{WINDOW, body, connect};
use super::{HEAD_BYTES, HEADERS, connections, router};

fn get() -> Builder {
    Request::get("http://h/short")
}

/// A request with this number of bytes in one header.
fn with_large_header(bytes: usize) -> Builder {
    get().header("a", "b".repeat(bytes))
}

fn with_headers(count: usize) -> Builder {
    (0..count).fold(get(), |request, number| request.header(format!("a-{number}"), "b"))
}

/// The status, the request id and the body of the answer.
async fn send(sender: &mut SendRequest<Body>, request: Builder) -> (u16, String, String) {
    let response = sender.send_request(request.body(Body::empty()).unwrap()).await.unwrap();
    let id = response.headers().get("x-request-id").map_or("", |id| id.to_str().unwrap()).to_owned();
    (response.status().as_u16(), id, body(response).await.unwrap())
}

#[tokio::test]
async fn an_http2_request_with_a_large_head_gets_the_error_body() {
    let mut sender = connect(&connections(router()), WINDOW).await;
    let too_large = [
        with_large_header(HEAD_BYTES),
        with_large_header(3 * HEAD_BYTES),
        with_headers(HEADERS + 1),
        Request::get(format!("http://h/{}", "a".repeat(HEAD_BYTES / 2)))
            .header("a", "b".repeat(HEAD_BYTES / 2)),
    ];
    for request in too_large {
        let (status, id, body) = send(&mut sender, request).await;
        assert_eq!(status, 400, "{body}");
        assert!(id.starts_with("req_"), "{id}");
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["error"]["code"], "value_too_long");
        assert!(body["error"]["message"].as_str().unwrap().contains("65536 bytes"), "{body}");
    }
    for request in [with_large_header(HEAD_BYTES - 100), with_headers(HEADERS)] {
        let (status, _, body) = send(&mut sender, request).await;
        assert_eq!((status, body.as_str()), (200, "a short response"));
    }
}
