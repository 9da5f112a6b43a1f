#!/bin/sh
# Installs a wheel into an empty Debian and scores with it there, as the README does: by the command, by python -m and by the package.
#   tools/packaging/try-wheel.sh WHEEL FOLDER SUITE...     needs root, mmdebstrap and the network; FOLDER: of the systems, which go after
# A wheel for another machine is emulated, where the kernel knows by what (qemu-user-static).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
wheel=$(realpath "$1") folder=$2
shift 2
case $wheel in *_aarch64.whl) architecture=arm64 ;; *) architecture=amd64 ;; esac
mkdir -p "$folder"
for suite; do
    chroot=$folder/wheel-$suite
    rm -rf "$chroot"
    mmdebstrap --quiet --variant=apt --architectures=$architecture --include=python3-venv,ca-certificates "$suite" "$chroot" "${DEBIAN_MIRROR:-http://deb.debian.org}/debian"
    cp "$wheel" "$root/tests/data/yeast_I.fa.gz" "$chroot/tmp/"
    # Names, certificates and the index of packages are those of this machine.
    cp /etc/resolv.conf "$chroot/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$chroot/etc/ssl/certs/"
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$chroot/etc/"
    # With a /proc, by which programs find what lies beside them. shellcheck disable=SC2016
    unshare --mount --pid --fork --mount-proc="$chroot/proc" chroot "$chroot" env -i HOME=/root PATH=/usr/bin:/bin LC_ALL=C.UTF-8 ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} sh -euc '
        cd /tmp && python3 -m venv venv && venv/bin/pip -q --disable-pip-version-check install ./*.whl
        PATH=/tmp/venv/bin:$PATH
        godwit --version | head -n 1
        godwit mutate -f yeast_I.fa.gz -r I:71134-71136 -o changes.vcf
        godwit score -m yeast -f yeast_I.fa.gz -o scored.vcf changes.vcf
        python3 -m godwit score -q -m yeast -f yeast_I.fa.gz changes.vcf | grep -v "^##" >again
        grep -v "^##" scored.vcf | cmp - again
        grep -c GW_LLR= again
        printf "%s\n" "import godwit" "with godwit.Model(\"yeast\") as m:" \
            "    print(m.scorer(\"yeast_I.fa.gz\").score([(\"I\", 71134, \"A\", \"C\")]))" | python3 -
        status=0
        godwit models --get hf:nobody/nothing 2>&1 | tail -n 1 || status=$?'
    rm -rf "$chroot"
done
