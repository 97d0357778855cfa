# Compiles a crate for 64-bit ARM on an x86-64 machine and runs its tests under QEMU, with packages of Debian.
#
# Unless the installed compiler has the target (`rustup target add`), Debian's is unpacked into the cache folder. It is not
# installed, because the package replaces other ones of Rust. The standard library for ARM comes from the package lists of
# that architecture, which are read into the cache folder too, so that the system's own are not changed.

arm_target=aarch64-unknown-linux-gnu

# Sets `arm_rustc`, a compiler with the standard libraries of both architectures.
install_arm() {
  local folder="$cache/arm"
  [[ $(uname -m) == x86_64 ]] || fail "these tests are for x86-64 machines; on ARM, the other tests are the same ones"
  if ! has qemu-aarch64 || ! has aarch64-linux-gnu-gcc; then
    apt_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
  fi
  arm_rustc=rustc
  [[ ! -d $(rustc --print sysroot)/lib/rustlib/$arm_target/lib ]] || return 0
  arm_rustc="$folder/rustc"
  [[ ! -f $folder/complete ]] || return 0
  say "unpacking a compiler for ARM"
  rm -rf "$folder"
  mkdir -p "$folder"/{lists/partial,apt/archives/partial,packages,root}
  download_arm "$folder" || fail "the compiler for ARM could not be downloaded; or run: rustup target add $arm_target"
  unpack_arm "$folder" || fail "the compiler for ARM could not be unpacked"
}

# Downloads the compiler and its libraries, and the standard library for ARM. They have to be of the same version.
download_arm() { # FOLDER
  local library llvm
  apt_update || return
  library="$(apt_dependency libstd-rust-web-dev 'libstd-rust-web-[0-9.]*')"
  llvm="$(apt_dependency "$library" 'libllvm[0-9]*')"
  (
    cd "$1/packages" &&
      apt-get -qq -o APT::Sandbox::User=root download rustc-web libstd-rust-web-dev "$library" "$llvm" &&
      apt_arm "$1" update &&
      apt_arm "$1" download libstd-rust-web-dev
  )
}

# The package that a package depends on and whose name matches.
apt_dependency() { apt-cache depends "$1" | sed -n "s/.*Depends: \($2\)\$/\1/p"; } # PACKAGE PATTERN

# apt-get with the lists of ARM.
apt_arm() { # FOLDER ARGUMENT...
  local folder="$1"
  shift
  apt-get -qq -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/apt" -o Debug::NoLocking=1 \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root "$@"
}

unpack_arm() { # FOLDER
  local package
  for package in "$1"/packages/*.deb; do dpkg -x "$package" "$1/root" || return; done
  cat >"$1/rustc" <<SCRIPT
#!/bin/sh
LD_LIBRARY_PATH="$1/root/usr/lib/x86_64-linux-gnu" exec "$1/root/usr/bin/rustc" "\$@"
SCRIPT
  chmod +x "$1/rustc"
  rm -rf "$1"/{lists,apt,packages}
  touch "$1/complete"
}

# The unit tests of a crate on a processor with all instructions that QEMU knows. Tests that start their own program
# again do not work there.
test_on_arm() { # PACKAGE
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu" \
    RUSTC="$arm_rustc" command cargo test --target "$arm_target" --target-dir "$target/arm" --package "$1" --lib
}
