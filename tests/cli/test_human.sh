# The model of human splicing in the box: it has torch's numbers on a piece of BRCA1, and scores variants without a table of genes.
. "$ROOT/tests/cli/lib.sh"
genome=$ROOT/tests/data/splice/brca1.fa golden=$ROOT/tests/data/splice/brca1.tsv
cp "$genome" brca1.fa

# Probabilities of the bases whose whole context lies in the piece: torch's with the folder's weights, and with the authors' of 32 bits
# (tests/oracle/spliceformer_oracle.py).
"$GODWIT" predict -q -m human-splice -f brca1.fa -r brca1:5001-6050 --bedgraph tracks 2>notes
grep -qF "This genome does not look like the one that the model was trained on" notes || die "no warning of a foreign genome: $(cat notes)"
for class in acceptor donor; do
    for strand in plus minus; do
        gzip -dc "tracks/$class.$strand.bedgraph.gz" | awk -v c=$class -v s=$strand '{ for (i = $2; i < $3; i++) print i + 1, s, c, $4 }'
    done
done >found
awk 'NR == FNR { p[$1, $2, $3] = $4; next } FNR > 1 { s = $2 == "+" ? "plus" : "minus"; rows++
    for (k = 3; k <= 6; k++) { off = p[$1, s, k % 2 ? "acceptor" : "donor"] - $k; if (off < 0) off = -off
        if (off > (k > 4 ? 2e-5 : 3e-3)) print $0 ": off by " off } } END { if (rows < 100) print rows " rows" }' found "$golden" >wrong
[ ! -s wrong ] || die "other probabilities than torch's: $(head -n 3 wrong)"

# Without genes both strands are scored, with one note; the first variant destroys a donor of the reverse strand, the second an acceptor.
base() { sed 1d brca1.fa | tr -d '\n' | cut -c "$1"; }
{ printf '##fileformat=VCFv4.2\n##contig=<ID=brca1,length=11050>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'brca1\t5122\tdonor\t%s\tT\t.\t.\t.\n' "$(base 5122)"
    printf 'brca1\t5264\tacceptor\t%s\tA\t.\t.\t.\n' "$(base 5264)"
    printf 'brca1\t5500\tdeletion\t%s\t%s\t.\t.\t.\n' "$(base 5500-5502)" "$(base 5500)"
    printf 'brca1\t20\tedge\t%s\tG\t.\t.\t.\n' "$(base 20)"; } >in.vcf
"$GODWIT" score -m human-splice -f brca1.fa -o out.vcf.gz in.vcf 2>notes
equal "$(grep -c 'without --genes both strands are scored' notes)" 1 "notes"
gzip -dc out.vcf.gz >out.vcf
grep -qx '##godwit_scoreAnywhere=1' out.vcf || die "the header does not say that both strands are scored"
grep -qx '##godwit_scoreModelLicence=mit' out.vcf || die "licence"
value() { awk -F '\t' -v id="$1" '$3 == id { print $8 }' out.vcf | tr ';' '\n' | sed -n "s/^$2=//p"; }
entries() { value "$1" SpliceAI | tr ',' '\n' | awk -F '|' '{ printf "%s%s:%.1f/%.1f/%.1f/%.1f", (NR > 1 ? " " : ""), $2, $3, $4, $5, $6 }'; }
equal "$(entries donor | sed 's/ .*//')" "+:0.0/0.0/0.0/0.0" "the other strand"
for id in donor acceptor; do
    value $id GW_SPLICE | awk '{ exit !($1 > 0.8) }' || die "the $id is not lost: $(value $id GW_SPLICE)"
    equal "$(value $id GW_STATUS)" PASS "status of $id"
done
equal "$(value edge GW_STATUS)" PADDED "status where 50 bases and half a context do not fit"
# The model's own background says where they lie among common variants.
grep -q '^##INFO=<ID=GW_PCT,.* Background of 1107 alleles, 1000 Genomes variants with a frequency of 0.05 or more' out.vcf || die "no background in the header"
grep -q 'background is left out' notes && die "the background in the box is not of the model in the box: $(cat notes)"
value donor GW_PCT | awk '{ exit !($1 > 99) }' || die "where a lost donor lies: $(value donor GW_PCT)"
value deletion GW_PCT | awk '{ exit !($1 < 99) }' || die "where a deletion in an intron lies: $(value deletion GW_PCT)"
value deletion GW_SPLICE | awk '{ exit !($1 < 0.2) }' || die "a deletion in an intron: $(value deletion GW_SPLICE)"
sed 5,7d in.vcf >donor.vcf # the record of the donor alone
"$GODWIT" score -q -m human-splice -f brca1.fa --anywhere donor.vcf 2>notes | grep -v '^#' >anywhere
grep -v '^#' out.vcf | grep "donor" >plain
same anywhere plain
fails 1 '--mask compares with annotated splice sites: give --genes' "$GODWIT" score -q -m human-splice -f brca1.fa -M 1 -o x.vcf in.vcf
fails 1 "has entries for each gene and strand: use \`godwit score\`" "$GODWIT" serve -q -m human-splice -f brca1.fa
"$GODWIT" score -q -m human-splice -f brca1.fa --variants brca1:5122:"$(base 5122)":T 2>/dev/null | grep -q 'GW_SPLICE=0.9' || die "a variant of the command line"

# Licence and card come along; the folder is small.
grep -q '^MIT License' "$ROOT/share/godwit/models/human-splice/LICENSE" || die "no licence text"
"$GODWIT" models human-splice | grep -q 'Human splicing: is this base an acceptor or a donor' || die "no card"
# Every model in the box says whom it is asked of, what, and what it is worth; the name of an organism is answered by its models.
for folder in "$ROOT"/share/godwit/models/*/; do
    "$GODWIT" models | awk -F '\t' -v name="$(basename "$folder")" '$1 == name && $7 != "" && $8 != "" && $9 ~ /[0-9]/ { found = 1 } END { exit !found }' ||
        die "$folder says too little"
done
fails 1 "its models are: human-" "$GODWIT" score -q -m human -f brca1.fa in.vcf
[ "$(du -sk "$ROOT/share/godwit/models/human-splice" | cut -f 1)" -lt 15000 ] || die "more than 15 MB"
