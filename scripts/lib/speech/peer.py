"""Runs one engine over recordings and prints a line of JSON for each.

`peer.py ENGINE MODEL THREADS FOLDER [--nets] [--language CODE] FILE...`: FOLDER keeps the converted models. The first
recording is also transcribed once before the measurements, to warm the engine up. With --nets, the segments of each
recording are also recognized without decoding, voice detection and cutting.
"""
import argparse
import base64
import json
import pathlib
import re
import time

import cutting
from recordings import RATE, assets, model_files, read_audio

# `ggml-base.en.bin`, which `scripts/fetch-assets --bench` fetches.
GGML_BASE_EN = "a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002"


class Peer:
    """An engine. Those without a voice detector get the segments that Auris would cut."""

    def __init__(self, options):
        self.limits = cutting.limits(options.model)

    def cut(self, samples):
        return cutting.spoken_pieces(samples, **self.limits)

    def recognize(self, pieces, language):
        raise NotImplementedError

    def transcribe(self, samples, language):
        return self.recognize(self.cut(samples), language)


class OnnxRuntime(Peer):
    def __init__(self, options, repair_into=None):
        super().__init__(options)
        import onnx_nets

        net = onnx_nets.Moonshine if options.model.startswith("moonshine") else onnx_nets.Whisper
        self.recognize = net(options.model, options.threads, repair_into).recognize


class RepairedOnnxRuntime(OnnxRuntime):
    def __init__(self, options):
        super().__init__(options, repair_into=options.folder)


class SherpaOnnx(Peer):
    def __init__(self, options):
        super().__init__(options)
        import sherpa_onnx

        files = model_files(options.model)
        self.recognizer = sherpa_onnx.OfflineRecognizer.from_moonshine_v2(
            encoder=files["encoder_model.onnx"],
            decoder=files["decoder_model_merged.onnx"],
            tokens=str(token_table(files["tokenizer.json"], options.folder)),
            num_threads=options.threads,
        )

    def recognize(self, pieces, language):
        streams = []
        for piece in pieces:
            streams.append(self.recognizer.create_stream())
            streams[-1].accept_waveform(RATE, piece)
            self.recognizer.decode_stream(streams[-1])
        return " ".join(stream.result.text.strip() for stream in streams)


def token_table(tokenizer, folder):
    """Writes the tokens of the model for sherpa-onnx: one line per token, with its bytes in base64 and its number."""
    path = pathlib.Path(folder) / "moonshine-tokens.txt"
    content = json.loads(pathlib.Path(tokenizer).read_text())
    tokens = dict((number, token) for token, number in content["model"]["vocab"].items())
    tokens.update((added["id"], added["content"]) for added in content["added_tokens"])
    path.write_text("".join(f"{base64_of(tokens[number])}\t{number}\n" for number in sorted(tokens)))
    return path


def base64_of(token):
    byte = re.fullmatch(r"<0x([0-9A-F]{2})>", token)
    content = bytes.fromhex(byte[1]) if byte else token.replace("\u2581", " ").encode()
    return base64.b64encode(content).decode()


class FasterWhisper(Peer):
    """Greedy decoding with its own voice detector. The nets alone get the segments of Auris."""

    def __init__(self, options):
        super().__init__(options)
        import faster_whisper
        from ctranslate import convert

        path = convert(options.model, pathlib.Path(options.folder) / f"ctranslate2-{options.model}")
        self.net = faster_whisper.WhisperModel(str(path), device="cpu", compute_type="int8", cpu_threads=options.threads)
        self.options = {"beam_size": 1, "condition_on_previous_text": False}

    def transcribe(self, samples, language):
        return text_of(self.net.transcribe(samples, language=language, vad_filter=True, **self.options))

    def recognize(self, pieces, language):
        options = {**self.options, "vad_filter": False, "language": language}
        return " ".join(text_of(self.net.transcribe(piece, **options)) for piece in pieces)


class DefaultFasterWhisper(FasterWhisper):
    """As a user gets it without options: a beam of five, retries at higher temperatures, no voice detector."""

    def transcribe(self, samples, language):
        return text_of(self.net.transcribe(samples, language=language))


class BatchedFasterWhisper(FasterWhisper):
    def __init__(self, options):
        super().__init__(options)
        import faster_whisper

        self.pipeline = faster_whisper.BatchedInferencePipeline(self.net)
        self.options = {"beam_size": 1, "batch_size": 8}

    def transcribe(self, samples, language):
        return text_of(self.pipeline.transcribe(samples, language=language, vad_filter=True, **self.options))

    def recognize(self, pieces, language):
        import numpy

        ends = numpy.cumsum([len(piece) for piece in pieces]) / RATE
        clips = [{"start": end - len(piece) / RATE, "end": end} for piece, end in zip(pieces, ends, strict=True)]
        options = {**self.options, "clip_timestamps": clips, "language": language}
        # A little longer than its clips: rounding must not make them longer than the audio.
        samples = numpy.concatenate([*pieces, numpy.zeros(RATE // 10, dtype=numpy.float32)])
        return text_of(self.pipeline.transcribe(samples, **options)) if pieces else ""


def text_of(result):
    segments, _ = result
    return "".join(segment.text for segment in segments).strip()


class WhisperCpp(Peer):
    """Whisper base.en, whatever the model: other weights are not published as a package."""

    def __init__(self, options):
        super().__init__(options)
        from pywhispercpp.model import Model

        quiet = {"print_progress": False, "print_realtime": False, "redirect_whispercpp_logs_to": None}
        self.net = Model(str(assets() / GGML_BASE_EN), n_threads=options.threads, greedy={"best_of": 1}, **quiet)

    def transcribe(self, samples, language):
        return self.recognize([samples], language)

    def recognize(self, pieces, language):
        return " ".join(segment.text.strip() for piece in pieces for segment in self.net.transcribe(piece))


ENGINES = {
    "onnxruntime": OnnxRuntime,
    "onnxruntime-repaired": RepairedOnnxRuntime,
    "sherpa-onnx": SherpaOnnx,
    "faster-whisper": FasterWhisper,
    "faster-whisper-default": DefaultFasterWhisper,
    "faster-whisper-batched": BatchedFasterWhisper,
    "whisper.cpp": WhisperCpp,
}


def mebibytes(field):
    status = pathlib.Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith(field)]
    return int(line.split()[1]) // 1024


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def measure(peer, options, file):
    samples = read_audio(file)
    text, line = timed(lambda: peer.transcribe(samples, options.language))
    line |= {"model": options.model, "file": file, "audio_seconds": len(samples) / RATE, "text": text}
    if options.nets:
        pieces = peer.cut(samples)
        text, nets = timed(lambda: peer.recognize(pieces, options.language))
        line |= {f"nets_{name}": value for name, value in nets.items()} | {"nets_text": text}
    return line | {"peak_mebibytes": mebibytes("VmHWM"), "resident_mebibytes": mebibytes("VmRSS")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("model")
    parser.add_argument("threads", type=int)
    parser.add_argument("folder")
    parser.add_argument("--nets", action="store_true")
    parser.add_argument("--language")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    # What the interpreter and its packages occupy, so that a reader can subtract it.
    baseline = mebibytes("VmRSS")
    peer, load = timed(lambda: ENGINES[options.engine](options))
    peer.transcribe(read_audio(options.files[0]), options.language)
    common = {"load_seconds": load["wall_seconds"], "baseline_mebibytes": baseline}
    for file in options.files:
        print(json.dumps(measure(peer, options, file) | common), flush=True)


main()
