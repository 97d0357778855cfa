"""Writes the reference values of the diarizer's tests to standard output.

pyannote.metrics computes the scores, kaldi-native-fbank the filterbanks and ONNX Runtime the outputs of the two models.
"""
import json
import os
import pathlib
import sys
import wave

import kaldi_native_fbank
import numpy
import onnxruntime
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate

REPOSITORY = pathlib.Path(__file__).parents[3]
RECORDING = "59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e"
WINDOW = 160_000
CASES = {
    "nothing wrong": ([("a", 0, 10), ("b", 10, 20)], [("x", 0, 10), ("y", 10, 20)]),
    "names swapped in half": ([("a", 0, 10), ("b", 10, 20)], [("x", 0, 5), ("y", 5, 10), ("x", 10, 20)]),
    "missed and false alarm": ([("a", 1, 9), ("b", 12, 15)], [("x", 0, 7.5), ("y", 11, 15.25)]),
    "overlap found": ([("a", 0, 10), ("b", 8, 14)], [("x", 0, 10), ("y", 8, 14)]),
    "overlap missed": ([("a", 0, 10), ("b", 8, 14)], [("x", 0, 8.5), ("y", 8.5, 14)]),
    "overlap invented": ([("a", 0, 10), ("b", 10, 14)], [("x", 0, 12), ("y", 9, 14)]),
    "one speaker too many": ([("a", 0, 10), ("b", 10, 20)], [("x", 0, 10), ("y", 10, 15), ("z", 15, 20)]),
    "one speaker too few": ([("a", 0, 4), ("b", 4, 10), ("c", 10, 13)], [("x", 0, 13)]),
    "the greedy mapping is not the best": (
        [("a", 0, 10), ("b", 10, 19)],
        [("x", 0, 6), ("y", 6, 10), ("x", 10, 15), ("y", 15, 19)],
    ),
    "three at once": (
        [("a", 0, 10), ("b", 2, 8), ("c", 4, 6)],
        [("x", 0, 9), ("y", 3, 8), ("z", 4.5, 6.5)],
    ),
    "nothing heard": ([("a", 0, 10)], []),
}


def annotation(turns):
    made = Annotation()
    for track, (speaker, start, end) in enumerate(turns):
        made[Segment(start, end), track] = speaker
    return made


def scored(name, reference, hypothesis):
    found = DiarizationErrorRate()(annotation(reference), annotation(hypothesis), detailed=True)
    return {
        "name": name,
        "reference": reference,
        "hypothesis": hypothesis,
        "missed": found["missed detection"],
        "false_alarm": found["false alarm"],
        "confusion": found["confusion"],
        "total": found["total"],
        "rate": found["diarization error rate"],
    }


def samples():
    cache = os.environ.get("AURIS_CACHE") or pathlib.Path.home() / ".cache" / "auris"
    with wave.open(str(pathlib.Path(cache) / "assets" / RECORDING)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
        return numpy.frombuffer(file.readframes(WINDOW), numpy.int16).astype(numpy.float32) / 32_768


def filterbanks(audio):
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.dither = 0
    options.frame_opts.samp_freq = 16_000
    options.mel_opts.num_bins = 80
    computer = kaldi_native_fbank.OnlineFbank(options)
    computer.accept_waveform(16_000, audio.tolist())
    computer.input_finished()
    return numpy.stack([computer.get_frame(frame) for frame in range(computer.num_frames_ready)])


def run(net, values):
    session = onnxruntime.InferenceSession(str(REPOSITORY / "models" / net))
    return session.run(None, {"x": values.astype(numpy.float32)})[0][0]


def rounded(values):
    return [[round(float(value), 5) for value in row] for row in values]


def main():
    audio = samples()
    banks = filterbanks(audio)
    level = banks - banks.mean(axis=0, keepdims=True)
    segmentation = run("pyannote_segmentation_3_0.onnx", audio[None, None])
    embedding = run("campplus_zh_en_16k_common_advanced.onnx", level[None])
    document = {
        "scores": [scored(name, *case) for name, case in CASES.items()],
        "recording": RECORDING,
        "filterbank_frames": len(banks),
        "filterbanks_every_50th": rounded(banks[::50]),
        "segmentation_every_10th": rounded(segmentation[::10]),
        "embedding": rounded([embedding])[0],
    }
    json.dump(document, sys.stdout, indent=None)
    print()


main()
