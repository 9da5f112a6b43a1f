#!/bin/sh
# godwit and libgodwit for any Linux of a machine with glibc 2.28 (2018) or younger.
#   tools/packaging/portable/build.sh PARTS FOLDER     PARTS: what parts.sh has made for the machine
# FOLDER gets bin/godwit, lib with libgodwit, libgomp and, on x86-64, oneDNN, and licences. Compiled by gcc as everywhere else, linked
# by zig, whose stubs of glibc are those of the version that is named; everything but glibc, libgomp and, on x86-64, oneDNN and the
# libstdc++ that it asks for (GLIBCXX_3.4.19) is inside. The same parts and sources give the same bits, wherever they lie.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
parts=$(cd "$1" && pwd)
mkdir -p "$2/bin" "$2/lib" "$2/build"
folder=$(cd "$2" && pwd)
machine=$(cat "$parts/machine")
. "$here/machine.sh"

# shellcheck disable=SC2086 # a list of words
$cc -std=gnu11 -O2 -g0 -fPIC -fvisibility=hidden -Wall -Wextra -D_GNU_SOURCE -I"$parts/include" -c "$here/support.c" -o "$folder/build/support.o"
# libgcc before all that zig adds: both know the processor's features, but this one asks the processor.
reading="-lhts -lhtscodecs -lBigWig -lcurl -lssl -lcrypto -lbz2 -llzma -ldeflate -lz -ljansson -lutf8proc -lpcre2-8"
system="-ldnnl -lgomp $parts/lib/libgcc.a -lpthread -ldl -lm"
pictures="-lcairo -lpixman-1 -lfontconfig -lfreetype -lpng16 -lexpat -lbrotlidec -lbrotlicommon -luuid"
matlab="-lmatio -lhdf5_serial -lsz -laec"
link="$folder/build/support.o -Wl,--wrap=curl_easy_init"
link_program="$link $matlab $pictures $reading $system"
# $$ and the quotes are make's and the shell's: the linker reads $ORIGIN.
make -s -C "$root" ${JOBS:+-j"$JOBS"} CC="$cc" BUILD="$folder/build" CUDA=0 MPI=0 WERROR=1 HAVE_THEORY= HAVE_BIGWIG=yes HAVE_MAT=yes HAVE_CURL=yes \
    CPPFLAGS="-isystem $parts/include" CFLAGS="-g0 -ffile-prefix-map=$parts=. -ffile-prefix-map=$root=." \
    LINK="$zig $linker -target $target -s -Wl,--gc-sections -L$parts/lib '-Wl,-rpath,\$\$ORIGIN/../lib' '-Wl,-rpath,\$\$ORIGIN/lib'" \
    MAT_LIBS= CURL_LIBS= PACKAGE_LIBS="$link_program" LIBRARY_LIBS="-Wl,--version-script=$here/libgodwit.map $link $reading $system" \
    "$folder/build/godwit" "$folder/build/libgodwit.so"

cp "$folder/build/godwit" "$folder/bin/"
cp "$folder/build/libgodwit.so" "$folder/lib/libgodwit.so.$(sed -n 's/^SONAME := libgodwit.so.//p' "$root/Makefile")"
for name in libdnnl.so.3 libgomp.so.1; do [ ! -e "$parts/lib/$name" ] || cp "$parts/lib/$name" "$folder/lib/"; done
rm -rf "$folder/licences" && cp -R "$parts/licences" "$folder/licences"
cp "$root/LICENSE" "$folder/licences/godwit"
for file in "$folder"/bin/godwit "$folder"/lib/*; do
    youngest=$($objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | cut -d_ -f2 | sort -Vu | tail -n 1)
    [ "$(printf '%s\n' "$youngest" "$glibc" | sort -V | tail -n 1)" = "$glibc" ] ||
        { echo "build.sh: $file needs glibc $youngest" >&2 && exit 1; }
done
[ "$machine" != "$(uname -m)" ] || "$folder/bin/godwit" --version
