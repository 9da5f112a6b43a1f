#!/bin/sh
# Writes the conda recipe and the Homebrew formula of what `make dist` has made, for the place where it is published.
#   tools/packaging/fill.sh URL HOMEPAGE FOLDER      URL: of the archive; FOLDER gets meta.yaml, recipe.yaml and godwit.rb
set -eu
[ $# -eq 3 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
version=$(sed -n 's/^#define GW_VERSION "\(.*\)"/\1/p' "$root/lib/godwit.h")
archive=$root/build/godwit-$version.tar.gz
[ -e "$archive" ] || { echo "fill.sh: there is no $archive: make dist makes it" >&2; exit 1; }
digest=$(sha256sum "$archive" | cut -d' ' -f1)
mkdir -p "$3"
for template in conda/meta.yaml conda/recipe.yaml homebrew/godwit.rb; do
    sed "s|@VERSION@|$version|; s|@URL@|$1|; s|@HOMEPAGE@|$2|; s|@SHA256@|$digest|" "$here/$template.in" >"$3/${template#*/}"
done
