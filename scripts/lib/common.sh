# Shared by all scripts: folders, messages, clean-up and how cargo is run.

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# Tools, models and recordings that the scripts download.
cache="${AURIS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/auris}"
# The scripts build into the same folder as cargo itself, so that nothing is built twice.
target="${CARGO_TARGET_DIR:-$repository/target}"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}"

# The stream tests open a thousand connections, which need two sockets each.
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true

say() { printf '\n==> %s\n' "$*" >&2; }
note() { printf '    %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# Links with mold if it is installed. `mold -run` replaces the linker of the command without changing a compiler flag, so
# builds with and without it share their results.
cargo() {
  if [[ ${AURIS_LINKER:-auto} != default ]] && has mold; then
    command mold -run cargo "$@"
  else
    command cargo "$@"
  fi
}

# Runs a step and prints how long it took.
step() {
  local title="$1" started=$SECONDS
  shift
  say "$title"
  "$@" || fail "$title failed: $*"
  note "$title: $((SECONDS - started)) s"
}

# Temporary files of a script are in one folder, which is removed at the end.
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
  # PostgreSQL runs as another user, who has to reach its folder.
  chmod 711 "$scratch"
  mkdir "$scratch/tmp"
  export TMPDIR="$scratch/tmp"
}

# All targets at once: the features are those of the tests, so nothing is built twice, and the end-to-end tests find the
# program next to their own binary.
build_all() { cargo build --workspace --all-targets; }

# Fails if a tracked file has the markers of an unfinished merge. The middle marker is also an underline in text files.
check_conflict_markers() {
  ! git -C "$repository" grep --line-number --extended-regexp '^(<{7}|>{7}) '
}
