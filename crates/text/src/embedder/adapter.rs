//! The adapter for sentiment: changes of low rank to the products of the network's first layers.
//!
//! `scripts/lib/text/train_sentiment_adapter.py` makes the file and describes it.

use std::sync::LazyLock;

const FILE: &[u8] = include_bytes!("../data/sentiment_adapter.bin");
static ADAPTER: LazyLock<Option<Adapter>> = LazyLock::new(|| Adapter::read(FILE));

/// A product of a layer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Product {
    Query,
    Key,
    Value,
    AttentionOutput,
    Up,
    Down,
}

impl Product {
    /// In the order of the file.
    const ALL: [Self; 6] = [Self::Query, Self::Key, Self::Value, Self::AttentionOutput, Self::Up, Self::Down];

    /// Its name in a layer of the network.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Query => "attention.self.query",
            Self::Key => "attention.self.key",
            Self::Value => "attention.self.value",
            Self::AttentionOutput => "attention.output.dense",
            Self::Up => "intermediate.dense",
            Self::Down => "output.dense",
        }
    }

    /// The numbers of inputs and outputs.
    fn sizes(self, width: usize, inner: usize) -> (usize, usize) {
        match self {
            Self::Query | Self::Key | Self::Value | Self::AttentionOutput => (width, width),
            Self::Up => (width, inner),
            Self::Down => (inner, width),
        }
    }
}

/// The changes to the first layers.
pub(super) struct Adapter {
    pub(super) layers: Vec<LayerChanges>,
}

/// The changes to the products of a layer.
pub(super) struct LayerChanges(Vec<LowRank>);

/// A matrix of low rank: a sum of products of a column and a row.
pub(super) struct LowRank(Vec<Rank>);

struct Rank {
    scale: f32,
    inputs: Vec<i8>,
    outputs: Vec<i8>,
}

/// The adapter of this build, or `None` if its file is damaged.
pub(super) fn built_in() -> Option<&'static Adapter> {
    ADAPTER.as_ref()
}

impl Adapter {
    /// `None` if the bytes do not have the length that their first numbers require.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut size = || Some(usize::from(u16::from_le_bytes(take(&mut rest)?)));
        let count = size()?;
        let rank = size()?;
        let width = size()?;
        let inner = size()?;
        let mut product = |product: &Product| {
            let sizes = product.sizes(width, inner);
            Some(LowRank((0..rank).map(|_| Rank::read(&mut rest, sizes)).collect::<Option<_>>()?))
        };
        let mut layer = |_| Some(LayerChanges(Product::ALL.iter().map(&mut product).collect::<Option<_>>()?));
        let layers = (0..count).map(&mut layer).collect::<Option<_>>()?;
        rest.is_empty().then_some(Self { layers })
    }
}

impl LayerChanges {
    pub(super) fn of(&self, product: Product) -> &LowRank {
        &self.0[product as usize]
    }
}

impl LowRank {
    /// Adds the change to weights that have a row of `inputs` for each output. Returns whether the sizes fit.
    pub(super) fn add_to(&self, weights: &mut [f32], inputs: usize) -> bool {
        let fits = |rank: &Rank| rank.inputs.len() == inputs && rank.outputs.len() * inputs == weights.len();
        if inputs == 0 || !self.0.iter().all(fits) {
            return false;
        }
        for rank in &self.0 {
            for (row, output) in weights.chunks_exact_mut(inputs).zip(&rank.outputs) {
                let factor = rank.scale * f32::from(*output);
                row.iter_mut()
                    .zip(&rank.inputs)
                    .for_each(|(weight, input)| *weight += factor * f32::from(*input));
            }
        }
        true
    }
}

impl Rank {
    fn read(rest: &mut &[u8], (inputs, outputs): (usize, usize)) -> Option<Self> {
        let scale = f32::from_le_bytes(take(rest)?);
        Some(Self { scale, inputs: integers(rest, inputs)?, outputs: integers(rest, outputs)? })
    }
}

fn integers(rest: &mut &[u8], count: usize) -> Option<Vec<i8>> {
    let (bytes, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(bytes.iter().map(|byte| i8::from_le_bytes([*byte])).collect())
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_off_or_too_long_is_refused() {
        assert!(built_in().is_some_and(|adapter| adapter.layers.len() == 4));
        assert!(Adapter::read(&FILE[..FILE.len() - 1]).is_none() && Adapter::read(&[]).is_none());
        assert!(Adapter::read(&[FILE, &[0]].concat()).is_none());
        assert!(FILE.len() < 600_000, "{}", FILE.len());
    }

    #[test]
    fn a_change_is_the_scaled_product_of_a_column_and_a_row() {
        let change = LowRank(vec![Rank { scale: 0.5, inputs: vec![1, 2], outputs: vec![2, -4, 0] }]);
        let mut weights = vec![1.0; 6];
        assert!(change.add_to(&mut weights, 2));
        assert_eq!(weights, [2.0, 3.0, -1.0, -3.0, 1.0, 1.0]);
        assert!(!change.add_to(&mut weights, 3) && !change.add_to(&mut weights[..4], 2));
    }
}
