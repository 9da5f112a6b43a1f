#!/bin/sh
# The libraries of the portable build, as parts.tsv lists them, made by Debian 12 on x86-64.
#   tools/packaging/portable/parts.sh PARTS [x86_64|aarch64]
# Needs the network, what `make deps` installs, autoconf, dpkg-dev, libssl-dev, python3-venv; for aarch64, which is cross-compiled,
# gcc-aarch64-linux-gnu and cmake. PARTS/lib gets archives and shared libraries, PARTS/include headers, PARTS/licences their
# words, PARTS/parts.tsv the versions, PARTS/machine the machine, and PARTS/venv has zig. Archives of Debian's go into the
# program as they are, which asks the linker for functions that glibc had in 2018; what the shared library needs too is compiled
# here from Debian's sources, since it has to be position-independent throughout. A second run makes what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
machine=${2:-x86_64}
mkdir -p "$1/lib" "$1/include" "$1/licences" "$1/source" "$1/pypi"
parts=$(cd "$1" && pwd)
. "$here/machine.sh"
multiarch=$machine-linux-gnu
echo "$machine" >"$parts/machine"
trap '[ $? = 0 ] || echo "parts.sh: it ended early; the last of $parts/source/*.log says why, where it was building" >&2' EXIT
made() { [ -e "$parts/lib/lib$1" ]; }
say() { echo "portable: $*"; }

# sources SUITE...: those of Debian that are asked for from now on; with lists of their own: the system's stay as they are.
sources() {
    mkdir -p "$parts/source/index/partial"
    for suite; do
        case $suite in *-security) archive=debian-security ;; *) archive=debian ;; esac
        echo "deb-src ${DEBIAN_MIRROR:-http://deb.debian.org}/$archive $suite main"
    done >"$parts/source/list"
    source_list update
}
source_list() {
    apt-get -q -o APT::Sandbox::User=root -o Dir::State::lists="$parts/source/index" -o Dir::Etc::sourcelist="$parts/source/list" \
        -o Dir::Etc::sourceparts=- "$@"
}
fetch_sources() {
    [ ! -e "$parts/source/fetched" ] || return 0
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # htscodecs, jansson and oneDNN as their authors published them; the others with Debian's corrections.
    whole="htscodecs jansson"
    sources "$suite" "$suite-updates" "$suite-security"
    (cd "$parts/source" && source_list source --download-only htslib curl bzip2 && source_list source --tar-only htscodecs jansson)
    if [ "$machine" != x86_64 ]; then
        whole="$whole onednn"
        sources trixie
        (cd "$parts/source" && source_list source --tar-only onednn)
    fi
    for name in htslib curl bzip2; do
        rm -rf "$parts/source/$name" && dpkg-source -x "$parts"/source/"$name"_*.dsc "$parts/source/$name"
    done
    for name in $whole; do
        rm -rf "$parts/source/$name" && mkdir "$parts/source/$name"
        tar -xf "$parts"/source/"$name"_*.orig.tar.[gx]z -C "$parts/source/$name" --strip-components=1
    done
    touch "$parts/source/fetched"
}

