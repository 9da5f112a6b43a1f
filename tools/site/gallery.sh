#!/bin/sh
# Pictures of what is shipped, with a page that shows them.   tools/site/gallery.sh GODWIT FOLDER      `make gallery` calls it
set -eu
godwit=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$2" && mkdir -p "$2" && cd "$2"
GODWIT_MODELS=$root/share/godwit/models
export GODWIT_MODELS
gzip -dc "$root/tests/data/yeast_I.fa.gz" >genome.fa
printf '<!DOCTYPE html><meta charset="utf-8"><title>godwit: gallery</title><style>body{font-family:sans-serif;max-width:60em;margin:1em auto}img{max-width:100%%}</style>\n' >index.html
# show PICTURE WORDS COMMAND...
show() {
    picture=$1 words=$2
    shift 2
    "$godwit" "$@" >/dev/null
    [ -s "$picture" ] || { echo "gallery: $picture was not drawn" >&2 && exit 1; }
    printf '<h2>%s</h2><pre>godwit %s</pre><img src="%s" alt="%s">\n' "$words" "$*" "$picture" "$words" >>index.html
}
"$godwit" mutate -q -f genome.fa -r I:71091-71150 -o changes.vcf
show map.svg "Every change of sixty bases of a yeast promoter" score -q -m yeast -f genome.fa --map map.svg -o scored.vcf changes.vcf
show region.svg "The same region" view -q -f genome.fa -r I:71091-71150 -o region.svg scored.vcf
for pattern in itc band:64+causal window:3+global:2+random:3; do
    show "$(echo "$pattern" | tr ':+' '__').svg" "Attention: $pattern" graph -q -p "$pattern" -n 2048 -o "$(echo "$pattern" | tr ':+' '__').svg"
done
show curves.svg "Path length and clustering beside random graphs" graph -q --curves curves.svg
show stem.svg "A stem of convolutions" graph -q --stem conv:15+res:9@1,2,4+pool:4+res:5@1,2+unpool:4 -o stem.svg
rm -f genome.fa genome.fa.fai
echo "gallery: $PWD/index.html"
