"""Converts the ONNX files of a Whisper model that Auris installs to CTranslate2, for faster-whisper.

The weights are the same, and no download is needed. They are dequantised, and CTranslate2 quantises them again by row.
"""
import json
import pathlib
import shutil

import numpy
import onnx
from ctranslate2.specs import whisper_spec
from onnx import numpy_helper

from recordings import model_files

HEADS = {"whisper-tiny": 6, "whisper-base": 8, "whisper-small": 12}
LAYERS = {"whisper-tiny": 4, "whisper-base": 6, "whisper-small": 12}


class Weights:
    """The tensors of an ONNX export by the names of the original model. Quantised tensors are dequantised."""

    def __init__(self, path, prefix, suffix):
        graph = onnx.load(path).graph
        self.prefix, self.suffix = prefix, suffix
        self.nodes = list(all_nodes(graph))
        self.tensors = {tensor.name: tensor for tensor in all_tensors(graph)}
        self.products = {}
        for node in self.nodes:
            if node.op_type in ("MatMulInteger", "ConvInteger"):
                self.products.setdefault(scope(node.name), node)

    def array(self, name):
        return numpy_helper.to_array(self.tensors[name])

    def plain(self, name):
        return self.array(self.prefix + name + self.suffix).astype(numpy.float32)

    def dequantised(self, name):
        scale, zero = self.array(name.replace("_quantized", "_scale")), self.array(name.replace("_quantized", "_zero_point"))
        return (self.array(name).astype(numpy.float32) - zero.astype(numpy.float32)) * scale

    def matrix(self, layer):
        """The weights of a linear layer, output by input, found by the scope of the node that uses them."""
        return self.dequantised(self.products[layer].input[1]).T.copy()

    def kernel(self, layer):
        return self.dequantised(self.products[layer].input[1])


def all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from all_nodes(attribute.g)


def all_tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from all_tensors(attribute.g)


def scope(name):
    """`/model/decoder/layers.0/fc1/MatMul_quant` is `layers.0.fc1`."""
    parts = [part for part in name.strip("/").split("/")[:-1] if part not in ("model", "decoder", "encoder")]
    return ".".join(parts)


def set_linear(spec, weights, layer, bias=True):
    spec.weight = weights.matrix(layer)
    if bias:
        spec.bias = weights.plain(f"{layer}.bias")


def set_norm(spec, weights, layer):
    spec.gamma, spec.beta = weights.plain(f"{layer}.weight"), weights.plain(f"{layer}.bias")


def set_attention(spec, weights, layer, is_self_attention):
    """Sets query, key and value: one matrix in self-attention; in cross-attention, the query has a separate matrix."""
    query, key, value = ((weights.matrix(f"{layer}.{part}_proj")) for part in "qkv")
    # Keys have no bias in this model.
    query_bias, value_bias = weights.plain(f"{layer}.q_proj.bias"), weights.plain(f"{layer}.v_proj.bias")
    key_bias = numpy.zeros_like(query_bias)
    if is_self_attention:
        spec.linear[0].weight = numpy.concatenate([query, key, value])
        spec.linear[0].bias = numpy.concatenate([query_bias, key_bias, value_bias])
    else:
        spec.linear[0].weight, spec.linear[0].bias = query, query_bias
        spec.linear[1].weight = numpy.concatenate([key, value])
        spec.linear[1].bias = numpy.concatenate([key_bias, value_bias])
    set_linear(spec.linear[-1], weights, f"{layer}.out_proj")


def set_layer(spec, weights, layer):
    set_norm(spec.self_attention.layer_norm, weights, f"{layer}.self_attn_layer_norm")
    set_attention(spec.self_attention, weights, f"{layer}.self_attn", is_self_attention=True)
    if hasattr(spec, "attention"):
        set_norm(spec.attention.layer_norm, weights, f"{layer}.encoder_attn_layer_norm")
        set_attention(spec.attention, weights, f"{layer}.encoder_attn", is_self_attention=False)
    set_norm(spec.ffn.layer_norm, weights, f"{layer}.final_layer_norm")
    set_linear(spec.ffn.linear_0, weights, f"{layer}.fc1")
    set_linear(spec.ffn.linear_1, weights, f"{layer}.fc2")


def set_encoder(spec, weights):
    for conv in ("conv1", "conv2"):
        getattr(spec, conv).weight, getattr(spec, conv).bias = weights.kernel(conv), weights.plain(f"{conv}.bias")
    set_common(spec, weights)


def set_decoder(spec, weights):
    # The token embeddings are also the output projection.
    table = weights.dequantised("model.decoder.embed_tokens.weight_merged_0_quantized")
    spec.embeddings.weight = table
    spec.projection.weight = table.copy()
    set_common(spec, weights)


def set_common(spec, weights):
    spec.position_encodings.encodings = weights.plain("embed_positions.weight")
    set_norm(spec.layer_norm, weights, "layer_norm")
    for nth, layer in enumerate(spec.layer):
        set_layer(layer, weights, f"layers.{nth}")


def vocabulary(tokenizer, size):
    content = json.loads(pathlib.Path(tokenizer).read_text())
    tokens = dict((number, token) for token, number in content["model"]["vocab"].items())
    tokens.update((added["id"], added["content"]) for added in content["added_tokens"])
    first = max(tokens) + 1
    tokens.update((number, f"<|{(number - first) * 0.02:.2f}|>") for number in range(first, size))
    return [tokens[number] for number in range(size)]


def convert(model, folder):
    """Writes the model into `folder`, unless it is there already."""
    folder = pathlib.Path(folder)
    if (folder / "model.bin").exists():
        return folder
    files, layers, heads = model_files(model), LAYERS[model], HEADS[model]
    spec = whisper_spec.WhisperSpec(layers, heads, layers, heads)
    set_encoder(spec.encoder, Weights(files["encoder_model_quantized.onnx"], "", ""))
    set_decoder(spec.decoder, Weights(files["decoder_model_merged_quantized.onnx"], "model.decoder.", "_merged_0"))
    spec.register_vocabulary(vocabulary(files["tokenizer.json"], spec.get_vocabulary_size()))
    from onnx_nets import Whisper

    spec.config.suppress_ids = Whisper.UNSPOKEN + [50358, 50359, 50360, 50361, 50362]
    spec.config.suppress_ids_begin = [220, 50257]
    spec.config.lang_ids = list(range(50259, 50358))
    spec.config.alignment_heads = [(layer, head) for layer in range(layers // 2, layers) for head in range(heads)]
    spec.validate()
    spec.optimize(quantization="int8")
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    shutil.copy(files["tokenizer.json"], folder / "tokenizer.json")
    return folder
