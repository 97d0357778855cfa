# Compiles a crate for 64-bit ARM on an x86-64 machine and runs its tests under QEMU, with packages of Debian.
#
# The compiler is unpacked into the cache folder and not installed, because the package replaces other ones of Rust. The
# standard library for ARM comes from the lists of that architecture, which are kept in the cache folder too.

arm_target=aarch64-unknown-linux-gnu

# apt-get with the lists of another architecture, without changing those of the system.
apt_arm() {
  apt-get -qq -o Dir::State::Lists="$arm_folder/lists" -o Dir::Cache="$arm_folder/apt" -o Debug::NoLocking=1 \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 "$@"
}

# Sets `arm_rustc`, a compiler with the standard libraries of both architectures.
install_arm() {
  local arm_folder="$cache/arm" library
  arm_rustc="$arm_folder/rustc"
  has qemu-aarch64 && has aarch64-linux-gnu-gcc || apt_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
  [[ -f $arm_folder/complete ]] && return
  say "unpacking a compiler for ARM"
  rm -rf "$arm_folder"
  mkdir -p "$arm_folder"/{lists/partial,apt/archives/partial,packages,root}
  library="$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p')"
  (
    cd "$arm_folder/packages"
    apt-get -qq download rustc-web libstd-rust-web-dev "$library" "$(llvm_of "$library")"
    apt_arm update
    apt_arm download libstd-rust-web-dev
  ) || fail "the compiler for ARM could not be downloaded"
  unpack_arm "$arm_folder"
}

# The package of LLVM that the compiler's library needs.
llvm_of() { apt-cache depends "$1" | sed -n 's/.*Depends: \(libllvm[0-9]*\)$/\1/p'; }

unpack_arm() {
  local folder="$1" package
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder/root"; done
  cat >"$folder/rustc" <<SCRIPT
#!/bin/sh
LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu" exec "$folder/root/usr/bin/rustc" "\$@"
SCRIPT
  chmod +x "$folder/rustc"
  rm -rf "$folder"/{lists,apt,packages}
  touch "$folder/complete"
}

# The unit tests of a crate on a processor with all instructions that QEMU knows. Tests that start their own program
# again do not work there.
test_on_arm() { # PACKAGE
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu" \
    RUSTC="$arm_rustc" command cargo test --target "$arm_target" --target-dir "$target/arm" --package "$1" --lib
}
