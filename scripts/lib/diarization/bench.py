"""Measures the built-in diarizer next to sherpa-onnx with the same models, on one thread and the same recordings.

    bench.py BENCH SCRATCH [--json FILE] [SECONDS...]

Each program runs in a separate process, so that its CPU time and peak memory can be measured.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import time
import wave

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report

REPOSITORY = pathlib.Path(__file__).parents[3]


def recording(conversations, scratch, seconds):
    """The generated conversations, repeated up to this length."""
    path = scratch / f"{seconds}.wav"
    left = seconds * 16_000
    with wave.open(str(path), "wb") as target:
        target.setparams((1, 2, 16_000, 0, "NONE", None))
        while left > 0:
            for conversation in sorted(conversations.glob("*.wav")):
                with wave.open(str(conversation)) as source:
                    frames = source.readframes(min(source.getnframes(), left))
                target.writeframes(frames)
                left -= len(frames) // 2
    return path


def auris(bench, path):
    line = subprocess.run([bench, "engine-diarization", "1", path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(line)


def sherpa(path):
    line = subprocess.run([sys.executable, __file__, "sherpa", path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(line)


def run_sherpa(path):
    import numpy
    import sherpa_onnx as peer

    models = REPOSITORY / "models"
    net = peer.OfflineSpeakerSegmentationPyannoteModelConfig(model=str(models / "pyannote_segmentation_3_0.onnx"))
    config = peer.OfflineSpeakerDiarizationConfig(
        segmentation=peer.OfflineSpeakerSegmentationModelConfig(pyannote=net, num_threads=1),
        embedding=peer.SpeakerEmbeddingExtractorConfig(
            model=str(models / "campplus_zh_en_16k_common_advanced.onnx"), num_threads=1
        ),
        clustering=peer.FastClusteringConfig(num_clusters=-1, threshold=0.5),
        min_duration_on=0.1,
        min_duration_off=0.2,
    )
    diarization = peer.OfflineSpeakerDiarization(config)
    with wave.open(path) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16).astype(numpy.float32) / 32_768
    began, wall = time.process_time(), time.monotonic()
    result = diarization.process(samples).sort_by_start_time()
    measured = {
        "audio_seconds": len(samples) / 16_000,
        "cpu_seconds": time.process_time() - began,
        "wall_seconds": time.monotonic() - wall,
        "peak_mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "speakers": len({turn.speaker for turn in result}),
    }
    print(json.dumps(measured))


def show(name, measured):
    speed = measured["audio_seconds"] / measured["cpu_seconds"]
    print(
        f"| {name} | {measured['audio_seconds']:.0f} s | {measured['cpu_seconds']:.1f} s | {speed:.1f} "
        f"| {measured['peak_mebibytes']} MiB | {measured['speakers']} |",
        flush=True,
    )
    return speed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("seconds", type=int, nargs="*", default=[60, 600, 3600, 10_800])
    parser.add_argument("--json")
    options = parser.parse_args()
    conversations = options.scratch / "conversations"
    make = [REPOSITORY / "scripts" / "make-conversations", conversations]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    peer_limit = int(os.environ.get("AURIS_BENCH_PEER_SECONDS", 10_800))
    print("| program | audio | CPU time | audio seconds per CPU second | peak memory | speakers |\n|---|---|---|---|---|---|")
    measures = []
    for seconds in options.seconds:
        path = str(recording(conversations, options.scratch, seconds))
        measures.append({"program": "auris", **auris(options.bench, path)})
        ours = show("auris", measures[-1])
        if seconds <= peer_limit:
            measures.append({"program": "sherpa-onnx", **sherpa(path)})
            theirs = show("sherpa-onnx", measures[-1])
            print(f"| ratio | {seconds} s | | {ours / theirs:.1f} | | |", flush=True)
        os.remove(path)
    for one in measures:
        one.pop("file", None)
        one.pop("turns", None)
    bench_report.write(options.json, "diarization", options.bench, measures)


if sys.argv[1] == "sherpa":
    run_sherpa(sys.argv[2])
else:
    main()
