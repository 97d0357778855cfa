# Shared by the scripts: where things are kept, how they speak, what they clean up.

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cache="${AURIS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/auris}"
# One build for everything, outside the checkout, so that the next run finds it again.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$cache/target}"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}"

# A thousand callers at once need as many sockets, twice.
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true

say() { printf '\n==> %s\n' "$*" >&2; }
note() { printf '    %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# Runs a step and tells how long it took.
step() {
  local title="$1" started=$SECONDS
  shift
  say "$title"
  "$@" || fail "$title failed: $*"
  note "$title: $((SECONDS - started)) s"
}

# Everything a script makes for its own run lies in one scratch folder.
scratch=""
cleanups=()

at_exit() { cleanups+=("$1"); }

clean_up() {
  local status=$? index
  trap - EXIT INT TERM HUP
  for ((index = ${#cleanups[@]} - 1; index >= 0; index--)); do
    "${cleanups[index]}" || true
  done
  [[ -z $scratch ]] || rm -rf "$scratch"
  exit "$status"
}

open_scratch() {
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  scratch="$(mktemp -d "${TMPDIR:-/tmp}/auris.XXXXXX")"
  # The database runs as another user, who has to get through to its own folder.
  chmod 711 "$scratch"
  mkdir "$scratch/tmp"
  export TMPDIR="$scratch/tmp"
}

# All targets at once: the features are those of the tests, so nothing is built twice,
# and auris-e2e finds the program beside its own tests. Those tests know the checkout that they were built in,
# so another checkout with the same build folder builds them anew.
build_all() {
  local stamp="$CARGO_TARGET_DIR/checkout"
  if [[ "$(cat "$stamp" 2>/dev/null)" != "$repository" ]]; then
    grep -rl --include='*.rs' 'env!("CARGO_MANIFEST_DIR")' "$repository"/{benches,crates,e2e} | xargs touch
  fi
  cargo build --workspace --all-targets || return
  printf '%s' "$repository" >"$stamp"
}
