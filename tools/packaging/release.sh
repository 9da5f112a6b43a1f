#!/bin/sh
# What is published of a version, in FOLDER, with SHA256SUMS and bills of materials; `make release` calls it.
#   tools/packaging/release.sh FOLDER PARTS     PARTS: of the portable builds, a folder a machine, made where missing (portable/parts.sh)
# The archive of sources; for each of MACHINES (x86_64 aarch64) whose parts are there or can be made (by Debian 12 on x86-64), the
# portable program as an archive for clusters and as the wheel godwit-genomics. Of one commit and one set of parts the bits are the
# same wherever they are made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}
rm -rf "$1" && mkdir -p "$1" "$2"
folder=$(cd "$1" && pwd) all_parts=$(cd "$2" && pwd)
version=$(sed -n 's/^#define GW_VERSION "\(.*\)"/\1/p' "$root/lib/godwit.h")
seconds=$(git -C "$root" log -1 --format=%ct)
make -s -C "$root" dist
cp "$root/build/godwit-$version.tar.gz" "$folder/"

parts_fit() { [ "$(uname -m)" = x86_64 ] && [ "$(. /etc/os-release && echo "$ID $VERSION_ID")" = "debian 12" ]; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What is committed is built, in a folder of its own.
tar -xzf "$folder/godwit-$version.tar.gz" -C "$work"
source=$work/godwit-$version

# portable MACHINE: its archive, its wheel and their bill of materials
portable() {
    parts=$(cd "$all_parts/$1" && pwd) name=godwit-$version-linux-$1
    rm -rf "$work/out"
    sh "$source/tools/packaging/portable/build.sh" "$parts" "$work/out"
    mkdir -p "$work/$name/share/godwit" "$work/$name/include"
    cp -R "$work/out/bin" "$work/out/lib" "$work/out/licences" "$work/$name/"
    cp -R "$source/share/godwit/models" "$work/$name/share/godwit/"
    cp "$source/lib/godwit.h" "$work/$name/include/"
    cp "$source/README.md" "$source/CHANGELOG.md" "$work/$name/"
    # The order, owners, rights and times of files are those of no machine.
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$seconds" -cf - "$name" | gzip -9n >"$folder/$name.tar.gz"
    "$python" "$source/tools/python/make_wheel.py" "$work/out/lib/libgodwit.so.1" "$work/out/bin/godwit" "$folder" "manylinux_2_28_$1" "$work/out"
    (cd "$folder" && "$python" "$here/sbom.py" "$parts/parts.tsv" "$1" "$seconds" "godwit-$version.tar.gz" "$name.tar.gz" godwit_genomics-*"_$1.whl") \
        >"$work/sbom"
    cp "$work/sbom" "$folder/$name.cdx.json"
}

for machine in ${MACHINES:-x86_64 aarch64}; do
    [ -e "$all_parts/$machine/parts.tsv" ] || ! parts_fit || sh "$here/portable/parts.sh" "$all_parts/$machine" "$machine"
    if [ -e "$all_parts/$machine/parts.tsv" ]; then
        portable "$machine"
    else
        echo "release: without the portable program and the wheel for $machine, which Debian 12 on x86-64 makes" >&2
    fi
done
(cd "$folder" && sha256sum -- * >"$folder/../SHA256SUMS" && mv ../SHA256SUMS .)
(cd "$folder" && sha256sum -c --quiet SHA256SUMS && ls -l)
