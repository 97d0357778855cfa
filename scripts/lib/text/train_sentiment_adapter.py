#!/usr/bin/env python3
"""Trains the sentiment adapter and writes crates/text/src/data/sentiment_adapter.bin. Needs jax, onnx and tokenizers.

    train_sentiment_adapter.py DATA MODEL ADAPTER [--epochs N]

DATA has texts.json from `train_sentiment.py texts`, MODEL the files of the network `minilm-l6-v2`. The adapter changes
every product of the network's first layers by a product of low rank. It is trained with the sentiment of the texts, and
with their emotions as a second task. Prints the figures of the development sets for a linear head, which is not kept:
`train_sentiment.py train` trains the head on the features of the adapted network.

The file, little-endian: u16 layers, u16 rank, u16 width, u16 inner width; then for each layer and each of the products
query, key, value, attention output, up, down, for each rank: f32 scale, i8 for each input, i8 for each output.
"""

import argparse
import json
import os
import struct
import time
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer
from train_sentiment import report

LAYERS, RANK, HEADS = 4, 16, 12
PRODUCTS = {
    "query": "attention/self/query", "key": "attention/self/key", "value": "attention/self/value",
    "out": "attention/output/dense", "up": "intermediate/dense", "down": "output/dense",
}
BUCKETS, BATCH = (8, 12, 16, 24, 32, 48), 64
RATE, HEAD_RATE, WARM_UP, DROPOUT, EMOTION_SHARE = 1e-3, 3e-3, 100, 0.1, 0.3


