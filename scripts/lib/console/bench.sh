# The bench of the console's pages in a real browser. `built` is the folder of the build that is measured.

help_console() {
  cat <<'HELP'
Usage: scripts/bench [--release] console [OPTION...]

A server with a transcript of three hours and 30,000 words, and Chromium. Reports the time from one drawn frame to the
next while the page scrolls, jumps and seeks, from the browser's own trace, the time that the page's main thread worked
for each frame, and the time until the first text is drawn.

  --rounds N     loads and movements (default 5)
  --json FILE    write the figures as JSON
HELP
}

bench_console() {
  install_browser
  build_bench
  start_console_server
  announce
  python3 scripts/lib/console/bench.py "$built/auris" "http://$address" "$AURIS_TEST_BROWSER" "$@"
}

start_console_server() {
  export AURIS_DATA="$scratch/data" AURIS_MODELS__DIR="$scratch/models" AURIS_MODELS__FAKE=true
  export AURIS_MODELS__CATALOG="$repository/e2e/catalog.toml" AURIS_MODELS__PULL=false
  "$built/auris" serve --listen 127.0.0.1:0 >"$scratch/server.log" 2>&1 &
  server=$!
  at_exit stop_console_server
  local waited
  for ((waited = 0; waited < 600; waited++)); do
    [[ -f $AURIS_DATA/serve.json ]] && break
    kill -0 "$server" 2>/dev/null || { cat "$scratch/server.log" >&2; fail "the server did not start"; }
    sleep 0.1
  done
  address="$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$AURIS_DATA/serve.json")"
}

stop_console_server() { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }
