#!/bin/sh
# Builds the Debian packages from what is committed, and has lintian look at them.
#   tools/packaging/debian.sh [--archive FILE] FOLDER [OPTION of dpkg-buildpackage...]
# needs debhelper and lintian; -d skips Build-Depends; FILE: what `make dist` has made, where this is not a clone
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
archive=
if [ "$1" = --archive ]; then
    archive=$2
    shift 2
fi
mkdir -p "$1" && cd "$1" && shift
version=$(sed -n 's/^#define GW_VERSION "\(.*\)"/\1/p' "$root/lib/godwit.h")
[ -n "$archive" ] || { make -s -C "$root" dist && archive="$root/build/godwit-$version.tar.gz"; }
cp "$archive" "godwit_$version.orig.tar.gz"
rm -rf "godwit-$version" && tar -xzf "godwit_$version.orig.tar.gz"
cp -R "godwit-$version/tools/packaging/debian" "godwit-$version/debian"
(cd "godwit-$version" && dpkg-buildpackage -us -uc "$@")
# The suppressed tag asks first uploads to Debian for the bug that announced them.
lintian --info --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root ./*.changes
