//! How fast models were on this kind of machine, as `auris models bench` measured them.

mod figures;
mod measurement;

pub use figures::{Figures, find};
pub use measurement::{Machine, Measurement};
