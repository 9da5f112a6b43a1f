# What differs between the machines of the portable build; read by parts.sh and build.sh, with $machine and $parts set.
# cc, ar, objdump: of the machine that is built for; debian: the folder of its system; host: what configure is told; linker: zig's.
# shellcheck shell=sh disable=SC2034 # variables of those who read this
case $machine in
x86_64)
    cc=${CC:-gcc} ar=ar objdump=objdump debian='' host='' linker=cc
    ;;
aarch64) # cross-compiled, against Debian's packages in a folder; what is in C++ there brings its library along
    debian=$parts/sysroot
    cc="aarch64-linux-gnu-gcc --sysroot=$debian" ar=aarch64-linux-gnu-ar objdump=aarch64-linux-gnu-objdump
    host=--host=aarch64-linux-gnu linker=c++
    export PKG_CONFIG_SYSROOT_DIR="$debian" PKG_CONFIG_LIBDIR="$debian/usr/lib/$machine-linux-gnu/pkgconfig:$debian/usr/share/pkgconfig"
    ;;
*)
    echo "${0##*/}: there is no portable build for $machine" >&2
    exit 1
    ;;
esac
# shellcheck disable=SC2086 # the first of its words
command -v ${cc%% *} >/dev/null || { echo "${0##*/}: no compiler ${cc%% *} for $machine" >&2 && exit 1; }
glibc=2.28
target=$machine-linux-gnu.$glibc
zig="$parts/venv/bin/python -m ziglang"
