#!/bin/sh
# Builds the Debian packages (debian.sh) in an empty Debian that has Build-Depends and nothing else, and installs them in another.
#   tools/packaging/debian-clean.sh FOLDER [SUITE]     needs root, mmdebstrap and the network; SUITE: bookworm, trixie ...
# FOLDER gets the packages. DEB_BUILD_OPTIONS=nocheck leaves out their run of the tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1" && folder=$(cd "$1" && pwd)
suite=${2:-bookworm}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}/debian
make -s -C "$root" dist >/dev/null
chroot=$folder/build-$suite clean=$folder/clean-$suite
rm -rf "$chroot" "$clean"
needs=$(sed -n '/^Build-Depends:/,/^[^ ]/{s/^Build-Depends://;/^[A-Z]/d;s/<[^>]*>//;s/(.*)//;s/debhelper-compat/debhelper/;p}' "$here/debian/control" | tr -d ' \n')
mmdebstrap --variant=buildd --include="$needs,lintian,fakeroot" "$suite" "$chroot" "$mirror"
mkdir "$chroot/src" && tar -xzf "$root"/build/godwit-*.tar.gz -C "$chroot/src" --strip-components=1
# The archive is the source here: debian.sh finds it made.
cp "$root"/build/godwit-*.tar.gz "$chroot/"
unshare --mount --pid --fork --mount-proc="$chroot/proc" chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" sh /src/tools/packaging/debian.sh --archive "/$(cd "$chroot" && echo godwit-*.tar.gz)" /out
cp "$chroot"/out/*.deb "$chroot"/out/*.buildinfo "$folder/"
mmdebstrap --variant=apt "$suite" "$clean" "$mirror"
cp "$chroot"/out/*.deb "$clean/tmp/"
cp "$root/tests/data/yeast_I.fa.gz" "$clean/tmp/"
# shellcheck disable=SC2016 # the chroot's shell
unshare --mount --pid --fork --mount-proc="$clean/proc" chroot "$clean" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -euc 'cd /tmp
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ./godwit_*.deb ./libgodwit1_*.deb >/dev/null
    godwit --version
    godwit mutate -f yeast_I.fa.gz -r I:71134-71136 -o changes.vcf
    godwit score -m yeast -f yeast_I.fa.gz changes.vcf | grep -v "^#" | grep -c GW_LLR='
rm -rf "$chroot" "$clean"
