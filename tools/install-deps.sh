#!/bin/sh
# Installs what building and testing godwit needs and is missing; says what to install where there is no apt.
#   install-deps.sh [--development]     also what `make lint`, the workflows and godwit-theory use
set -eu

packages="gcc libc6-dev make pkg-config libhts-dev libdnnl-dev libjansson-dev libutf8proc-dev libpcre2-dev libcairo2-dev libcriterion-dev"
[ "${1:-}" != --development ] || packages="$packages clang clang-format libclang-rt-dev g++ gcc-aarch64-linux-gnu git python3-venv python3-numpy bcftools libgmp-dev liblapacke-dev libopenblas-serial-dev libbigwig-dev libmatio-dev libhdf5-dev"

if ! command -v apt-get >/dev/null 2>&1; then
    cat >&2 <<'EOF'
This system has no apt-get. Install these by hand, then run make again:
  gcc or clang, make, pkg-config, HTSlib, oneDNN (C API, version 2 or 3), jansson, utf8proc, PCRE2, cairo; Criterion for the tests;
  GMP, LAPACKE and CBLAS for godwit-theory, which is left out without them; libBigWig for bigWig tracks; matio and HDF5
  for MATLAB files
  Homebrew: brew install gcc make pkg-config htslib onednn jansson utf8proc pcre2 cairo criterion
  conda:    conda install -c conda-forge -c bioconda c-compiler make pkg-config htslib onednn jansson utf8proc pcre2 cairo
  Fedora:   dnf install gcc make pkgconf htslib-devel oneapi-dnnl-devel jansson-devel utf8proc-devel pcre2-devel cairo-devel
EOF
    exit 1
fi

missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

run=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "Missing:$missing. Become root and run: apt-get install$missing" >&2
        exit 1
    fi
    run=sudo
fi
echo "installing:$missing"
$run apt-get update -qq
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing
