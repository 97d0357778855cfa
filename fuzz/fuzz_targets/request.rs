//! Reads arbitrary bytes as the JSON body of each request that has one.
//!
//! It finds panics, and three broken promises: what is accepted is valid JSON, a body has the same fingerprint each time,
//! and a fingerprint does not depend on white space.

#![no_main]

use auris_domain::request::json::parse_strict;
use auris_domain::request::{AnalysisRequest, EndpointRequest, fingerprint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = parse_strict(bytes) else { return };
    let value: serde_json::Value = serde_json::from_slice(bytes).expect("an accepted body is valid JSON");
    let _ = AnalysisRequest::parse(body);
    let _ = EndpointRequest::parse(body);
    let Ok(printed) = fingerprint::body(body) else { return };
    assert_eq!(fingerprint::body(body).ok().as_ref(), Some(&printed));
    let spaced = serde_json::to_vec_pretty(&value).expect("a value can be written");
    let spaced = parse_strict(&spaced).expect("the same JSON is accepted with white space");
    assert_eq!(fingerprint::body(spaced).ok(), Some(printed));
});
