#!/bin/sh
# The documents as pages that need no network: README.md, CHANGELOG.md, docs and what they show, by pandoc.
#   tools/site/build.sh FOLDER      `make site` calls it
# Pandoc, since it is one program that every distribution has and keeps up, reads these documents as they are, and writes pages without
# scripts. Links that lead nowhere are an error.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v pandoc >/dev/null || { echo "make site needs pandoc (apt-get install pandoc)" >&2 && exit 1; }
rm -rf "$1" && mkdir -p "$1"
site=$(cd "$1" && pwd)
cd "$root"
pages=$(git ls-files README.md CHANGELOG.md 'docs/*.md' 'share/*.md' tools/packaging/README.md)
for page in $pages; do
    target=$(echo "$page" | sed 's/README\.md$/index.md/; s/\.md$/.html/')
    mkdir -p "$site/$(dirname "$target")"
    up=$(echo "$target" | sed 's|[^/]*$||; s|[^/]*/|../|g')
    # Headings are named as GitHub names them, as the documents' links do.
    pandoc -f gfm -t html --template tools/site/page.html --lua-filter tools/site/links.lua -V root="$up" -o "$site/$target" "$page"
    printf -- '- [%s](%s)\n' "$(sed -n 's/^# //p' "$page" | head -n 1)" "$target"
done >"$site/contents.md"
{ printf '# All pages\n\n' && cat "$site/contents.md"; } | pandoc -f gfm -t html --template tools/site/page.html --lua-filter tools/site/links.lua -V root= -o "$site/contents.html"
rm "$site/contents.md"
for picture in $(git ls-files 'docs/*.png' 'docs/*.svg' 'docs/*.ipynb'); do
    mkdir -p "$site/$(dirname "$picture")"
    cp "$picture" "$site/$picture"
done
sh tools/site/check.sh "$site"
