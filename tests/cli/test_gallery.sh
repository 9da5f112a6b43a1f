# The gallery is drawn, and its page shows each picture as today's program draws it: fonts differ between machines, so that the texts of
# the pictures are compared (<desc>: titles, axes, scales, legends).
. "$ROOT/tests/cli/lib.sh"
sh "$ROOT/tools/site/gallery.sh" "$GODWIT" gallery >said
equal "$(tail -n 1 said)" "gallery: $PWD/gallery/index.html" "the last line"
texts() { sed -n '/<desc>/,/<\/desc>/p' "$1"; }
sed -n 's/^!\[.*\](\(.*\.svg\))$/\1/p' "$ROOT/docs/guides/gallery.md" >shown
equal "$(wc -l <shown)" "$(ls gallery/*.svg | wc -l)" "pictures of docs/guides/gallery.md"
while read -r picture; do
    drawn=gallery/$(basename "$picture" | sed 's/^graph-//')
    texts "$drawn" >now.txt && texts "$ROOT/docs/guides/$picture" >page.txt
    [ -s now.txt ] || die "$drawn says nothing"
    cmp -s now.txt page.txt || die "docs/guides/$picture is not what is drawn today: $(diff page.txt now.txt | head -n 5)"
done <shown
