"""Repairs the decoders of the published exports for ONNX Runtime.

They end with `logits = hidden x dequantize(transpose(embeddings))`, and transpose and dequantize the whole table in every
step. The repaired graph contains the transposed table and multiplies integers, as the other products of the graph do.
"""
import pathlib

import numpy
import onnx
from onnx import helper, numpy_helper


def repaired(path, folder):
    """The repaired file of a decoder in `folder`, written if it is not there yet."""
    target = pathlib.Path(folder) / f"repaired-{pathlib.Path(path).name}.onnx"
    if not target.exists():
        model = onnx.load(path)
        for graph in branches(model.graph):
            repair(model.graph, graph)
        part = target.with_suffix(".part")
        onnx.save(model, str(part))
        part.rename(target)
    return str(target)


def branches(graph):
    return [attribute.g for node in graph.node if node.op_type == "If" for attribute in node.attribute]


def repair(outer, graph):
    producers = {output: node for node in graph.node for output in node.output}
    product = producers["logits"]
    dequantize = producers[product.input[1]]
    transpose = producers[dequantize.input[0]]
    assert (product.op_type, dequantize.op_type, transpose.op_type) == ("MatMul", "DequantizeLinear", "Transpose")
    weights = transposed_table(outer, transpose.input[0])
    nodes = integer_product(product.input[0], weights, dequantize.input[1], dequantize.input[2])
    kept = [node for node in graph.node if node not in (product, dequantize, transpose)]
    del graph.node[:]
    graph.node.extend(kept + nodes)


def transposed_table(outer, name):
    """Adds the transposed table to the graph, once for both branches, and returns its name."""
    transposed = f"{name}_transposed_once"
    if transposed not in {tensor.name for tensor in outer.initializer}:
        (table,) = [tensor for tensor in outer.initializer if tensor.name == name]
        array = numpy.ascontiguousarray(numpy_helper.to_array(table).T)
        outer.initializer.append(numpy_helper.from_array(array, transposed))
    return transposed


def integer_product(hidden, weights, scale, zero):
    return [
        helper.make_node("DynamicQuantizeLinear", [hidden], ["logits_in", "logits_in_scale", "logits_in_zero"]),
        helper.make_node("MatMulInteger", ["logits_in", weights, "logits_in_zero", zero], ["logits_integers"]),
        helper.make_node("Cast", ["logits_integers"], ["logits_floats"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Mul", ["logits_in_scale", scale], ["logits_scale"]),
        helper.make_node("Mul", ["logits_floats", "logits_scale"], ["logits"]),
    ]
