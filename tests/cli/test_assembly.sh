# Files of another assembly, other names of contigs, and genomes of which a part is missing: a clear word each, and no record lost.
. "$ROOT/tests/cli/lib.sh"
prepared small
score() { "$GODWIT" score -q -m model --window 60 -f g.fa "$@"; }
statuses() { grep -v '^#' "$1" | cut -f 8 | tr ';' '\n' | sed -n 's/^GW_STATUS=//p' | sort | uniq -c | awk '{ printf "%s%d %s", (NR > 1 ? ", " : ""), $1, $2 }'; }

# Of 120 changes those that stand 17 bases further on have a REF that the genome mostly has not: the run stops before it writes.
"$GODWIT" mutate -q -f g.fa -r c1:1001-1040 >right.vcf
moved() { awk -F '\t' -v OFS='\t' -v every="$1" '/^#CHROM/ { print "##reference=file:///data/hg19.fa" } !/^#/ && every && ++n % every == 0 { $2 += 17 } { print }' right.vcf; }
moved 1 >wrong.vcf
why="alleles: wrong.vcf is probably of another assembly (its header names GRCh37). This brings it over: godwit liftover --vcf -c OLD-TO-NEW.over.chain.gz -f g.fa wrong.vcf"
fails 1 "of the first 120 $why" score -o no.vcf wrong.vcf
[ ! -e no.vcf ] && [ ! -e no.vcf.journal ] || die "a failed run left its output"
fails 1 "of the first 120 alleles: standard input is probably of another assembly (its header names GRCh37). This brings it over: godwit liftover --vcf -c OLD-TO-NEW.over.chain.gz -f g.fa. --check-ref w" \
    score <wrong.vcf
fails 1 "of the first 120 $why" "$GODWIT" background -q -m model --window 60 -f g.fa -o no.tsv wrong.vcf
sed 's/^##reference=.*/##contig=<ID=x,assembly=b37>/' wrong.vcf >named.vcf
fails 1 "(its header names GRCh37)" score -o no.vcf named.vcf
sed 's/^##reference=.*/##reference=hg190.fa/' wrong.vcf >unnamed.vcf
fails 1 "unnamed.vcf is probably of another assembly. This brings it over" score -o no.vcf unnamed.vcf

# Who says what is to be done with such alleles has them all; so has who has a few of them, or few alleles at all.
score --check-ref w -o out.vcf wrong.vcf
grep -v '^#' wrong.vcf | cut -f 1-5 >expected
grep -v '^#' out.vcf | cut -f 1-5 >found
same found expected
grep -q 'GW_STATUS=REFMISMATCH' out.vcf || die "no mismatch is marked"
moved 5 >few.vcf
score -o out.vcf few.vcf 2>err
statuses out.vcf | awk '{ exit !($3 == "PASS" && $4 == 0 && $1 > 95 || /REFMISMATCH/) }' || die "few mismatches: $(statuses out.vcf)"
equal "$(grep -vc '^#' out.vcf)" 120 "records"
{ grep '^#' wrong.vcf && grep -v '^#' wrong.vcf | head -n 19; } >short.vcf
score -o out.vcf short.vcf
equal "$(grep -vc '^#' out.vcf)" 19 "records of a short file"

# Names of contigs meet with and without chr, mitochondria too.
awk '/^>c1/ { print ">chr1"; next } /^>c2/ { print ">chrM"; next } { print }' g.fa >ucsc.fa
sed 's/^>chrM/>MT/; s/^>chr/>/' ucsc.fa >ensembl.fa
{ "$GODWIT" mutate -q -f g.fa -r c1:1001-1005 && "$GODWIT" mutate -q -f g.fa -r c2:1001-1005 | grep -v '^#'; } | grep -v '^##contig' >plain.vcf
values() { grep -v '^#' "$1" | cut -f 8; }
score -o out.vcf plain.vcf
values out.vcf >expected
equal "$(statuses out.vcf)" "30 PASS" "statuses"
sed 's/^c1/chr1/; s/^c2/chrM/' plain.vcf >ucsc.vcf
sed 's/^c1/1/; s/^c2/MT/' plain.vcf >ensembl.vcf
for genome in ucsc ensembl; do
    for vcf in ucsc ensembl; do
        "$GODWIT" score -q -m model --window 60 -f $genome.fa -o out.vcf $vcf.vcf 2>err
        values out.vcf >found
        same found expected
    done
done