def read_net(path):
    """The float weights of the first layers."""
    graph = onnx.load(str(path)).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def floats(name):
        if name in stored:
            return stored[name].astype(np.float32)
        zero = stored[name + "_zero_point"].astype(np.float32)
        return (stored[name + "_quantized"].astype(np.float32) - zero) * stored[name + "_scale"]

    weights = {node.name: node.input[1] for node in graph.node if node.op_type == "MatMulInteger"}
    net = {name: floats(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")}
    net["norm"] = [floats(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
    net["layers"] = []
    for nth in range(LAYERS):
        layer = {}
        for name, place in PRODUCTS.items():
            node = next(node for node in weights if f"layer.{nth}/{place}/MatMul" in node)
            bias = floats(f"encoder.layer.{nth}.{place.replace('/', '.')}.bias")
            layer[name] = (floats(weights[node].removesuffix("_quantized")), bias)
        for name, place in (("attention_norm", "attention.output"), ("output_norm", "output")):
            norm = f"encoder.layer.{nth}.{place}.LayerNorm"
            layer[name] = [floats(f"{norm}.{part}") for part in ("weight", "bias")]
        net["layers"].append(layer)
    return net


def new_adapter(net, seed):
    random = np.random.default_rng(seed)
    layers = []
    for layer in net["layers"]:
        pairs = {}
        for name in PRODUCTS:
            inputs, outputs = layer[name][0].shape
            first = random.normal(0, inputs**-0.5, (inputs, RANK)).astype(np.float32)
            pairs[name] = (first, np.zeros((RANK, outputs), np.float32))
        layers.append(pairs)
    return layers


def norm(rows, gain, bias):
    mean = rows.mean(-1, keepdims=True)
    spread = ((rows - mean) ** 2).mean(-1, keepdims=True)
    return (rows - mean) * jax.lax.rsqrt(spread + 1e-12) * gain + bias


def embed(adapter, net, tokens):
    """The normalized mean of the last hidden rows."""
    mask = (tokens > 0).astype(jnp.float32)
    rows = net["word"][tokens] + net["position"][: tokens.shape[1]] + net["token_type"][0]
    # A row for each token of all texts: with three dimensions the gradients are four times slower.
    rows = norm(rows.reshape(tokens.size, -1), *net["norm"])
    for layer, pairs in zip(net["layers"], adapter):
        def product(name, rows):
            (weights, bias), (first, second) = layer[name], pairs[name]
            return rows @ weights + (rows @ first) @ second + bias

        split = lambda rows: rows.reshape(*tokens.shape, HEADS, -1).transpose(0, 2, 1, 3)
        query, key, value = (split(product(name, rows)) for name in ("query", "key", "value"))
        scores = query @ key.transpose(0, 1, 3, 2) * query.shape[-1] ** -0.5
        shares = jax.nn.softmax(scores + (mask[:, None, None, :] - 1) * 1e9)
        mixed = (shares @ value).transpose(0, 2, 1, 3).reshape(rows.shape)
        rows = norm(rows + product("out", mixed), *layer["attention_norm"])
        inner = jax.nn.gelu(product("up", rows), approximate=False)
        rows = norm(rows + product("down", inner), *layer["output_norm"])
    mean = (rows.reshape(*tokens.shape, -1) * mask[..., None]).sum(1)
    return mean * jax.lax.rsqrt((mean**2).sum(-1, keepdims=True) + 1e-12)


def loss(parts, net, batch, kept):
    vectors = embed(parts["adapter"], net, batch["tokens"]) * 20 * kept
    total = 0.0
    for name, (weights, bias) in parts["heads"].items():
        scores = jax.nn.log_softmax(vectors @ weights + bias)
        share = 1.0 if name == "sentiment" else EMOTION_SHARE
        total -= share * (scores * batch[name]).sum() / len(batch["tokens"])
    return total


@jax.jit
def step(parts, moments, net, batch, kept, rate, nth):
    value, gradients = jax.value_and_grad(loss)(parts, net, batch, kept)
    first = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, moments[0], gradients)
    second = jax.tree.map(lambda old, new: 0.98 * old + 0.02 * new**2, moments[1], gradients)

    def moved(rate, decay):
        def move(part, first, second):
            change = first / (1 - 0.9**nth) / (jnp.sqrt(second / (1 - 0.98**nth)) + 1e-8)
            return part - rate * (change + decay * part)
        return move

    parts = {
        "adapter": jax.tree.map(moved(rate, 0.01), parts["adapter"], first["adapter"], second["adapter"]),
        "heads": jax.tree.map(moved(rate * HEAD_RATE / RATE, 0.01), parts["heads"], first["heads"], second["heads"]),
    }
    return parts, (first, second), value


def padded(rows, size):
    tokens = np.zeros((len(rows), size), np.int32)
    for row, ids in zip(tokens, rows):
        row[: len(ids)] = ids
    return tokens


def batches(lengths, random):
    """Lists of texts whose lengths are in the same bucket."""
    lists = []
    bucket_of = np.searchsorted(BUCKETS, lengths)
    for bucket in range(len(BUCKETS)):
        texts = random.permutation(np.flatnonzero(bucket_of == bucket))
        lists += [(bucket, texts[at : at + BATCH]) for at in range(0, len(texts) - BATCH + 1, BATCH)]
    return [lists[nth] for nth in random.permutation(len(lists))]


def train(net, adapter, data, epochs):
    random = np.random.default_rng(3)
    heads = {name: (np.zeros((net["norm"][0].size, rows.shape[1]), np.float32), np.zeros(rows.shape[1], np.float32))
             for name, rows in data["targets"].items()}
    parts = {"adapter": adapter, "heads": heads}
    moments = (jax.tree.map(np.zeros_like, parts), jax.tree.map(np.zeros_like, parts))
    steps, nth, begin, values = None, 0, time.time(), []
    for epoch in range(epochs):
        lists = batches(data["lengths"], random)
        steps = steps or len(lists) * epochs
        for bucket, texts in lists:
            nth += 1
            rate = float(RATE * min(nth / WARM_UP, 0.5 * (1 + np.cos(np.pi * min(1, nth / steps)))))
            batch = {"tokens": padded([data["tokens"][text] for text in texts], BUCKETS[bucket])}
            batch |= {name: rows[texts] for name, rows in data["targets"].items()}
            kept = (random.random((len(texts), net["norm"][0].size)) > DROPOUT) / np.float32(1 - DROPOUT)
            parts, moments, value = step(parts, moments, net, batch, kept.astype(np.float32), rate, float(nth))
            values.append(value)
            if nth % 50 == 0:
                print(f"epoch {epoch} step {nth} of {steps}: loss {np.mean(values[-50:]):.4f}, "
                      f"{nth * BATCH / (time.time() - begin):.0f} texts/s", flush=True)
        yield epoch, parts


def vectors(adapter, net, tokens):
    run = jax.jit(embed)
    made = np.zeros((len(tokens), net["norm"][0].size), np.float32)
    bucket_of = np.searchsorted(BUCKETS, [len(ids) for ids in tokens])
    for bucket, size in enumerate(BUCKETS):
        texts = np.flatnonzero(bucket_of == bucket)
        for at in range(0, len(texts), BATCH):
            chosen = texts[at : at + BATCH]
            rows = padded([tokens[text] for text in chosen], size)
            rows = np.concatenate([rows, np.ones((BATCH - len(chosen), size), np.int32)])
            made[chosen] = np.asarray(run(adapter, net, rows))[: len(chosen)]
    return made


def quantized(adapter):
    """The adapter as it is stored: for each product the scale of each rank, its inputs and its outputs."""
    layers = []
    for pairs in adapter:
        layer = {}
        for name, (first, second) in pairs.items():
            first, second = np.asarray(first).T, np.asarray(second)
            scales = [np.abs(rows).max(1) / 127 + 1e-12 for rows in (first, second)]
            integers = [np.round(rows / scale[:, None]).astype(np.int8) for rows, scale in zip((first, second), scales)]
            layer[name] = (scales[0] * scales[1], *integers)
        layers.append(layer)
    return layers


def write(path, layers):
    with open(path, "wb") as file:
        width, inner = (len(layers[0]["up"][nth][0]) for nth in (1, 2))
        file.write(struct.pack("<HHHH", len(layers), RANK, width, inner))
        for layer in layers:
            for name in PRODUCTS:
                for scale, inputs, outputs in zip(*layer[name]):
                    file.write(struct.pack("<f", scale) + inputs.tobytes() + outputs.tobytes())


def dequantized(layers):
    return [{name: ((inputs * scales[:, None]).T.astype(np.float32), outputs.astype(np.float32))
             for name, (scales, inputs, outputs) in layer.items()} for layer in layers]


def targets_of(rows):
    """The shares of the sentiments, weighted so that every label counts the same, and those of the emotions."""
    sentiment = np.array([row["sentiment"] for row in rows], np.float32)
    weights = np.array([row["weight"] for row in rows], np.float32)
    balance = (sentiment * weights[:, None]).sum(0)
    weights *= (sentiment @ (balance.sum() / (3 * balance))).astype(np.float32)
    targets = {"sentiment": sentiment * weights[:, None]}
    for source in sorted({row["emotions"][0] for row in rows if row["emotions"]}):
        count = 1 + max(max(row["emotions"][1]) for row in rows if row["emotions"] and row["emotions"][0] == source)
        shares = np.zeros((len(rows), count), np.float32)
        for share, row in zip(shares, rows):
            if row["emotions"] and row["emotions"][0] == source:
                share[row["emotions"][1]] = 1 / len(row["emotions"][1])
        targets[source] = shares
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    net = jax.device_put(read_net(options.model / "model_quantized.onnx"))
    tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(BUCKETS[-1])
    rows = json.loads((options.data / "texts.json").read_text())
    tokens = [encoded.ids for encoded in tokenizer.encode_batch([row["text"] for row in rows])]
    trained = [nth for nth, row in enumerate(rows) if not row["held_out"]]
    data = {"tokens": [tokens[nth] for nth in trained], "targets": targets_of([rows[nth] for nth in trained])}
    data["lengths"] = np.array([len(ids) for ids in data["tokens"]])
    print(len(trained), "texts,", data["lengths"].mean().round(1), "tokens each", flush=True)
    held_out = [nth for nth, row in enumerate(rows) if row["held_out"]]
    for _, parts in train(net, new_adapter(net, 5), data, options.epochs):
        layers = quantized(parts["adapter"])
        write(options.adapter, layers)
        found = vectors(dequantized(layers), net, [tokens[nth] for nth in held_out])
        weights, bias = parts["heads"]["sentiment"]
        found = (found * 20 @ np.asarray(weights) + np.asarray(bias)).argmax(1)
        names = np.array([rows[nth]["source"] for nth in held_out])
        wanted = np.array([np.argmax(rows[nth]["sentiment"]) for nth in held_out])
        for name in sorted(set(names)):
            report(name, wanted[names == name], found[names == name])


if __name__ == "__main__":
    main()
