//! The choice of the level. Each candidate is compared with the scalar level first, so that a processor, an emulator or a
//! compiler with a fault makes the program slow, not wrong.
//!
//! Every kernel that exists for several levels is compared.

mod attention;
mod functions;
mod products;
mod random;
mod rows;
#[cfg(test)]
mod tests;
mod vectors;

use crate::Level;
use crate::levels::{ALL, UsableLevel, usable_levels};
use attention::{ATTENTION, AttentionKernels};
use functions::{FUNCTIONS, FunctionKernels};
use products::{PRODUCTS, ProductKernels};
pub(crate) use random::Random;
use rows::{ROWS, RowKernels};
use vectors::{VECTORS, VectorKernels};

/// The chosen level.
pub(crate) struct Selection {
    pub(crate) level: UsableLevel,
    /// Why it is not what one would expect.
    pub(crate) note: Option<String>,
}

/// The highest level that is usable, not above the limit, and correct. An unknown name sets no limit.
pub(crate) fn select(limit: Option<&str>) -> Selection {
    select_from(&usable_levels(), limit, &KERNELS)
}

/// The kernels that are checked.
#[derive(Clone, Copy)]
struct Kernels {
    products: ProductKernels,
    rows: RowKernels,
    attention: AttentionKernels,
    functions: FunctionKernels,
    vectors: VectorKernels,
}

const KERNELS: Kernels =
    Kernels { products: PRODUCTS, rows: ROWS, attention: ATTENTION, functions: FUNCTIONS, vectors: VECTORS };

fn select_from(usable: &[UsableLevel], limit: Option<&str>, kernels: &Kernels) -> Selection {
    let mut notes = Vec::new();
    let named = limit.and_then(Level::named);
    if let (Some(limit), None) = (limit, named) {
        let names: Vec<String> = ALL.iter().map(|level| format!("`{}`", level.name())).collect();
        let names = names.join(", ");
        notes.push(format!("`{limit}` is not a level for `AURIS_KERNEL_LEVEL`; use one of {names}"));
    }
    let allowed = usable.iter().rev().filter(|level| named.is_none_or(|limit| level.get() <= limit));
    let mut chosen = UsableLevel::SCALAR;
    for level in allowed {
        if is_correct(*level, kernels) {
            chosen = *level;
            break;
        }
        notes.push(format!("the kernels of level `{}` failed their self-check", level.get().name()));
    }
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Selection { level: chosen, note }
}

/// Whether the results of a level agree with those of the scalar level.
fn is_correct(level: UsableLevel, kernels: &Kernels) -> bool {
    level == UsableLevel::SCALAR
        || kernels.vectors.are_correct(level)
            && kernels.functions.are_correct(level)
            && kernels.rows.are_correct(level)
            && kernels.attention.are_correct(level)
            && kernels.products.are_correct(level)
}

/// Whether a computation gives the same results at the scalar level and at this one, within the tolerance. Results that are
/// not numbers never agree.
fn agree(level: UsableLevel, tolerance: f32, compute: impl Fn(UsableLevel) -> Vec<f32>) -> bool {
    let expected = compute(UsableLevel::SCALAR);
    let found = compute(level);
    let are_near = |(one, other): (&f32, &f32)| (one - other).abs() <= tolerance;
    expected.len() == found.len() && expected.iter().zip(&found).all(are_near)
}
