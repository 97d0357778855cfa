# The benches of the engines. `built` is the folder of the build that is measured.

help_speech() {
  cat <<'HELP'
Usage: scripts/bench [--release] speech [OPTION...]

Audio seconds per CPU second of the nets alone and of the whole command (with decoding, voice detection and cutting),
speed relative to real time, memory, load time and the latency of a short clip, next to ONNX Runtime (with the published
and with repaired graphs), sherpa-onnx, faster-whisper and whisper.cpp. The engines take turns.

  --rounds N     runs of each engine, of which the median counts (default 3)
  --models A,B   only these models
  --engines A,B  only these engines: auris, onnxruntime, onnxruntime-repaired, sherpa-onnx, faster-whisper,
                 faster-whisper-batched, whisper.cpp
  --levels A,B   limit the instructions: amx, vnni, avx512, avx2 (default: the best of this processor). ONNX Runtime and
                 sherpa-onnx cannot be limited; they run only at the best level.
  --threads A,B  threads of an engine (default 1,2)
  --talk N       each run transcribes N times 95 seconds of speech (default 3)
  --json FILE    write the figures as JSON
HELP
}

prepare_speech() {
  install_ffmpeg
  step "assets" fetch_assets --bench >/dev/null
  step "peers" install_speech_peers
  mkdir -p "$cache/peers"
  build_bench
  announce
}

bench_speech() {
  prepare_speech
  "$speech_peers" scripts/lib/speech/bench.py "$built/auris-bench" "$cache/peers" "$@"
}

help_speech_load() {
  cat <<'HELP'
Usage: scripts/bench [--release] speech-load [OPTION...]

A real server transcribes a long recording as a job while clients send bursts of clips of 3 to 15 seconds, all at once,
and wait for them. Reports the audio seconds per second of everything together next to the bare engine, the latency of
clips, and the memory of the server over time.

  --model MODEL   (default moonshine-base-en)
  --minutes N     how long bursts are sent; another long recording starts when one is done (default 5)
  --clips N       clips of a burst (default 64)
  --every N       seconds from burst to burst (default 15)
  --long N        seconds of the long recording (default 3600)
  --threads N     threads of the engine, bare and in the server (default: one per core)
  --json FILE     write the figures as JSON
HELP
}

bench_speech_load() {
  prepare_speech
  "$speech_peers" scripts/lib/speech/load.py "$built/auris-bench" "$built/auris" "$cache/peers" "$@"
}

help_diarization() {
  cat <<'HELP'
Usage: scripts/bench [--release] diarization [--json FILE] [SECONDS...]

Audio seconds per CPU second and peak memory of the diarizer on one thread, next to sherpa-onnx with the same models, for
recordings of these lengths (default 60 600 3600 10800).

Environment:
  AURIS_BENCH_PEER_SECONDS   the longest recording for sherpa-onnx (default 10800)
HELP
}

bench_diarization() {
  fetch_assets >/dev/null
  install_diarization_peers
  build_bench
  announce
  "$installed/bin/python" -W ignore scripts/lib/diarization/bench.py "$built/auris-bench" "$scratch" "$@"
}

help_language() {
  cat <<'HELP'
Usage: scripts/bench [--release] language [OPTION...]

Tokens read and written per second and per CPU second by language models, next to llama.cpp.

  --models A,B   only these models (default qwen2.5-1.5b-instruct,smollm2-135m-instruct)
  --read N       tokens of the prompt (default 512)
  --write N      tokens of the answer (default 64)
  --llama-bench PATH   compare with this llama-bench, which llama.cpp builds for the processor, instead of the package
  --json FILE    write the figures as JSON
HELP
}

bench_language() {
  local models="$scratch/models" model
  install_llama
  build_bench
  for model in qwen2.5-1.5b-instruct smollm2-135m-instruct; do
    AURIS_MODELS__DIR="$models" AURIS_MODELS__MIRROR="$(fetch_assets)" "$built/auris" models pull "$model"
  done
  announce
  python3 scripts/lib/text/language_bench.py "$built/auris-bench" "$models" "$AURIS_TEST_LLAMA" "$@"
}

help_text() {
  cat <<'HELP'
Usage: scripts/bench [--release] text [--characters N] [--json FILE]

Seconds per million characters and peak memory of every built-in text stage, for two lengths of text: N characters
(default 10000000) and a tenth of that.
HELP
}

bench_text() {
  local models="$scratch/models"
  build_bench
  AURIS_MODELS__DIR="$models" AURIS_MODELS__MIRROR="$(fetch_assets)" "$built/auris" models pull summary-en
  announce
  python3 scripts/lib/text/stages_bench.py "$built/auris-bench" "$models" "$@"
}
