#!/bin/sh
# Installs what building and testing godwit needs and is missing; says what to install where there is no apt.
#   install-deps.sh [--development]     also what `make lint`, the tests, the workflows and godwit-theory use
set -eu

packages="gcc libc6-dev make pkg-config libhts-dev libdnnl-dev libjansson-dev libutf8proc-dev libpcre2-dev libcairo2-dev libcriterion-dev"
[ "${1:-}" != --development ] || packages="$packages abigail-tools clang clang-format libclang-rt-dev g++ gcc-aarch64-linux-gnu git python3-venv python3-numpy bcftools tabix pandoc libgmp-dev liblapacke-dev libopenblas-serial-dev openmpi-bin libopenmpi-dev"
# Without these godwit is built all the same: bigWig tracks, and MATLAB files.
optional="libbigwig-dev libmatio-dev libhdf5-dev"
# Without these some tests do not run: a Slurm of one node, and the syntax of Nextflow's workflow.
[ "${1:-}" != --development ] || optional="$optional default-jre-headless groovy munge slurm-client slurmctld slurmd"

if ! command -v apt-get >/dev/null 2>&1; then
    cat >&2 <<'EOF'
This system has no apt-get. Install these by hand, then run make again:
  gcc or clang, make, pkg-config, HTSlib, oneDNN (C API, version 2 or 3), jansson, utf8proc, PCRE2, cairo; Criterion for the tests;
  GMP, LAPACKE and CBLAS for godwit-theory, which is left out without them; libBigWig for bigWig tracks; matio and HDF5
  for MATLAB files; libcurl for `models --get`
  Homebrew: brew install gcc make pkg-config htslib onednn jansson utf8proc pcre2 cairo criterion curl libmatio hdf5
  conda:    conda install -c conda-forge -c bioconda c-compiler make pkg-config htslib onednn jansson utf8proc pcre2 cairo libcurl libmatio hdf5
  Fedora:   dnf install gcc make pkgconf htslib-devel oneapi-dnnl-devel jansson-devel utf8proc-devel pcre2-devel cairo-devel libcurl-devel matio-devel hdf5-devel
EOF
    exit 1
fi

# lacking PACKAGE...: those that are not installed, each with a blank in front.
lacking() {
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || printf ' %s' "$package"
    done
}
# shellcheck disable=SC2086 # lists of words, here and below
missing=$(lacking $packages) extra=$(lacking $optional)
[ -n "$missing$extra" ] || exit 0

run=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "Missing:$missing$extra. Become root and run: apt-get install$missing$extra" >&2
        [ -z "$missing" ] # what godwit can do without is not a failure
        exit
    fi
    run=sudo
fi
install() {
    echo "installing: $*"
    DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends "$@"
}
$run apt-get update -qq || [ -z "$missing" ]
packaged=""
for package in $extra; do
    if apt-cache show "$package" >/dev/null 2>&1; then packaged="$packaged $package"; else echo "left out: $package is not packaged here"; fi
done
# shellcheck disable=SC2086
[ -z "$missing" ] || install $missing
# shellcheck disable=SC2086
[ -z "$packaged" ] || install $packaged || echo "left out:$packaged, which could not be installed"
