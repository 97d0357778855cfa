//! The layout of packed weights, and weights that are borrowed from a file of them.

use std::fmt;
use std::ops::Range;

use super::Linear;
use crate::memory::{LINE, Storage, WeightBytes};

/// Outputs side by side: the width of a tile.
pub(super) const PANEL: usize = 16;
/// Inputs that a dot product takes at once.
pub(super) const GROUP: usize = 4;
/// More inputs might overflow the sums of 32 bits.
const MOST_INPUTS: usize = 1 << 16;
/// Far more than any net has. Keeps all sizes within `usize`.
const MOST_OUTPUTS: usize = 1 << 24;

/// The parts of a [`Linear`] as they lie in memory, to be written to a file. [`Linear::from_packed`] reads them again.
#[derive(Debug, Clone, Copy)]
pub struct PackedLinear<'a> {
    /// The weights. In the file they start at a multiple of 64 bytes.
    pub weights: &'a [u8],
    /// What takes back that rows are stored plus 128.
    pub offsets: &'a [i32],
    /// The scale of each output.
    pub scales: &'a [f32],
    /// The bias of each output.
    pub bias: &'a [f32],
    /// The number of inputs.
    pub inputs: usize,
    /// The number of outputs. The other parts are padded to a multiple of sixteen.
    pub outputs: usize,
}

/// Where the parts of a [`PackedLinear`] are in a [`Storage`], in bytes. Numbers are in little-endian order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedLayout {
    /// The weights, starting at an address that is a multiple of 64.
    pub weights: Range<usize>,
    /// The offsets.
    pub offsets: Range<usize>,
    /// The scales.
    pub scales: Range<usize>,
    /// The bias.
    pub bias: Range<usize>,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of outputs.
    pub outputs: usize,
}

/// Why a storage does not contain what a layout says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// No product has these dimensions.
    Dimensions {
        /// The number of inputs.
        inputs: usize,
        /// The number of outputs.
        outputs: usize,
    },
    /// A part is not as long as the dimensions demand.
    Length {
        /// Which part.
        part: &'static str,
        /// The length that the dimensions demand, in bytes.
        expected: usize,
        /// The range that the layout gives.
        found: Range<usize>,
    },
    /// A part ends behind the end of the storage.
    OutOfBounds {
        /// Which part.
        part: &'static str,
        /// The range that the layout gives.
        range: Range<usize>,
        /// The length of the storage.
        length: usize,
    },
    /// The weights do not start at a multiple of 64 bytes in memory.
    Misaligned,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dimensions { inputs, outputs } => {
                write!(formatter, "a product of {inputs} inputs and {outputs} outputs is not supported")
            }
            Self::Length { part, expected, found } => {
                write!(formatter, "the {part} have the bytes {found:?}; {expected} bytes are expected")
            }
            Self::OutOfBounds { part, range, length } => {
                write!(formatter, "the {part} have the bytes {range:?} of only {length}")
            }
            Self::Misaligned => {
                write!(formatter, "the weights do not start at a multiple of {LINE} bytes in memory")
            }
        }
    }
}

impl std::error::Error for LayoutError {}

impl Linear {
    /// The parts as they lie in memory.
    pub fn packed(&self) -> PackedLinear<'_> {
        PackedLinear {
            weights: self.weights.as_slice(),
            offsets: &self.offsets,
            scales: &self.scales,
            bias: &self.bias,
            inputs: self.inputs(),
            outputs: self.outputs(),
        }
    }

    /// A product whose weights stay in the storage; the other, small parts are copied. Every range is checked.
    pub fn from_packed(storage: Storage, parts: PackedLayout) -> Result<Self, LayoutError> {
        let shape = Shape::new(parts.inputs, parts.outputs)?;
        let bytes = storage.bytes();
        let packed = part(bytes, "weights", &parts.weights, shape.weight_bytes())?;
        if !packed.as_ptr().addr().is_multiple_of(LINE) {
            return Err(LayoutError::Misaligned);
        }
        let length = shape.padded_outputs() * size_of::<f32>();
        let offsets =
            words(part(bytes, "offsets", &parts.offsets, length)?).map(i32::from_le_bytes).collect();
        let scales = words(part(bytes, "scales", &parts.scales, length)?).map(f32::from_le_bytes).collect();
        let bias = words(part(bytes, "biases", &parts.bias, length)?).map(f32::from_le_bytes).collect();
        let weights = WeightBytes::Borrowed { storage, range: parts.weights };
        Ok(Self::from_parts(weights, offsets, (scales, bias), shape))
    }
}

/// The bytes of a part, if they exist and are as many as expected.
fn part<'a>(
    bytes: &'a [u8],
    part: &'static str,
    range: &Range<usize>,
    expected: usize,
) -> Result<&'a [u8], LayoutError> {
    if range.end.checked_sub(range.start) != Some(expected) {
        return Err(LayoutError::Length { part, expected, found: range.clone() });
    }
    let found = bytes.get(range.clone());
    found.ok_or_else(|| LayoutError::OutOfBounds { part, range: range.clone(), length: bytes.len() })
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks().0.iter().copied()
}

/// The dimensions of a product, and the sizes that follow from them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    inputs: usize,
    outputs: usize,
}

impl Shape {
    pub(super) fn new(inputs: usize, outputs: usize) -> Result<Self, LayoutError> {
        let valid = (1..=MOST_INPUTS).contains(&inputs) && (1..=MOST_OUTPUTS).contains(&outputs);
        if valid { Ok(Self { inputs, outputs }) } else { Err(LayoutError::Dimensions { inputs, outputs }) }
    }

    pub(super) fn inputs(self) -> usize {
        self.inputs
    }

    pub(super) fn outputs(self) -> usize {
        self.outputs
    }

    /// Groups of a panel, padded to whole tiles. A group is a line.
    pub(super) fn groups(self) -> usize {
        self.inputs.next_multiple_of(LINE) / GROUP
    }

    /// Groups that contain weights; the others are padding.
    pub(super) fn used_groups(self) -> usize {
        self.inputs.div_ceil(GROUP)
    }

    pub(super) fn panels(self) -> usize {
        self.outputs.div_ceil(PANEL)
    }

    pub(super) fn padded_outputs(self) -> usize {
        self.panels() * PANEL
    }

    pub(super) fn weight_bytes(self) -> usize {
        self.panels() * self.groups() * LINE
    }
}
