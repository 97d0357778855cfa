//! Reads arbitrary bytes as what comes in a request's address and headers: the query of a list with its cursor, the
//! queries of the console, ids, a signed address, an idempotency key and the number of an event.
//!
//! It finds panics, and values that are accepted but would not be written back the same.

#![no_main]

use auris_domain::id::{ArtifactId, JobId};
use auris_domain::request::console::{DeliveriesQuery, UsageQuery};
use auris_domain::request::{AllJobsQuery, Page, SignedAddress, headers};
use auris_domain::time::Millis;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = headers::last_event_id(Some(bytes));
    if let Ok(Some(key)) = headers::idempotency_key(Some(bytes)) {
        assert!((1..=255).contains(&key.chars().count()), "the length of the key is limited");
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(page) = Page::parse(text) {
        let after = page.after.map(|after| format!("&after={}", after.as_str())).unwrap_or_default();
        let again =
            Page::parse(&format!("limit={}{after}", page.limit)).expect("a page can be asked for again");
        assert_eq!(again.limit, page.limit);
    }
    let _ = AllJobsQuery::parse(text).map(|query| (query.first_id(), query.end_id()));
    let _ = DeliveriesQuery::parse(text);
    let _ = UsageQuery::parse(text);
    let artifact = ArtifactId::first_of(Millis(0));
    let _ = SignedAddress::parse(artifact, text);
    if let Ok(id) = text.parse::<JobId>() {
        assert_eq!(id.as_str(), text);
    }
    if let Ok(id) = text.parse::<ArtifactId>() {
        assert_eq!(id.as_str(), text);
    }
});
