# godwit score --variants: variants of the command line beside the same ones in a file, HGVS, names by --ids.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/small.sh"
base() { awk -v at="$1" '/^>/ { contig++; next } contig == 1 { s = s $0 } END { print substr(s, at, 1) }' g.fa; }
other() { [ "$1" = A ] && echo C || echo A; }
score() { "$GODWIT" score -q -m model -f g.fa "$@"; }
r=$(base 1005) a=$(other "$(base 1005)")
{ printf '##fileformat=VCFv4.3\n##contig=<ID=c1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' && printf 'c1\t1005\trs77\t%s\t%s\t.\t.\t.\n' "$r" "$a"; } >known.vcf
score known.vcf | grep -v '^##' | cut -f 1,2,4- >expected
for written in "c1:1005:$r:$a" "c1-1005-$r-$a" "c1:g.1005$r>$a" rs77; do
    score --variants "$written" --ids known.vcf -o given.vcf
    grep -v '^##' given.vcf | cut -f 1,2,4- >found
    same found expected
    equal "$(grep -v '^#' given.vcf | cut -f 3)" "$written" ID
done
grep -q '^##contig=<ID=c1,length=3000>' given.vcf || die "no contig line"

# Several, in their order; filters, other outputs.
score --variants "c2:g.2000del, c1:1005:$r:$a" | grep -v '^#' | cut -f 1 | tr '\n' ' ' >order
equal "$(cat order)" "c2 c1 " order
equal "$(score --variants "c2:g.2000del,c1:1005:$r:$a" -t c1 | grep -vc '^#')" 1 "records inside of a target"
score --variants "c1:1005:$r:$a" -o given.bcf
equal "$("$GODWIT" score -q -m model -f g.fa --tag X given.bcf | grep -c GW_LLR=.*X_LLR=)" 1 "records by way of BCF"

fails 1 "variant 'c1:1005:$a:$r': the genome has '$r' at c1:1005, not '$a'" "$GODWIT" score -q -m model -f g.fa --variants "c1:1005:$a:$r"
# Of a transcript: the base before its second exon.
for e in 901-950 1006-1050; do
    printf 'c1\tx\texon\t%s\t%s\t.\t+\t.\tgene_id "G"; transcript_id "T.2";\n' "${e%-*}" "${e#*-}"
done >genes.gtf
score --variants "T.2:n.51-1$r>$a" --genes genes.gtf -o given.vcf
equal "$(grep -v '^#' given.vcf | cut -f 2,4,5)" "1005	$r	$a" "a place of a transcript"
fails 1 "variant 'T.2:n.51-1$r>$a': positions of a transcript (n.) need the annotation" "$GODWIT" score -q -m model -f g.fa --variants "T.2:n.51-1$r>$a"

fails 1 "a change of a protein (p.)" "$GODWIT" score -q -m model -f g.fa --variants "NP_1.1:p.Val600Glu"
fails 1 "variant 'rs77' is a name alone" "$GODWIT" score -q -m model -f g.fa --variants rs77
fails 1 "known.vcf has no variant 'rs78'" "$GODWIT" score -q -m model -f g.fa --variants rs78 --ids known.vcf
fails 1 "the variants given can only be filtered by targets" "$GODWIT" score -q -m model -f g.fa --variants "c1:1005:$r:$a" -r c1
fails 2 "in the place of an input file" "$GODWIT" score -q -m model -f g.fa --variants rs77 known.vcf
fails 2 "--ids explains the names of --variants" "$GODWIT" score -q -m model -f g.fa --ids known.vcf in.vcf
