//! One ONNX file, mapped or in memory.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::bytes::FileBytes;
use crate::error::WeightsError;
use crate::matrix::Matrix;
use crate::onnx::graph::Graph;
use crate::onnx::initializer::Initializer;
use crate::onnx::node::Node;
use crate::onnx::quantized::QuantizedTensor;
use crate::source::TensorSource;
use crate::tensor::Tensor;

/// What the quantizer appends to the name of weights.
const QUANTIZED: &str = "_quantized";
/// What the exporter appends to the name of weights that both branches of a merged decoder use.
const MERGED: &str = "_merged_0";

/// An ONNX file: its tensors and its nodes.
///
/// A tensor is found by
/// - the name of an initializer (`encoder.0.weight`, `onnx::LSTM_209`) or of the output of a `Constant` node,
/// - the name of weights before they were quantized or merged: `conv1.weight` finds `conv1.weight_quantized` with its
///   scale and zero point, and `embed_tokens.weight` finds `embed_tokens.weight_merged_0`,
/// - the path of a product's module: `encoder.layer.0.output.dense.weight` finds what the node
///   `/encoder/layer.0/output/dense/MatMul` multiplies with, whatever that is named (`onnx::MatMul_123`).
///
/// Anonymous initializers are found by their place in the graph: see [`OnnxFile::nodes`].
#[derive(Debug)]
pub struct OnnxFile {
    bytes: FileBytes,
    graph: Graph,
    /// From the path of a module to the index of the node that multiplies with its weights.
    products: HashMap<String, usize>,
    /// Names of weights that are stored input by input, before they were quantized.
    columns: HashSet<String>,
}

/// Where weights are.
struct Place {
    /// The name before the weights were quantized.
    base: String,
    is_columns: bool,
    is_quantized: bool,
}

impl OnnxFile {
    /// Maps a file. Fails if it cannot be read or is not an ONNX file.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        Self::new(FileBytes::open(path)?).map_err(|error| error.of_file(path))
    }

    /// Reads a file that is in memory, such as one that was built into the program.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, WeightsError> {
        Self::new(FileBytes::from_memory(bytes))
    }

    fn new(bytes: FileBytes) -> Result<Self, WeightsError> {
        let graph = Graph::read(bytes.as_ref())?;
        // The pages between the tensors were read with those around them.
        bytes.release();
        let mut file = Self { bytes, graph, products: HashMap::new(), columns: HashSet::new() };
        file.find_products();
        Ok(file)
    }

    /// All nodes in the order of the file, with those of the branches of an `If` after it.
    pub fn nodes(&self) -> &[Node] {
        &self.graph.nodes
    }

    /// The first node with this name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes().iter().find(|node| node.name == name)
    }

    /// Whether there is a tensor with this name.
    pub fn contains(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The sizes of a tensor, the outermost first. The weights of a product have outputs × inputs.
    pub fn shape(&self, name: &str) -> Result<Vec<usize>, WeightsError> {
        let place = self.find(name)?;
        let mut shape = self.stored(&place)?.shape.clone();
        if place.is_columns {
            shape.reverse();
        }
        Ok(shape)
    }

    /// A tensor as floats, in the order of its shape. Integers become floats, and quantized weights what they stand for.
    pub fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        let place = self.find(name)?;
        match (place.is_columns, place.is_quantized) {
            (true, _) => Ok(self.matrix_at(&place)?.floats()),
            (false, true) => self.quantized(&place)?.floats(),
            (false, false) => Ok(self.stored(&place)?.tensor(&self.bytes)?.floats()),
        }
    }

    /// The weights of a product: a row of inputs per output. Quantized weights stay integers.
    pub fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        let place = self.find(name)?;
        self.matrix_at(&place).map_err(|error| error.of_tensor(name))
    }

    fn matrix_at(&self, place: &Place) -> Result<Matrix, WeightsError> {
        if place.is_quantized {
            return self.quantized(place)?.matrix(place.is_columns);
        }
        let tensor = self.stored(place)?.tensor(&self.bytes)?;
        if place.is_columns { Matrix::from_columns(tensor) } else { Matrix::from_rows(tensor) }
    }

    fn quantized(&self, place: &Place) -> Result<QuantizedTensor, WeightsError> {
        let part = |suffix: &str| self.tensor(&format!("{}{suffix}", place.base));
        let zero_name = format!("{}_zero_point", place.base);
        let zero =
            self.graph.initializers.contains_key(&zero_name).then(|| self.tensor(&zero_name)).transpose()?;
        QuantizedTensor::new(part(QUANTIZED)?, &part("_scale")?, zero.as_ref())
    }

    /// The tensor as it is in the file.
    fn stored(&self, place: &Place) -> Result<&Initializer, WeightsError> {
        let name = if place.is_quantized { format!("{}{QUANTIZED}", place.base) } else { place.base.clone() };
        self.graph.initializers.get(&name).ok_or_else(|| WeightsError::missing(name))
    }

    fn tensor(&self, name: &str) -> Result<Tensor, WeightsError> {
        let found = self.graph.initializers.get(name).ok_or_else(|| WeightsError::missing(name))?;
        found.tensor(&self.bytes)
    }

    fn find(&self, name: &str) -> Result<Place, WeightsError> {
        self.place(name).ok_or_else(|| WeightsError::missing(name))
    }

    fn place(&self, name: &str) -> Option<Place> {
        let product = name.strip_suffix(".weight").and_then(|path| self.products.get(path));
        if let Some(node) = product.and_then(|index| self.graph.nodes.get(*index)) {
            return self.place_of(node.inputs.get(1)?.trim_end_matches(QUANTIZED));
        }
        self.place_of(name).or_else(|| self.place_of(&format!("{name}{MERGED}")))
    }

    fn place_of(&self, base: &str) -> Option<Place> {
        let is_float = self.graph.initializers.contains_key(base);
        let is_quantized = self.graph.initializers.contains_key(&format!("{base}{QUANTIZED}"));
        let is_columns = self.columns.contains(base);
        (is_float || is_quantized).then(|| Place {
            base: base.to_owned(),
            is_columns,
            is_quantized: !is_float,
        })
    }

    /// Finds the nodes that multiply with weights of the file, and how those weights lie.
    fn find_products(&mut self) {
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let is_columns = match node.operator.as_str() {
                "MatMul" | "MatMulInteger" => true,
                "Gemm" => node.integer("transB").unwrap_or(0) == 0,
                _ => continue,
            };
            let Some(weights) = node.inputs.get(1) else { continue };
            let known = self.graph.initializers.get(weights);
            if known.is_none_or(|tensor| tensor.shape.len() != 2) {
                continue;
            }
            if is_columns {
                self.columns.insert(weights.trim_end_matches(QUANTIZED).to_owned());
            }
            self.products.entry(module_path(&node.name)).or_insert(index);
        }
    }
}

impl TensorSource for OnnxFile {
    fn contains(&self, name: &str) -> bool {
        Self::contains(self, name)
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>, WeightsError> {
        Self::shape(self, name)
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        Self::floats(self, name)
    }

    fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        Self::matrix(self, name)
    }
}

/// The module that a node belongs to: `layers.0.fc1` for `/layers.0/fc1/MatMul_quant`.
fn module_path(node: &str) -> String {
    let path = node.trim_start_matches('/');
    path.rsplit_once('/').map_or(path, |(module, _)| module).replace('/', ".")
}