# wheels MACHINE NAME...: of requirements.txt, for that machine
wheels() {
    platform=$1 && shift
    for name; do grep "^$name==" "$here/requirements.txt"; done >"$parts/pypi/wheels.txt"
    $pip download --no-deps --only-binary :all: --python-version 3.11 --platform "manylinux_2_28_$platform" --platform "manylinux1_$platform" \
        --platform "manylinux_2_12_$platform" --require-hashes -r "$parts/pypi/wheels.txt" -d "$parts/pypi"
}
fetch_pypi() {
    [ ! -e "$parts/pypi/fetched" ] || return 0
    [ -e "$parts/venv" ] || python3 -m venv "$parts/venv"
    pip="$parts/venv/bin/pip -q --disable-pip-version-check"
    grep '^pyBigWig' "$here/requirements.txt" >"$parts/pypi/sdists.txt"
    $pip install numpy setuptools wheel # which the sdist's description asks for
    wheels x86_64 ziglang # the linker, which runs here
    wheels "$machine" scikit-learn
    [ "$machine" != x86_64 ] || wheels x86_64 onednn-cpu-gomp onednn-devel-cpu-gomp
    $pip download --no-deps --no-binary :all: --no-build-isolation --require-hashes -r "$parts/pypi/sdists.txt" -d "$parts/pypi"
    $pip install --no-deps --no-index "$parts"/pypi/ziglang-*.whl
    for wheel in "$parts"/pypi/onednn*.whl "$parts"/pypi/scikit_learn-*.whl; do
        [ ! -e "$wheel" ] || python3 -m zipfile -e "$wheel" "$parts/pypi/unpacked"
    done
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
    rm -f "$archive" && $ar rcsD "$archive" "$folder"/*.o
}

make_sources() {
    s="$parts/source" unpacked="$parts/pypi/unpacked"
    made bz2.a || { say bzip2 && SKIP="bzip2.c bzip2recover.c dlltest.c mk251.c spewG.c unzcrash.c" archive bz2 "$s/bzip2" -D_FILE_OFFSET_BITS=64; }
    : >"$s/jansson/src/jansson_private_config.h"
    made jansson.a || { say jansson && archive jansson "$s/jansson/src" -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_FCNTL_H -DHAVE_SYS_STAT_H \
        -DHAVE_SYS_TIME_H -DHAVE_SYS_TYPES_H -DHAVE_LOCALECONV -DHAVE_GETPID -DHAVE_GETTIMEOFDAY -DHAVE_OPEN -DHAVE_READ -DHAVE_CLOSE \
        -DUSE_URANDOM -DHAVE_SYNC_BUILTINS -DHAVE_ATOMIC_BUILTINS -DINITIAL_HASHTABLE_ORDER=3; }
    made BigWig.a || { say libBigWig && archive BigWig "$unpacked"/py[Bb]ig[Ww]ig-*/libBigWig -DNOCURL; }
    cp "$unpacked"/py[Bb]ig[Ww]ig-*/libBigWig/*.h "$s/jansson/src/jansson.h" "$s/bzip2/bzlib.h" "$parts/include/"
    made htscodecs.a || {
        say htscodecs
        (cd "$s/htscodecs" && ./configure -q $host --disable-shared CC="$cc" CFLAGS="$(flags)" && make -s -C htscodecs) >"$s/htscodecs.log" 2>&1
        cp "$s/htscodecs/htscodecs/.libs/libhtscodecs.a" "$parts/lib/"
    }
    # http and https alone, by OpenSSL; support.c says where certificates are.
    made curl.a || {
        say curl
        (cd "$s/curl" && ./configure -q $host --disable-shared --with-openssl --without-ca-bundle --without-ca-path --with-ca-fallback \
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
        (cd "$s/htslib" && autoreconf -i && ./configure -q $host --enable-libcurl --enable-s3 --enable-gcs --with-external-htscodecs \
            --with-libdeflate CC="$cc" CFLAGS="$(flags)" CPPFLAGS="-I$parts/include -I$s/htscodecs" LDFLAGS="-L$parts/lib" \
            LIBS="-lssl -lcrypto -lz -lpthread -ldl" && make -s lib-static) >"$s/htslib.log" 2>&1
        cp "$s/htslib/libhts.a" "$parts/lib/"
        cp -R "$s/htslib/htslib" "$parts/include/"
    }
}

# PyPI has no oneDNN for this machine. Of its functions godwit calls the product of two matrices, each by a thread of its own.
make_onednn() {
    ! made dnnl.a || return 0
    say oneDNN
    for tool in cc c++ ar ranlib; do
        printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" "$tool" >"$parts/zig-$tool"
        chmod +x "$parts/zig-$tool"
    done
    s=$parts/source/onednn compile="-target $target -ffile-prefix-map=$parts=."
    (cmake -S "$s" -B "$s/build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_COMPILER="$parts/zig-cc" -DCMAKE_CXX_COMPILER="$parts/zig-c++" -DCMAKE_AR="$parts/zig-ar" -DCMAKE_RANLIB="$parts/zig-ranlib" \
        -DCMAKE_C_FLAGS="$compile" -DCMAKE_CXX_FLAGS="$compile" -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DONEDNN_LIBRARY_TYPE=STATIC \
        -DONEDNN_CPU_RUNTIME=SEQ -DONEDNN_BUILD_TESTS=OFF -DONEDNN_BUILD_EXAMPLES=OFF -DONEDNN_BUILD_DOC=OFF -DONEDNN_BUILD_GRAPH=OFF \
        -DONEDNN_ENABLE_JIT_PROFILING=OFF -DONEDNN_ENABLE_WORKLOAD=INFERENCE -DONEDNN_ENABLE_PRIMITIVE=MATMUL &&
        cmake --build "$s/build" -j "$(nproc)") >"$parts/source/onednn.log" 2>&1
    cp -R "$s"/include/* "$s"/build/include/* "$parts/include/"
    cp "$s/build/src/libdnnl.a" "$parts/lib/"
}

take_onednn() {
    cp "$parts"/pypi/unpacked/onednn_cpu_gomp-*.data/data/lib/libdnnl.so.3 "$parts/lib/"
    cp "$parts"/pypi/unpacked/onednn_devel_cpu_gomp-*.data/data/include/*.h "$parts/include/"
    cp -R "$parts"/pypi/unpacked/onednn_devel_cpu_gomp-*.data/data/include/oneapi "$parts/include/"
    ln -sf libdnnl.so.3 "$parts/lib/libdnnl.so"
}

take_binaries() {
    unpacked="$parts/pypi/unpacked"
    # By the name that oneDNN asks for: the wheel that it comes from has its own.
    python3 "$here/plain_soname.py" "$unpacked"/scikit_learn.libs/libgomp-*.so.1.0.0 libgomp.so.1 "$parts/lib/libgomp.so.1"
    ln -sf libgomp.so.1 "$parts/lib/libgomp.so"
    for name in ssl crypto z lzma deflate utf8proc pcre2-8 cairo pixman-1 fontconfig freetype png16 expat brotlidec brotlicommon uuid matio \
        hdf5_serial sz aec; do
        cp "$debian/usr/lib/$multiarch/lib$name.a" "$parts/lib/"
    done
    cp "$($cc -print-libgcc-file-name)" "$parts/lib/"
}

# Rows of parts.tsv: name, source, licence.
of_machine() { awk -F '\t' -v OFS='\t' -v machine="$machine" 'NR > 1 && ($4 == "" || $4 == machine) { print $1, $2, $3 }' "$here/parts.tsv"; }
# version HOW NAME
version() {
    case $1 in
    debian)
        if [ -n "$debian" ]; then sed -n "s/^$2\t//p" "$debian/packages"; else dpkg-query -W -f='${Version}' "$2"; fi
        ;;
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
    debian) cat "$debian/usr/share/doc/$2/copyright" ;;
    source) find "$parts/source/$2" -maxdepth 1 -name 'LICEN*' -o -maxdepth 1 -name COPYING | sort | xargs cat ;;
    pypi)
        case $2 in
        ziglang) cat "$parts"/venv/lib/python3*/site-packages/ziglang/lib/libcxx/LICENSE.TXT ;;
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
    of_machine | while IFS=$tab read -r name from licence; do
        # shellcheck disable=SC2086 # two words
        printf '%s\t%s\t%s\t%s\n' "$name" "$(version $from)" "$from" "$licence"
        # shellcheck disable=SC2086
        licence $from >"$parts/licences/$name"
        [ -s "$parts/licences/$name" ] || say "no licence of $name was found" >&2
    done >>"$parts/parts.tsv"
}

if [ -n "$debian" ]; then
    # shellcheck disable=SC2046 # a list of words
    sh "$here/../../arm64-sysroot.sh" "$debian" $(of_machine | sed -n 's/.*\tdebian \([^\t]*\)\t.*/\1/p')
    # A name that Debian gives when the package is installed.
    ln -sf hdf5-serial.pc "$debian/usr/lib/$multiarch/pkgconfig/hdf5.pc"
fi
fetch_sources
fetch_pypi
make_sources
take_binaries
if [ "$machine" = x86_64 ]; then take_onednn; else make_onednn; fi
write_down
say "$(find "$parts/lib" -name 'lib*' | wc -l) files in $parts/lib"
