//! The memory that the fingerprint of a body takes, in a process of its own with an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use auris_domain::request::fingerprint;
use auris_domain::request::json::RawJson;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[expect(unsafe_code, reason = "an allocator that passes everything on")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::SeqCst) + layout.size();
        PEAK.fetch_max(now, Ordering::SeqCst);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::SeqCst);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
        let before = NOW.load(Ordering::SeqCst);
        PEAK.store(before, Ordering::SeqCst);
        fingerprint::body(json).unwrap();
        let needed = PEAK.load(Ordering::SeqCst) - before;
        // While the list of one object grows, both of its copies exist.
        assert!(needed < 3 * body.len(), "{depth} levels of {fields} fields: {needed} of {}", body.len());
    }
}
