//! Room for rows in the order that a kernel reads them in.

use std::cell::RefCell;

use crate::memory::{LINE, Line};

thread_local! {
    /// Kept from product to product.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// Calls the function with room for this many bytes, at the start of a line.
pub(super) fn with_scratch(bytes: usize, use_it: impl FnOnce(*mut u8)) {
    SCRATCH.with_borrow_mut(|lines| {
        let needed = bytes.div_ceil(LINE);
        if lines.len() < needed {
            lines.resize(needed, Line::ZERO);
        }
        use_it(lines.as_mut_ptr().cast());
    });
}
