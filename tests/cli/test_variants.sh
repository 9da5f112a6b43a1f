# godwit score --variants: variants of the command line beside the same ones in a file, HGVS, names by --ids; lists with
# faults, and changes of proteins.
. "$ROOT/tests/cli/lib.sh"
prepared small
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

# What can be read is scored, and the rest is listed with its reasons; with --strict nothing is scored.
printf '# a list\nc1:1005:%s:%s\nc1:1005:%s:%s, c1:g.10_20del\nT.2:n.51-1%s>%s;T.2:n.51-1%s>%s nobody:p.S531L\n' "$r" "$a" "$a" "$r" "$r" "$a" "$r" "$a" | tr ';' '\n' >list.txt
score --variants-file list.txt --reasons why.tsv --genes genes.gtf -o given.vcf 2>err || die "a list with a fault is refused: $(cat err)"
equal "$(grep -v '^#' given.vcf | cut -f 2 | tr '\n' ' ')" "1005 9 1005 1005 " "what can be read"
grep -qF "list.txt:3: variant 'c1:1005:$a:$r': the genome has '$r' at c1:1005, not '$a'" err || die "no reason: $(cat err)"
grep -qF "list.txt:5: variant 'nobody:p.S531L': the annotation has no transcript and no gene 'nobody'" err || die "no reason: $(cat err)"
grep -qF "2 of 6 variants are not scored: they cannot be read" err || die "no count: $(cat err)"
equal "$(grep -c UNREAD why.tsv)" 2 "rows of --reasons"
equal "$(sed -n 2p why.tsv)" ".	.	c1:1005:$a:$r	.	.	UNREAD: the genome has '$r' at c1:1005, not '$a'" "a row of --reasons"
fails 1 "2 of 6 variants cannot be read, and with --strict none is scored" "$GODWIT" score -q -m model -f g.fa --strict --variants-file list.txt --genes genes.gtf
score --strict --variants "c1:1005:$r:$a" >given.vcf
equal "$(grep -vc '^#' given.vcf)" 1 "a list without a fault under --strict"
fails 1 "none of 2 variants can be read" "$GODWIT" score -q -m model -f g.fa --variants "c1:1005:$a:$r,rs77"
seq -f 'rs%g' 1 30 >list.txt
score --variants "c1:1005:$r:$a" --variants-file list.txt -o given.vcf 2>err
equal "$(grep -c "is only a name" err)" 20 "reasons that are listed"
grep -qF "30 of 31 variants are not scored: they cannot be read (--reasons FILE lists them all)" err || die "no count: $(cat err)"
gzip -c list.txt | "$GODWIT" score -q -m model -f g.fa --variants-file - 2>err >given.vcf && die "a list without a variant is scored"
grep -qF "none of 30 variants can be read" err || die "standard input: $(cat err)"

# A change of a protein is every codon that makes it, of which the one with the best score is said.
sed 1,61d g.fa >one.fa
base_of() { sed 1d one.fa | tr -d '\n' | cut -c"$1"; }
codon=$(base_of 1001-1003)
printf 'c2\tx\tCDS\t998\t1003\t.\t+\t0\tID=cds-1;Name=NP_1.1;gene=abcD;locus_tag=b0001;protein_id=NP_1.1\n' >genes.gff
residue=$(printf 'A:GCA GCC GCG GCT\nR:AGA AGG CGA CGC CGG CGT\nN:AAC AAT\nD:GAC GAT\nC:TGC TGT\nQ:CAA CAG\nE:GAA GAG\nG:GGA GGC GGG GGT\nH:CAC CAT\nI:ATA ATC ATT\nL:CTA CTC CTG CTT TTA TTG\nK:AAA AAG\nM:ATG\nF:TTC TTT\nP:CCA CCC CCG CCT\nS:AGC AGT TCA TCC TCG TCT\nT:ACA ACC ACG ACT\nW:TGG\nY:TAC TAT\nV:GTA GTC GTG GTT\n*:TAA TAG TGA\n' | grep "$codon" | cut -d: -f1)
to=$([ "$residue" = L ] && echo R || echo L)
"$GODWIT" score -m model -f one.fa -g genes.gff --variants "b0001:p.${residue}2$to" >given.vcf 2>err
equal "$(grep -v '^#' given.vcf | cut -f 8 | grep -o "CODON=$codon>" | wc -l | tr -d ' ')" 6 "codons of $to"
best=$(grep -v '^#' given.vcf | sed 's/\(GW_LLR=[^;]*\).*/\1/; s/.*\t\([0-9]*\)\t[^\t]*\t\([ACGT]*\)\t\([ACGT]*\)\t.*GW_LLR=\(.*\)/\4 c2:\1:\2:\3/' | sort -g | tail -1 | cut -d' ' -f2)
grep -qF "b0001:p.${residue}2$to: 6 codons make it; the highest GW_LLR, " err || die "no best codon: $(cat err)"
grep -qF "is that of $best" err || die "not $best: $(cat err)"
for written in "$(base_of 990)990$(other "$(base_of 990)")" "g.990$(base_of 990)>$(other "$(base_of 990)")" "abcD:c.-8$(base_of 990)>$(other "$(base_of 990)")"; do
    "$GODWIT" score -q -m model -f one.fa -g genes.gff --variants "$written" >given.vcf
    equal "$(grep -v '^#' given.vcf | cut -f 1-4)" "c2	990	$written	$(base_of 990)" "a place"
done

fails 1 "variant 'NP_1.1:p.Val600Glu': positions of a transcript (p.) need the annotation" "$GODWIT" score -q -m model -f g.fa --variants "NP_1.1:p.Val600Glu"
fails 1 "variant 'rs77': it is only a name" "$GODWIT" score -q -m model -f g.fa --variants rs77
fails 1 "variant 'rs78': known.vcf has no variant of this name" "$GODWIT" score -q -m model -f g.fa --variants rs78 --ids known.vcf
fails 1 "the variants given can only be filtered by targets" "$GODWIT" score -q -m model -f g.fa --variants "c1:1005:$r:$a" -r c1
fails 2 "replaces the input file" "$GODWIT" score -q -m model -f g.fa --variants rs77 known.vcf
fails 2 "--variants-file replaces the input file: give one of the two" "$GODWIT" score -q -m model -f g.fa --variants-file list.txt known.vcf
fails 2 "--ids explains the names of --variants" "$GODWIT" score -q -m model -f g.fa --ids known.vcf in.vcf
fails 2 "--strict is of --variants and --variants-file" "$GODWIT" score -q -m model -f g.fa --strict in.vcf
