"""Runs one engine over recordings and prints a line of JSON for each: `peer.py ENGINE MODEL THREADS FOLDER FILE...`.

ENGINE is onnxruntime, sherpa-onnx, faster-whisper, faster-whisper-batched or whisper.cpp. FOLDER keeps the
converted models. The first recording is also transcribed once before the measurements, to warm the engine up.
"""
import base64
import json
import pathlib
import re
import sys
import time

from recordings import RATE, assets, model_files, read_audio


# `ggml-base.en.bin`, which `scripts/fetch-assets --bench` fetches.
GGML_BASE_EN = "a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002"


def onnxruntime(model, threads, folder):
    import onnx_nets

    net = (onnx_nets.Moonshine if model.startswith("moonshine") else onnx_nets.Whisper)(model, threads)
    return net.transcribe


def sherpa_onnx(model, threads, folder):
    import sherpa_onnx
    from onnx_nets import spoken_pieces

    files = model_files(model)
    recognizer = sherpa_onnx.OfflineRecognizer.from_moonshine_v2(
        encoder=files["encoder_model.onnx"],
        decoder=files["decoder_model_merged.onnx"],
        tokens=str(token_table(files["tokenizer.json"], folder)),
        num_threads=threads,
    )

    def transcribe(samples):
        streams = []
        for piece in spoken_pieces(samples):
            streams.append(recognizer.create_stream())
            streams[-1].accept_waveform(RATE, piece)
            recognizer.decode_stream(streams[-1])
        return " ".join(stream.result.text.strip() for stream in streams)

    return transcribe


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


def faster_whisper(model, threads, folder, batched=False):
    import faster_whisper
    from ctranslate import convert

    path = convert(model, pathlib.Path(folder) / f"ctranslate2-{model}")
    net = faster_whisper.WhisperModel(str(path), device="cpu", compute_type="int8", cpu_threads=threads)
    pipeline = faster_whisper.BatchedInferencePipeline(net) if batched else net
    # Greedy decoding with voice detection, as in Auris.
    options = {"beam_size": 1, "vad_filter": True}
    options |= {"batch_size": 8} if batched else {"condition_on_previous_text": False}

    def transcribe(samples):
        segments, _ = pipeline.transcribe(samples, **options)
        return "".join(segment.text for segment in segments).strip()

    return transcribe


def whisper_cpp(model, threads, folder):
    from pywhispercpp.model import Model

    weights = assets() / GGML_BASE_EN
    quiet = {"print_progress": False, "print_realtime": False, "redirect_whispercpp_logs_to": None}
    net = Model(str(weights), n_threads=threads, greedy={"best_of": 1}, **quiet)
    return lambda samples: " ".join(segment.text.strip() for segment in net.transcribe(samples))


ENGINES = {
    "onnxruntime": onnxruntime,
    "sherpa-onnx": sherpa_onnx,
    "faster-whisper": faster_whisper,
    "faster-whisper-batched": lambda *arguments: faster_whisper(*arguments, batched=True),
    "whisper.cpp": whisper_cpp,
}


def peak_mebibytes():
    status = pathlib.Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) // 1024


def main():
    engine, model, threads, folder, *files = sys.argv[1:]
    transcribe = ENGINES[engine](model, int(threads), folder)
    transcribe(read_audio(files[0]))
    for file in files:
        samples = read_audio(file)
        wall, cpu = time.perf_counter(), time.process_time()
        text = transcribe(samples)
        line = {
            "model": model, "file": file, "audio_seconds": len(samples) / RATE, "text": text,
            "wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu,
            "peak_mebibytes": peak_mebibytes(),
        }
        print(json.dumps(line), flush=True)


main()
