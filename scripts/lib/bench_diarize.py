"""Measures the built-in diarizer beside sherpa-onnx with the same nets, one thread each, on the same recordings.

    bench_diarize.py EXAMPLE REPOSITORY SCRATCH SECONDS...

Each program runs in a process of its own, so that its processor time and its peak memory are its own.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import time
import wave


def recording(conversations, scratch, seconds):
    """Conversations one after the other, over and over, up to this length."""
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


def auris(example, path):
    line = subprocess.run([example, "1", path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(line)


def sherpa(path):
    line = subprocess.run([sys.executable, __file__, "sherpa", path], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(line)


def run_sherpa(path):
    import numpy
    import sherpa_onnx as peer

    models = pathlib.Path(__file__).parents[2] / "models"
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


def main(example, repository, scratch, *lengths):
    scratch = pathlib.Path(scratch)
    conversations = scratch / "conversations"
    subprocess.run([f"{repository}/scripts/make-conversations", conversations], check=True, stdout=subprocess.DEVNULL)
    peer_limit = int(os.environ.get("AURIS_BENCH_PEER_SECONDS", 10_800))
    print("| program | audio | CPU time | audio seconds per CPU second | peak memory | speakers |\n|---|---|---|---|---|---|")
    for seconds in map(int, lengths):
        path = str(recording(conversations, scratch, seconds))
        ours = show("auris", auris(example, path))
        if seconds <= peer_limit:
            theirs = show("sherpa-onnx", sherpa(path))
            print(f"| ratio | {seconds} s | | {ours / theirs:.1f} | | |", flush=True)
        os.remove(path)


if sys.argv[1] == "sherpa":
    run_sherpa(sys.argv[2])
else:
    main(*sys.argv[1:])
