# The commands of docs/guides/tutorial.md run as they are written, in its order, on its genome and lists; with an epoch of training in the place
# of six, unless TUTORIAL=whole, which leaves all that they made in that folder: TUTORIAL=whole TUTORIAL_FOLDER=FOLDER.
. "$ROOT/tests/cli/lib.sh"
needs_data ecoli/positive2860.txt
for file in GCF_000005845.2_ASM584v2_genomic.fna.gz positive2860.txt negative2860.txt; do ln -s "$GODWIT_DATA/ecoli/$file" .; done
sed -n '/^```sh$/,/^```$/p' "$ROOT/docs/guides/tutorial.md" | grep -v '^```' >commands.sh
equal "$(grep -c -e '--epochs 6' commands.sh)" 2 "trainings of the tutorial"
[ "${TUTORIAL:-}" = whole ] || sed -i 's/--epochs 6/--steps 20 --warmup 2/' commands.sh
mkdir bin && ln -s "$GODWIT" bin/godwit
PATH=$PWD/bin:$PATH sh -eu commands.sh >said 2>notes || die "$(tail -n 5 notes)"
[ "${TUTORIAL:-}" != whole ] || cp -r coli sites lac.png said notes "$TUTORIAL_FOLDER"

grep -q '^>ECK120010130_lacZp1_reverse_366343_' said || die "the promoter is not in the list: $(head -n 3 said)"
equal "$(grep -c '^>' positive.fa) $(grep -c '^>' negative.fa)" "2859 2860" "sequences of both lists"
equal "$(grep "^lac.tsv" said | cut -f 2-4)" "1	0	0" "rows that share 31 bases with the promoter"
equal "$(grep -vc '^#' scored.vcf)" 243 "changes of the promoter"
equal "$(grep -v '^#' scored.vcf | grep -c 'GW_STATUS=PASS')" 243 "changes that were scored"
equal "$(od -An -tx1 -N4 lac.png | tr -d ' ')" 89504e47 "the map's first bytes"
equal "$(gzip -dc set.tsv.gz | cut -f 2,6 | LC_ALL=C sort | uniq -c | awk '$2 != "label" { printf "%s ", $1 " " $2 " " $3 }')" \
    "239 0 test 2621 0 train 239 1 test 2621 1 train " "rows of the set"
