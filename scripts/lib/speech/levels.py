"""The instruction sets that engines are limited to, by the names of `AURIS_KERNEL_LEVEL`."""
import argparse
import pathlib

# What limits CTranslate2 and the two libraries that multiply for it. Without a limit, they use all that they know.
CTRANSLATE2 = {
    "vnni": {"MKL_ENABLE_INSTRUCTIONS": "AVX512_E1", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_VNNI"},
    "avx512": {"CT2_FORCE_CPU_ISA": "AVX512", "MKL_ENABLE_INSTRUCTIONS": "AVX512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE"},
    "avx2": {"CT2_FORCE_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
}
# ONNX Runtime chooses by itself and has no setting, and sherpa-onnx contains it: they run only without a limit.
UNLIMITED = {"onnxruntime", "onnxruntime-repaired", "sherpa-onnx"}

FLAGS = {"amx": "amx_int8", "vnni": "avx512_vnni", "avx512": "avx512bw", "avx2": "avx2"}


def available():
    """The levels of this processor, the best one first."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((line for line in lines if line.startswith("flags")), "").split()
    return [level for level, flag in FLAGS.items() if flag in flags] or ["scalar"]


def listed(text):
    """The levels in a list with commas. Fails for one that this processor does not have."""
    chosen, known = text.split(","), {*available(), "scalar"}
    if unknown := [level for level in chosen if level not in known]:
        raise argparse.ArgumentTypeError(f"this processor has no level {', '.join(unknown)}, only {', '.join(sorted(known))}")
    return chosen


def can_be_limited(engine, level):
    """Whether the engine runs with no more than this level, which is not the best one of this processor."""
    if engine in UNLIMITED:
        return False
    # The published package of whisper.cpp is built for AVX2, so it is the same at every level from that one on.
    return engine == "auris" or level in CTRANSLATE2


def environment(engine, level):
    """The variables that limit an engine to a level; none for the best level of this processor."""
    if level is None or level == available()[0]:
        return {}
    if engine == "auris":
        return {"AURIS_KERNEL_LEVEL": level}
    return CTRANSLATE2.get(level, {}) if engine.startswith("faster-whisper") else {}
