//! The memory that the fingerprint of a body takes, in a separate process with an allocator that counts.

mod counting_allocator;

use std::fmt::Write;

use auris_domain::request::fingerprint;
use auris_domain::request::json::RawJson;

use counting_allocator::peak_of;

/// Objects with many short names, each the value of a field of the one around it.
fn nested(depth: usize, fields: usize) -> String {
    let mut body = String::from("{");
    for level in 0..depth {
        for field in 0..fields {
            let _ = write!(body, "\"{field:x}\":0,");
        }
        let _ = write!(body, "\"level{level}\":{{");
    }
    body.push_str(&"}".repeat(depth + 1));
    body
}

#[test]
fn a_body_takes_less_than_three_times_its_size_however_its_objects_are_nested() {
    for (depth, fields) in [(39, 10_000), (2, 150_000)] {
        let body = nested(depth, fields);
        let json = RawJson::whole(&body).unwrap();
        let (_, needed) = peak_of(|| fingerprint::body(json).unwrap());
        // While the list of one object grows, both of its copies exist.
        assert!(needed < 3 * body.len(), "{depth} levels of {fields} fields: {needed} of {}", body.len());
    }
}
