#!/bin/sh
# The libraries of the portable build, as parts.tsv lists them, on Debian 12 for x86-64.
#   tools/packaging/portable/parts.sh PARTS     needs the network, what `make deps` installs, autoconf, dpkg-dev, libssl-dev, python3-venv
# PARTS/lib gets archives and the two shared libraries, PARTS/include headers, PARTS/licences their words, PARTS/parts.tsv
# the versions, and PARTS/venv has zig. Archives of Debian's go into the program as they are, which asks the linker for
# functions that glibc had in 2018; what the shared library needs too is compiled here from Debian's sources, since
# it has to be position-independent throughout. A second run makes what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/lib" "$1/include" "$1/licences" "$1/source" "$1/pypi"
parts=$(cd "$1" && pwd)
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
cc=${CC:-gcc}
made() { [ -e "$parts/lib/lib$1" ]; }
say() { echo "portable: $*"; }

# Sources of this Debian, with lists of their own: the system's stay as they are.
index="$parts/source/index"
sources() {
    apt-get -q -o APT::Sandbox::User=root -o Dir::State::lists="$index" -o Dir::Etc::sourcelist="$parts/source/list" -o Dir::Etc::sourceparts=- "$@"
}
fetch_sources() {
    [ ! -e "$parts/source/fetched" ] || return 0
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=${DEBIAN_MIRROR:-http://deb.debian.org}
    mkdir -p "$index/partial"
    printf 'deb-src %s %s main\n' "$mirror/debian" "$suite" "$mirror/debian" "$suite-updates" "$mirror/debian-security" "$suite-security" \
        >"$parts/source/list"
    sources update
    # htscodecs and jansson as their authors published them; the others with Debian's corrections.
    (cd "$parts/source" && sources source --download-only htslib curl bzip2 && sources source --tar-only htscodecs jansson)
    for name in htslib curl bzip2; do
        rm -rf "$parts/source/$name" && dpkg-source -x "$parts"/source/"$name"_*.dsc "$parts/source/$name"
    done
    for name in htscodecs jansson; do
        rm -rf "$parts/source/$name" && mkdir "$parts/source/$name"
        tar -xf "$parts"/source/"$name"_*.orig.tar.gz -C "$parts/source/$name" --strip-components=1
    done
    touch "$parts/source/fetched"
}

fetch_pypi() {
    [ ! -e "$parts/pypi/fetched" ] || return 0
    [ -e "$parts/venv" ] || python3 -m venv "$parts/venv"
    pip="$parts/venv/bin/pip -q --disable-pip-version-check"
    grep -v '^pyBigWig' "$here/requirements.txt" >"$parts/pypi/wheels.txt"
    grep '^pyBigWig' "$here/requirements.txt" >"$parts/pypi/sdists.txt"
    $pip install numpy setuptools wheel # which the sdist's description asks for
    $pip download --no-deps --only-binary :all: --python-version 3.11 --platform manylinux_2_28_x86_64 --platform manylinux1_x86_64 \
        --platform manylinux_2_12_x86_64 --require-hashes -r "$parts/pypi/wheels.txt" -d "$parts/pypi"
    $pip download --no-deps --no-binary :all: --no-build-isolation --require-hashes -r "$parts/pypi/sdists.txt" -d "$parts/pypi"
    $pip install --no-deps --no-index "$parts"/pypi/ziglang-*.whl
    for wheel in "$parts"/pypi/onednn*.whl "$parts"/pypi/scikit_learn-*.whl; do python3 -m zipfile -e "$wheel" "$parts/pypi/unpacked"; done
    tar -xzf "$parts"/pypi/[Pp]y[Bb]ig[Ww]ig-*.tar.gz -C "$parts/pypi/unpacked"
    touch "$parts/pypi/fetched"
}

flags() { echo "-O2 -g0 -fPIC -fvisibility=hidden -ffile-prefix-map=$parts=."; }
# archive NAME FOLDER [FLAG...]: of all C files there that SKIP does not name, compiled.
archive() {
    archive="$parts/lib/lib$1.a" folder=$2
    shift 2
    for file in "$folder"/*.c; do
        case " ${SKIP:-} " in *" ${file##*/} "*) continue ;; esac
        # shellcheck disable=SC2046,SC2086 # lists of words
        $cc $(flags) "$@" -c "$file" -o "${file%.c}.o"
        set -- "$@"
    done
    rm -f "$archive" && ar rcsD "$archive" "$folder"/*.o
}

make_sources() {
    s="$parts/source" unpacked="$parts/pypi/unpacked"
    made bz2.a || { say bzip2 && SKIP="bzip2.c bzip2recover.c dlltest.c mk251.c spewG.c unzcrash.c" archive bz2 "$s/bzip2" -D_FILE_OFFSET_BITS=64; }
    : >"$s/jansson/src/jansson_private_config.h"
    made jansson.a || { say jansson && archive jansson "$s/jansson/src" -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_FCNTL_H -DHAVE_SYS_STAT_H \
        -DHAVE_SYS_TIME_H -DHAVE_SYS_TYPES_H -DHAVE_LOCALECONV -DHAVE_GETPID -DHAVE_GETTIMEOFDAY -DHAVE_OPEN -DHAVE_READ -DHAVE_CLOSE \
        -DUSE_URANDOM -DHAVE_SYNC_BUILTINS -DHAVE_ATOMIC_BUILTINS -DINITIAL_HASHTABLE_ORDER=3; }
    made BigWig.a || { say libBigWig && archive BigWig "$unpacked"/py[Bb]ig[Ww]ig-*/libBigWig -DNOCURL; }
    cp "$unpacked"/py[Bb]ig[Ww]ig-*/libBigWig/*.h "$s/jansson/src/jansson.h" "$parts/include/"
    made htscodecs.a || {
        say htscodecs
        (cd "$s/htscodecs" && ./configure -q --disable-shared CC="$cc" CFLAGS="$(flags)" && make -s -C htscodecs) >"$s/htscodecs.log" 2>&1
        cp "$s/htscodecs/htscodecs/.libs/libhtscodecs.a" "$parts/lib/"
    }
    # http and https alone, by OpenSSL; support.c says where certificates are.
    made curl.a || {
        say curl
        (cd "$s/curl" && ./configure -q --disable-shared --with-openssl --without-ca-bundle --without-ca-path --with-ca-fallback \
            --disable-ldap --disable-ldaps --disable-rtsp --disable-dict --disable-telnet --disable-tftp --disable-pop3 --disable-imap \
            --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-manual --disable-ntlm --disable-tls-srp \
            --disable-alt-svc --disable-hsts --without-libpsl --without-libidn2 --without-brotli --without-zstd --without-nghttp2 \
            --without-libssh2 --without-librtmp --without-gssapi --without-libgsasl CC="$cc" CFLAGS="$(flags)" && make -s -C lib) \
            >"$s/curl.log" 2>&1
        cp "$s/curl/lib/.libs/libcurl.a" "$parts/lib/"
        cp -R "$s/curl/include/curl" "$parts/include/"
    }
    made hts.a || {
        say HTSlib
        (cd "$s/htslib" && autoreconf -i && ./configure -q --enable-libcurl --enable-s3 --enable-gcs --with-external-htscodecs \
            --with-libdeflate CC="$cc" CFLAGS="$(flags)" CPPFLAGS="-I$parts/include -I$s/htscodecs" LDFLAGS="-L$parts/lib" \
            LIBS="-lssl -lcrypto -lz -lpthread -ldl" && make -s lib-static) >"$s/htslib.log" 2>&1
        cp "$s/htslib/libhts.a" "$parts/lib/"
        cp -R "$s/htslib/htslib" "$parts/include/"
    }
}

take_binaries() {
    unpacked="$parts/pypi/unpacked"
    cp "$unpacked"/onednn_cpu_gomp-*.data/data/lib/libdnnl.so.3 "$parts/lib/"
    cp "$unpacked"/onednn_devel_cpu_gomp-*.data/data/include/*.h "$parts/include/"
    cp -R "$unpacked"/onednn_devel_cpu_gomp-*.data/data/include/oneapi "$parts/include/"
    # By the name that oneDNN asks for: the wheel that it comes from has its own.
    python3 "$here/plain_soname.py" "$unpacked"/scikit_learn.libs/libgomp-*.so.1.0.0 libgomp.so.1 "$parts/lib/libgomp.so.1"
    ln -sf libdnnl.so.3 "$parts/lib/libdnnl.so"
    ln -sf libgomp.so.1 "$parts/lib/libgomp.so"
    for name in ssl crypto z lzma deflate utf8proc pcre2-8 cairo pixman-1 fontconfig freetype png16 expat brotlidec brotlicommon uuid matio \
        hdf5_serial sz aec; do
        cp "/usr/lib/$multiarch/lib$name.a" "$parts/lib/"
    done
    cp "$($cc -print-libgcc-file-name)" "$parts/lib/"
}

# version HOW NAME
version() {
    case $1 in
    debian) dpkg-query -W -f='${Version}' "$2" ;;
    source) # Debian's, or that of the authors' archive
        for file in "$parts"/source/"$2"_*.orig.tar.* "$parts"/source/"$2"_*.debian.tar.*; do
            [ ! -e "$file" ] || echo "${file##*_}"
        done | sed 's/\.\(orig\|debian\)\.tar\..*//' | tail -n 1
        ;;
    pypi) sed -n "s/^$2==\([^ ]*\).*/\1/p" "$here/requirements.txt" ;;
    esac
}
licence() {
    case $1 in
    debian) cat "/usr/share/doc/$2/copyright" ;;
    source) find "$parts/source/$2" -maxdepth 1 -name 'LICEN*' -o -maxdepth 1 -name COPYING | sort | xargs cat ;;
    pypi)
        case $2 in
        onednn*) cat "$parts"/pypi/unpacked/onednn_cpu_gomp-*.data/data/share/doc/onednn/LICENSE "$parts"/pypi/unpacked/onednn_cpu_gomp-*.data/data/share/doc/onednn/THIRD-PARTY-PROGRAMS ;;
        pyBigWig) cat "$parts"/pypi/unpacked/py[Bb]ig[Ww]ig-*/libBigWig/LICENSE ;;
        scikit-learn) cat /usr/share/doc/libgcc-12-dev/copyright ;;
        esac
        ;;
    esac
}
write_down() {
    tab=$(printf '\t')
    printf 'name\tversion\tfrom\tlicence\n' >"$parts/parts.tsv"
    tail -n +2 "$here/parts.tsv" | while IFS=$tab read -r name from licence; do
        # shellcheck disable=SC2086 # two words
        printf '%s\t%s\t%s\t%s\n' "$name" "$(version $from)" "$from" "$licence"
        # shellcheck disable=SC2086
        licence $from >"$parts/licences/$name"
        [ -s "$parts/licences/$name" ] || say "no licence of $name was found" >&2
    done >>"$parts/parts.tsv"
}

fetch_sources
fetch_pypi
make_sources
take_binaries
write_down
say "$(find "$parts/lib" -name 'lib*' | wc -l) files in $parts/lib"
