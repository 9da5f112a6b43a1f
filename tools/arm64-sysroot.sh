#!/bin/sh
# Unpacks Debian's 64-bit Arm packages of what godwit links with, and others that are named, into a folder, for a cross-compiler;
# the system's own package lists stay as they are. FOLDER/packages says what is there.   tools/arm64-sysroot.sh FOLDER [PACKAGE...]
#   PKG_CONFIG_SYSROOT_DIR=FOLDER PKG_CONFIG_LIBDIR=FOLDER/usr/lib/aarch64-linux-gnu/pkgconfig:FOLDER/usr/share/pkgconfig \
#       make CC="aarch64-linux-gnu-gcc --sysroot=FOLDER" CUDA=0 program
set -eu
packages="libc6-dev libhts-dev libdnnl-dev libjansson-dev libutf8proc-dev libpcre2-dev libcairo2-dev libcriterion-dev"

mkdir -p "$1/apt/lists/partial" "$1/apt/archives/partial"
folder=$(cd "$1" && pwd)
shift
[ ! -e "$folder/complete" ] || exit 0
: >"$folder/apt/status" # nothing is installed there, so that all dependencies come
apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$folder/apt" \
        -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" "$@"
}
apt update
# shellcheck disable=SC2086 # a list of words
apt install --download-only --no-install-recommends -y $packages "$@"
for package in "$folder"/apt/archives/*.deb; do
    dpkg -x "$package" "$folder"
    dpkg-deb -W "$package"
done >"$folder/packages"
# Links that begin at the root lead to this machine's libraries or nowhere, and a linker would take a static one instead.
find "$folder" -type l -lname '/*' | while read -r link; do ln -sfn "$folder$(readlink "$link")" "$link"; done
rm -r "$folder/apt"
touch "$folder/complete"