# A header whose lengths are another assembly's, by the same names and by names that are alike.
header() { awk -v lines="$1" '/^#CHROM/ { printf lines } { print }' "$2"; }
header '##contig=<ID=chr1,length=249250621>\n' ucsc.vcf >hg19.vcf
why=": they are of different assemblies. This brings the records over: godwit liftover --vcf -c OLD-TO-NEW.over.chain.gz -f"
fails 1 "hg19.vcf declares contig chr1 with 249250621 bp, as in GRCh37, but ucsc.fa has it with 3000 bp$why ucsc.fa hg19.vcf" \
    "$GODWIT" score -q -m model --window 60 -f ucsc.fa -o no.vcf hg19.vcf
header '##contig=<ID=1,length=249250621>\n' ensembl.vcf >b37.vcf
fails 1 "b37.vcf declares contig 1 with 249250621 bp, as in GRCh37, but ucsc.fa has it with 3000 bp$why ucsc.fa b37.vcf" \
    "$GODWIT" score -q -m model --window 60 -f ucsc.fa -o no.vcf b37.vcf
header '##contig=<ID=1,length=3000>\n##contig=<ID=MT,length=16569>\n' ensembl.vcf >other.vcf # other mitochondria alone
"$GODWIT" score -q -m model --window 60 -f ucsc.fa -o out.vcf other.vcf 2>err
equal "$(statuses out.vcf)" "15 NOCONTIG, 15 PASS" "statuses of other mitochondria"

# A genome without an index in a folder where none can be written; and one of which a part is there.
mkdir closed && cp g.fa closed && chmod 555 closed
score -o expected.vcf plain.vcf
"$GODWIT" score -q -m model --window 60 -f closed/g.fa -o out.vcf plain.vcf
values out.vcf >found
same found expected
equal "$(ls closed)" g.fa "files of the folder"
chmod 755 closed
size=$(wc -c <g.fa)
awk -F '\t' '/^>/ { if (name) print name, n, at, 50, 51; name = substr($0, 2); n = 0; seen += length($0) + 1; at = seen; next }
    { n += length($0); seen += length($0) + 1 } END { print name, n, at, 50, 51 }' OFS='\t' g.fa >whole.fai
for bytes in $((size / 3)) $((size / 2 + 200)) $((size - 30)); do
    head -c $bytes g.fa >part.fa
    cp whole.fai part.fa.fai
    touch part.fa.fai
    fails 1 "part.fa is shorter than its index part.fa.fai says, at contig 'c" "$GODWIT" score -q -m model --window 60 -f part.fa -o no.vcf plain.vcf
    grep -q "it was probably cut short, as by a download that broke off" fails.err || die "$(cat fails.err)"
    touch -t 200001010000 part.fa.fai # the index came first
    fails 1 "part.fa is shorter than its index part.fa.fai says, at contig 'c" "$GODWIT" score -q -m model --window 60 -f part.fa -o no.vcf plain.vcf
done
cp g.fa part.fa
"$GODWIT" score -q -m model --window 60 -f part.fa -o out.vcf plain.vcf 2>err
grep -q "part.fa.fai is older than its FASTA" err || die "$(cat err)"
values out.vcf >found
same found expected

# Genes whose introns begin and end as introns do, on both strands, and the same table on another assembly.
awk "$DRAW"'BEGIN { seed = 9; for (g = 0; g < 4; g++) { minus = g % 2; name = "G" g; first = length(s); starts = ends = ""
        for (e = 0; e < 8; e++) { starts = starts length(s) ","; s = s bases(60); ends = ends length(s) ","
            if (e < 7) s = s (minus ? "CT" : "GT") bases(80) (minus ? "AC" : "AG") }
        table = table name "\tx\t" (minus ? "-" : "+") "\t" first "\t" length(s) "\t" starts "\t" ends "\n"; s = s bases(200) }
    print ">x\n" s >"made.fa"; printf "#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\n%s", table >"made.txt" }'
"$GODWIT" genes -q -g made.txt -f made.fa -o out.txt 2>err
[ ! -s err ] || die "a warning of genes that fit: $(cat err)"
awk 'NR == 1 { print; next } { print "ACGTACG" $0 }' made.fa >later.fa
"$GODWIT" genes -q -g made.txt -f later.fa -o out.txt 2>err
grep -q "made.txt: of 28 introns [0-9] begin with GT or GC and end with AG on later.fa, and nearly all should: the genes are probably of another assembly" err ||
    die "no warning of another assembly's genes: $(cat err)"
same out.txt made.txt
awk 'NR == 1 { print; next } { print substr($0, 1, 2000) }' made.fa >cut.fa
"$GODWIT" genes -q -g made.txt -f cut.fa -o out.txt 2>err
grep -q "made.txt: [0-9] genes end past the end of their contig and are left out: is cut.fa the table's assembly?" err || die "$(cat err)"
