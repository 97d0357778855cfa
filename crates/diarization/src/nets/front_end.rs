//! The front end of CAM++: residual blocks of two-dimensional convolutions, which reduce 80 bands to 10.

use auris_weights::WeightsError;

use super::graph::Graph;
use super::plane::{Plane, PlaneConvolution};

/// Bands of the input, and of the output.
const BANDS: usize = 80;
pub(super) const REDUCED_BANDS: usize = 10;

/// The residual blocks, and by which factor each reduces the bands.
const BLOCKS: [(&str, usize); 4] =
    [("layer1/layer1.0", 2), ("layer1/layer1.1", 1), ("layer2/layer2.0", 2), ("layer2/layer2.1", 1)];

/// The front end.
pub(super) struct FrontEnd {
    first: PlaneConvolution,
    blocks: Vec<ResidualBlock>,
    last: PlaneConvolution,
}

struct ResidualBlock {
    first: PlaneConvolution,
    second: PlaneConvolution,
    /// `None` if the input itself is added.
    shortcut: Option<PlaneConvolution>,
}

impl FrontEnd {
    pub(super) fn load(graph: &Graph) -> Result<Self, WeightsError> {
        let blocks = BLOCKS.iter().map(|(name, stride)| ResidualBlock::load(graph, name, *stride));
        Ok(Self {
            first: convolution(graph, "conv1", 1)?,
            blocks: blocks.collect::<Result<_, _>>()?,
            last: convolution(graph, "conv2", 2)?,
        })
    }

    /// Reads rows of bands and returns a row for each frame: the channels of all reduced bands, band by band.
    pub(super) fn run(&self, rows: &[f32]) -> Vec<f32> {
        let mut plane = self.first.run(&Plane::of_rows(rows, BANDS)).relu();
        for block in &self.blocks {
            plane = block.run(&plane);
        }
        self.last.run(&plane).relu().to_rows()
    }
}

impl ResidualBlock {
    fn load(graph: &Graph, name: &str, stride: usize) -> Result<Self, WeightsError> {
        let shortcut = || convolution(graph, &format!("{name}/shortcut/shortcut.0"), stride);
        Ok(Self {
            first: convolution(graph, &format!("{name}/conv1"), stride)?,
            second: convolution(graph, &format!("{name}/conv2"), 1)?,
            shortcut: (stride > 1).then(shortcut).transpose()?,
        })
    }

    fn run(&self, x: &Plane) -> Plane {
        let mut y = self.second.run(&self.first.run(x).relu());
        match &self.shortcut {
            Some(shortcut) => y.add(&shortcut.run(x)),
            None => y.add(x),
        }
        y.relu()
    }
}

fn convolution(graph: &Graph, name: &str, stride: usize) -> Result<PlaneConvolution, WeightsError> {
    Ok(PlaneConvolution::new(&graph.convolution(&format!("head/{name}"))?, stride))
}
