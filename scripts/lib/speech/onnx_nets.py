"""Moonshine and Whisper on ONNX Runtime, with the files that Auris installs, greedy decoding and a key-value cache."""
import json

import numpy
import onnxruntime
from faster_whisper.feature_extractor import FeatureExtractor
from tokenizers import Tokenizer

from recordings import RATE, model_files
from repaired_graph import repaired


def session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def value(array):
    return onnxruntime.OrtValue.ortvalue_from_numpy(numpy.ascontiguousarray(array))


def decoder_file(path, repair_into):
    """The published decoder, or its repaired copy in the folder `repair_into`."""
    return repaired(path, repair_into) if repair_into else path


class MergedDecoder:
    """The decoder of the transformers.js exports: one network for the first step and for the later steps."""

    def __init__(self, path, threads):
        self.net = session(path, threads)
        self.outputs = [output.name for output in self.net.get_outputs() if "attentions" not in output.name]
        self.pasts = [given for given in self.net.get_inputs() if given.name.startswith("past_key_values")]

    def begin(self, encoded):
        empty = {given.name: numpy.zeros((1, given.shape[1], 0, given.shape[3]), numpy.float32) for given in self.pasts}
        self.encoded = encoded
        self.cache = {name: value(array) for name, array in empty.items()}
        self.first = True

    def step(self, tokens):
        """Feeds tokens and returns the scores of the next token after each of them."""
        feeds = dict(self.cache)
        feeds["input_ids"] = value(numpy.array([tokens], numpy.int64))
        feeds["encoder_hidden_states"] = self.encoded
        feeds["use_cache_branch"] = value(numpy.array([not self.first]))
        results = dict(zip(self.outputs, self.net.run_with_ort_values(self.outputs, feeds)))
        for name in self.cache:
            # Only the first step returns the keys and values of the audio; later steps return them empty.
            if self.first or ".encoder." not in name:
                self.cache[name] = results[name.replace("past_key_values", "present")]
        self.first = False
        return results["logits"].numpy()[0]


class Moonshine:
    BEGIN, END, TOKENS_PER_SECOND = 1, 2, 6.5

    def __init__(self, model, threads, repair_into=None):
        files = model_files(model)
        self.encoder = session(files["encoder_model.onnx"], threads)
        self.decoder = MergedDecoder(decoder_file(files["decoder_model_merged.onnx"], repair_into), threads)
        self.tokenizer = Tokenizer.from_file(files["tokenizer.json"])

    def recognize(self, pieces, language):
        return " ".join(self.piece(piece) for piece in pieces).strip()

    def piece(self, samples):
        feeds = {"input_values": value(samples[None])}
        (encoded,) = self.encoder.run_with_ort_values(["last_hidden_state"], feeds)
        self.decoder.begin(encoded)
        tokens, limit = [self.BEGIN], len(samples) / RATE * self.TOKENS_PER_SECOND
        while len(tokens) <= limit:
            token = int(self.decoder.step(tokens[-1:])[-1].argmax())
            if token == self.END:
                break
            tokens.append(token)
        return self.tokenizer.decode(tokens[1:], skip_special_tokens=True).strip()


class Whisper:
    END, START, LANGUAGE, TRANSCRIBE, ZERO = 50257, 50258, 50259, 50359, 50364
    WINDOW, MOST_TOKENS = 30 * RATE, 224
    # Tokens of symbols that are not spoken, as published with the model.
    UNSPOKEN = json.loads(
        "[1,2,7,8,9,10,14,25,26,27,28,29,31,58,59,60,61,62,63,90,91,92,93,359,503,522,542,873,893,902,918,922,931,1350,"
        "1853,1982,2460,2627,3246,3253,3268,3536,3846,3961,4183,4667,6585,6647,7273,9061,9383,10428,10929,11938,12033,"
        "12331,12562,13793,14157,14635,15265,15618,16553,16604,18362,18956,20075,21675,22520,26130,26161,26435,28279,"
        "29464,31650,32302,32470,36865,42863,47425,49870,50254]"
    )

    def __init__(self, model, threads, repair_into=None):
        files = model_files(model)
        self.encoder = session(files["encoder_model_quantized.onnx"], threads)
        self.decoder = MergedDecoder(decoder_file(files["decoder_model_merged_quantized.onnx"], repair_into), threads)
        self.tokenizer = Tokenizer.from_file(files["tokenizer.json"])
        self.features = FeatureExtractor()

    def recognize(self, pieces, language):
        """The language of the first piece applies to the rest, as in Auris."""
        language = self.tokenizer.token_to_id(f"<|{language}|>") - self.LANGUAGE if language else None
        text = []
        for piece in pieces:
            tokens, language = self.window(piece, language)
            text.append(self.tokenizer.decode([token for token in tokens if token < self.END]).strip())
        return " ".join(text).strip()

    def window(self, samples, language):
        padded = numpy.pad(samples, (0, self.WINDOW - len(samples)))
        mel = self.features(padded, padding=0)[:, :3000].astype(numpy.float32)
        (encoded,) = self.encoder.run_with_ort_values(["last_hidden_state"], {"input_features": value(mel[None])})
        if language is None:
            self.decoder.begin(encoded)
            scores = self.decoder.step([self.START])[-1]
            language = int(scores[self.LANGUAGE : self.LANGUAGE + 99].argmax())
        self.decoder.begin(encoded)
        tokens, inputs = [], [self.START, self.LANGUAGE + language, self.TRANSCRIBE]
        while len(tokens) < self.MOST_TOKENS:
            token = self.choose(self.decoder.step(inputs)[-1].copy(), tokens)
            if token == self.END:
                break
            tokens.append(token)
            inputs = [token]
        return tokens, language

    def choose(self, scores, tokens):
        """The most probable token that the timestamp rules allow.

        Timestamps come in pairs and never decrease. One is chosen if all of them together are more probable than any
        text token.
        """
        impossible = -numpy.inf
        scores[self.UNSPOKEN] = impossible
        scores[self.START : self.ZERO] = impossible
        times = [token for token in tokens if token >= self.ZERO]
        if not tokens:
            scores[: self.ZERO] = impossible
            scores[self.ZERO + 51 :] = impossible
        elif tokens[-1] >= self.ZERO:
            if len(tokens) < 2 or tokens[-2] >= self.ZERO:
                scores[self.ZERO :] = impossible
            else:
                scores[: self.END] = impossible
        if times:
            closes = tokens[-1] >= self.ZERO
            scores[self.ZERO : times[-1] + (0 if closes else 1)] = impossible
        words, timestamps = scores[: self.ZERO], scores[self.ZERO :]
        if timestamps.max() > impossible:
            top = scores.max()
            if numpy.log(numpy.exp(timestamps - top).sum()) + top > words.max():
                scores[: self.ZERO] = impossible
        return int(scores.argmax())
