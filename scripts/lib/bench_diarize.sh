# The diarization bench; `build` and `folder` say which build is measured.

source "$repository/scripts/lib/tools.sh"

bench_diarize() { # SECONDS...
  local release=()
  [[ $folder == release ]] && release=(--release)
  [[ $# -gt 0 ]] || set -- 60 600 3600 10800
  cd "$repository"
  open_scratch
  fetch_assets >/dev/null
  install_diarization_peers
  step "build" cargo build --workspace --example bench_diarize ${release[@]+"${release[@]}"}
  say "bench diarize ($folder build, $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg))"
  "$installed/bin/python" -W ignore "$repository/scripts/lib/bench_diarize.py" \
    "$CARGO_TARGET_DIR/$folder/examples/bench_diarize" "$repository" "$scratch" "$@"
}
