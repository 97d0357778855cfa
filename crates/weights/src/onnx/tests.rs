use super::*;
use crate::error::WeightsError;
use crate::test_files::{
    CONFIG, Message, damage, expect_weights, onnx, onnx_file, onnx_model, onnx_node, onnx_tensor, read_all,
};

const FLOAT: u64 = 1;

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_quantized_export_gives_sizes_and_weights() {
    let model = onnx_model();
    assert_eq!(model.config().unwrap(), CONFIG);
    expect_weights(&model);
}

#[test]
fn weights_are_found_by_module_by_merged_name_and_by_place() {
    let attribute = |name: &str| Message::default().bytes(1, name.as_bytes());
    let gemm = onnx_node("/b/Gemm", "Gemm", &["x", "w2"], &["z"])
        .bytes(5, &attribute("transB").number(3, 1).number(20, 2).0);
    let nodes = [
        onnx_node("/a/c/MatMul", "MatMul", &["x", "onnx::MatMul_7"], &["y"]),
        gemm,
        onnx_node("/a/MatMul", "MatMul", &["x", "y"], &["q"]),
    ];
    let numbers = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let tensors = [
        onnx_tensor("onnx::MatMul_7", &[2, 3], FLOAT, &numbers),
        onnx_tensor("w2", &[2, 3], FLOAT, &numbers),
        onnx_tensor("norm.weight_merged_0", &[6], FLOAT, &numbers),
    ];
    let file = OnnxFile::from_bytes(onnx_file(&nodes, &tensors)).unwrap();
    for name in ["a.c.weight", "onnx::MatMul_7"] {
        assert_eq!(file.shape(name).unwrap(), [3, 2]);
        assert_eq!(file.floats(name).unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(file.matrix(name).unwrap().outputs(), 3);
    }
    assert_eq!(file.shape("b.weight").unwrap(), [2, 3]);
    assert_eq!(file.matrix("b.weight").unwrap().floats(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(file.floats("norm.weight").unwrap().len(), 6);
    assert!(!file.contains("a.weight"));
    let error = file.floats("a.weight").unwrap_err().to_string();
    assert!(error.contains("no tensor `a.weight`"), "{error}");
}

#[test]
fn nodes_have_their_attributes() {
    let node = onnx_node("n", "Conv", &["x", "", "b"], &["y"])
        .bytes(5, &Message::default().bytes(1, b"strides").number(8, 2).number(8, 3).0)
        .bytes(5, &Message::default().bytes(1, b"pads").bytes(8, &[1, 2]).0)
        .bytes(5, &Message::default().bytes(1, b"axis").number(3, u64::MAX).0)
        .bytes(5, &Message::default().bytes(1, b"zero").number(20, 2).0)
        .bytes(5, &Message::default().bytes(1, b"direction").bytes(4, b"forward").0);
    let mut alpha = Message::default().bytes(1, b"alpha");
    alpha.0.extend([0x15]);
    alpha.0.extend(0.25f32.to_le_bytes());
    let file = OnnxFile::from_bytes(onnx_file(&[node.bytes(5, &alpha.0)], &[])).unwrap();
    let node = file.node("n").unwrap();
    assert_eq!((node.operator.as_str(), node.inputs.len(), node.inputs[1].as_str()), ("Conv", 3, ""));
    assert_eq!(node.integers("strides"), Some(&[2, 3][..]));
    assert_eq!(node.integers("pads"), Some(&[1, 2][..]));
    assert_eq!((node.integer("axis"), node.integer("zero")), (Some(-1), Some(0)));
    assert_eq!(node.float("alpha"), Some(0.25));
    assert_eq!(node.attribute("direction"), Some(&Attribute::Text("forward".to_owned())));
    assert_eq!(node.integer("pads"), None);
}

#[test]
fn constants_and_the_branches_of_an_if_are_walked() {
    let value =
        Message::default().bytes(1, b"value").bytes(5, &onnx_tensor("", &[2], FLOAT, &floats(&[3.0, 4.0])).0);
    let constant = onnx_node("", "Constant", &[], &["c"]).bytes(5, &value.0);
    let inner = Message::default()
        .bytes(1, &onnx_node("/m/MatMul", "MatMul", &["x", "w"], &["y"]).0)
        .bytes(1, &constant.0)
        .bytes(5, &onnx_tensor("w", &[1, 2], FLOAT, &floats(&[1.0, 2.0])).0);
    let branch = onnx_node("if", "If", &["flag"], &["y"])
        .bytes(5, &Message::default().bytes(1, b"then").bytes(6, &inner.0).0);
    let file = OnnxFile::from_bytes(onnx_file(&[branch], &[])).unwrap();
    assert_eq!(file.floats("c").unwrap(), [3.0, 4.0]);
    assert_eq!(file.shape("m.weight").unwrap(), [2, 1]);
    assert_eq!(
        file.nodes().iter().map(|node| node.operator.as_str()).collect::<Vec<_>>(),
        ["If", "MatMul", "Constant"]
    );
}

#[test]
fn numbers_of_every_kind_and_place_are_read() {
    let typed =
        |name: &str, kind: u64| Message::default().number(1, 2).number(2, kind).bytes(8, name.as_bytes());
    let mut one_by_one = typed("one by one", FLOAT);
    for value in [1.5f32, -2.0] {
        one_by_one.0.push(4 << 3 | 5);
        one_by_one.0.extend(value.to_le_bytes());
    }
    let tensors = [
        one_by_one,
        typed("floats", FLOAT).bytes(4, &floats(&[1.5, -2.0])),
        typed("small", 3).bytes(5, &[5, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        typed("long", 7).number(7, 300).number(7, u64::MAX),
        typed("half", 10).bytes(9, &[0, 0x3C, 0, 0xC0]),
    ];
    let file = OnnxFile::from_bytes(onnx_file(&[onnx_node("", "Add", &[], &[])], &tensors)).unwrap();
    let read = |name: &str| file.floats(name).unwrap();
    assert_eq!(read("one by one"), [1.5, -2.0]);
    assert_eq!(read("floats"), [1.5, -2.0]);
    assert_eq!(read("small"), [5.0, -2.0]);
    assert_eq!(read("long"), [300.0, -1.0]);
    assert_eq!(read("half"), [1.0, -2.0]);
}

#[test]
fn the_zero_of_moonshine_convolutions_is_added() {
    let tensors = [
        onnx_tensor("conv1.weight_quantized", &[1, 1, 2], 3, &[10, 0xF6]),
        onnx_tensor("conv1.weight_scale", &[1], FLOAT, &floats(&[0.5])),
        onnx_tensor("conv1.weight_zero_point", &[1], FLOAT, &floats(&[0.25])),
        onnx_tensor("onnx::Mul_9", &[2, 1], FLOAT, &floats(&[7.0, 8.0])),
    ];
    let norm = onnx_node("/groupnorm/Mul", "Mul", &["/groupnorm/Reshape_output_0", "onnx::Mul_9"], &["y"]);
    let file = OnnxFile::from_bytes(onnx_file(std::slice::from_ref(&norm), &tensors)).unwrap();
    assert_eq!(file.floats("conv1.weight").unwrap(), [5.25, -4.75]);
    let decoder = OnnxFile::from_bytes(onnx_file(&[norm], &[])).unwrap();
    let model = OnnxModel::new(file, decoder, crate::Family::Moonshine);
    let floats = |name: &str| crate::TensorSource::floats(&model, name).unwrap();
    assert_eq!(floats("model.encoder.groupnorm.weight"), [7.0, 8.0]);
    assert_eq!(floats("model.encoder.conv1.weight"), [5.25, -4.75]);
}

#[test]
fn a_damaged_file_gives_an_error_or_a_model_but_never_panics() {
    let mut complete = 0;
    let decoder = onnx("decoder");
    damage(&onnx("encoder"), 2_000, |bytes| {
        if let Ok(file) = OnnxFile::from_bytes(bytes) {
            let decoder = OnnxFile::from_bytes(decoder.clone()).unwrap();
            let model = OnnxModel::new(file, decoder, crate::Family::Whisper);
            complete += usize::from(model.config().is_ok_and(|config| read_all(&model, &config).is_ok()));
        }
    });
    assert!(complete > 100, "{complete}");
}

#[test]
fn hostile_claims_are_refused() {
    let node = onnx_node("", "Add", &[], &[]);
    let error = |tensor: Message| {
        let file = OnnxFile::from_bytes(onnx_file(std::slice::from_ref(&node), &[tensor]));
        file.and_then(|file| file.floats("a")).unwrap_err().to_string()
    };
    let raw = floats(&[1.0, 2.0]);
    assert!(error(onnx_tensor("a", &[3], FLOAT, &raw)).contains("needs 12 bytes and has 8"));
    assert!(error(onnx_tensor("a", &[1 << 40, 1 << 40], FLOAT, &raw)).contains("needs more bytes"));
    assert!(error(onnx_tensor("a", &[usize::MAX], FLOAT, &raw)).contains("negative"));
    assert!(error(onnx_tensor("a", &[1; 17], FLOAT, &raw)).contains("more than 16 dimensions"));
    assert!(error(Message::default().bytes(1, &[1; 1_000])).contains("more than 16 dimensions"));
    assert!(error(onnx_tensor("a", &[2], 8, &raw)).contains("data type 8"));
    assert!(error(onnx_tensor("a", &[2], FLOAT, &raw).number(14, 1)).contains("separate file"));
    let twice = [onnx_tensor("a", &[2], FLOAT, &raw), onnx_tensor("a", &[2], FLOAT, &raw)];
    let error = OnnxFile::from_bytes(onnx_file(&[node], &twice)).unwrap_err().to_string();
    assert!(error.contains("two tensors with the name `a`"), "{error}");
}

#[test]
fn graphs_in_graphs_without_end_are_refused() {
    let mut graph = Message::default().bytes(1, &onnx_node("", "Add", &[], &[]).0);
    for _ in 0..20 {
        let branch = Message::default().bytes(1, b"then").bytes(6, &graph.0);
        graph = Message::default().bytes(1, &onnx_node("", "If", &[], &[]).bytes(5, &branch.0).0);
    }
    let error = OnnxFile::from_bytes(Message::default().bytes(7, &graph.0).0).unwrap_err();
    assert!(matches!(&error, WeightsError::Damaged { what } if what.contains("nested")), "{error}");
}

#[test]
fn a_scale_for_each_output_belongs_to_the_outputs_of_a_product() {
    let node = onnx_node("/a/MatMul_quant", "MatMulInteger", &["x", "w_quantized"], &["y"]);
    let tensors = |scales: usize| {
        [
            onnx_tensor("w_quantized", &[3, 2], 3, &[1, 2, 3, 4, 5, 6]),
            onnx_tensor("w_scale", &[scales], FLOAT, &floats(&vec![2.0; scales])),
        ]
    };
    let file = |scales: usize| {
        OnnxFile::from_bytes(onnx_file(std::slice::from_ref(&node), &tensors(scales))).unwrap()
    };
    assert_eq!(file(2).matrix("a.weight").unwrap().floats(), [2.0, 6.0, 10.0, 4.0, 8.0, 12.0]);
    assert!(file(3).matrix("a.weight").is_err());
    assert!(file(0).matrix("a.weight").is_err());
}
