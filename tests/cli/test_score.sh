# godwit score: every kind of record, formats, swapped alleles, batches and threads, side files, what is refused.
. "$ROOT/tests/cli/lib.sh"

prepared windows

bases() { tail -n +2 "${3:-g.fa}" | tr -d '\n' | cut -c"$1-$2"; }
other() { [ "$1" = A ] && echo C || echo A; }
value() { tr ';' '\n' | sed -n "s/^$1=//p"; }
head_lines() { printf '##fileformat=VCFv4.2\n##INFO=<ID=K,Number=1,Type=String,Description="k">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; }
r=$(bases 100 100) a=$(other "$(bases 100 100)") r3=$(bases 200 202)
{
    head_lines
    printf 'c1\t10\t.\t%s\tA\t.\t.\tK=edge\n' "$(bases 10 10)"
    printf 'c1\t100\trs1\t%s\t%s\t1234567.89\tPASS\tK=snv\n' "$r" "$a"
    printf 'c1\t100\t.\t%s\t%s\t.\t.\t.\n' "$r" "$(echo "$a" | tr A-Z a-z)"
    printf 'c1\t100\t.\t%s\t%s\t.\t.\tK=same\n' "$r" "$r"
    printf 'c1\t100\t.\t%s\t.\t.\t.\tK=noalt\n' "$r"
    printf 'c1\t200\t.\t%s\tA%s,C,*,<DEL>,G]c1:5]\t.\t.\tK=multi\n' "$r3" "$(bases 201 202)A"
    printf 'c1\t200\t.\t%s\tACGTACGTACGTACGTACGT\t.\t.\tK=long\n' "$(bases 200 200)"
    printf 'c1\t100\t.\t%s\tT\t.\t.\tK=wrong\n' "$(echo "$r" | tr ACGT CGTA)"
    printf 'nowhere\t100\t.\tA\tT\t.\t.\tK=contig\n'
} >in.vcf
score() { "$GODWIT" score -m model -f g.fa "$@"; }

score --raw --profiles x.npy --reasons reasons.tsv -o out.vcf in.vcf 2>notes
grep -v '^##' in.vcf | cut -f1-7 >expected
grep -v '^##' out.vcf | cut -f1-7 >found
same found expected
grep -v '^#' out.vcf | cut -f8 | sed 's/;*GW_.*//' >found
grep -v '^#' in.vcf | cut -f8 | sed 's/^\.$//' >expected
same found expected
status() { grep "K=$1" out.vcf | cut -f8 | value GW_STATUS; }
equal "$(status edge)" EDGE
equal "$(status snv)" PASS
equal "$(status noalt)" "" "an ALT of ."
equal "$(status multi)" PASS,PASS,SPANNING,NOLENGTH,BREAKEND
equal "$(status long)" TOOLONG
equal "$(status wrong)" REFMISMATCH
equal "$(status contig)" NOCONTIG
equal "$(grep K=same out.vcf | cut -f8 | value GW_DIFF)" 0 "REF = ALT"
grep -q '9 records: 5 alleles scored, 1 NOALT, 1 SPANNING, 1 NOLENGTH, 1 BREAKEND, 1 NOCONTIG, 1 REFMISMATCH, 1 TOOLONG, 1 EDGE' notes ||
    die "counts: $(cat notes)"
grep -q 'REF differs from the reference in 1 of 8 alleles' notes || die "no warning of mismatches: $(cat notes)"
grep -q '^##contig=<ID=c1,length=2000>' out.vcf || die "c1 is not declared"
grep -q '^##contig=<ID=nowhere>' out.vcf || die "an unknown contig is not declared"
for key in Version Command ModelMD5 ReferenceMD5 Window Strands Attention; do
    grep -q "^##godwit_score$key=" out.vcf || die "no $key in the header"
done
equal "$(wc -l <reasons.tsv | tr -d ' ')" 9 "lines of --reasons"
equal "$(wc -l <x.rows.tsv | tr -d ' ')" 13 "lines of the profile rows"
equal "$(cut -f2 x.profiles.tsv | tr '\n' ' ')" "profile A B " "profile names"
equal "$(wc -c <x.npy | tr -d ' ')" $((128 + 12 * 2 * 2 * 4)) "bytes of the profiles"
head -c 128 x.npy | grep -aq "'shape': (12, 2, 2)" || die "shape of the profiles"

# Lower-case ALT and duplicates: the same scores.
equal "$(sed -n '/K=snv/{n;p;}' out.vcf | cut -f8)" "$(grep K=snv out.vcf | cut -f8 | sed 's/K=snv;//')" "a duplicate"

# Any batch and thread count, within 1e-6.
score -q --batch-tokens 64 -@ 1 -o small.vcf in.vcf
score -q --batch-tokens 5000 -@ 2 -o large.vcf in.vcf
for f in small large; do grep -v '^#' $f.vcf | cut -f8 | value GW_DIFF | tr , '\n' >$f.txt; done
paste small.txt large.txt | awk '{ d = $1 - $2; if (d > 1e-6 || d < -1e-6) exit 1 } END { exit NR != 12 }' ||
    die "scores depend on the batch"

# A genome that has ALT: the score with the other sign.
for kind in "100 $r $a" "200 $r3 $(bases 200 200)" "300 $(bases 300 300) $(bases 300 300)GC"; do
    set -- $kind
    { head_lines && printf 'c1\t%s\t.\t%s\t%s\t.\t.\tK=1\n' "$1" "$2" "$3"; } >there.vcf
    { head_lines && printf 'c1\t%s\t.\t%s\t%s\t.\t.\tK=1\n' "$1" "$3" "$2"; } >back.vcf
    { echo ">c1" && { bases 1 $(($1 - 1)) && echo "$3" && bases $(($1 + ${#2})) 2000; } | tr -d '\n' && echo; } >swapped.fa
    there=$(score -q there.vcf | grep K=1 | cut -f8 | value GW_DIFF)
    back=$("$GODWIT" score -q -m model -f swapped.fa back.vcf | grep K=1 | cut -f8 | value GW_DIFF)
    equal "$back" "$(echo "-$there" | sed 's/^--//')" "swapped $2 > $3"
done

# From a pipe; the header alone; BCF and its way back; names with chr.
score -q - <in.vcf | grep -v '^##' >found
grep -v '^##' out.vcf | sed 's/GW_PREF=[^;]*;GW_PALT=[^;]*;//' >expected
same found expected
head_lines >empty.vcf
equal "$(score -q empty.vcf | grep -vc '^##')" 1 "an empty VCF"
score -q -O b -o out.bcf in.vcf
score -q --overwrite out.bcf | grep -v '^##' | cut -f1-5 >found
grep -v '^##' in.vcf | cut -f1-5 >expected
same found expected
if has bcftools; then
    equal "$(bcftools view -H out.bcf | wc -l | tr -d ' ')" 9 "records that bcftools reads"
    bcftools view -Ob -o again.bcf out.vcf || die "bcftools refuses the VCF"
fi
score -q -o out.vcf.gz --write-index=tbi in.vcf 2>/dev/null && die "unsorted contigs were indexed" || true
grep -v nowhere in.vcf | awk -F'\t' '/^#/ || $2 == 10 || $2 == 200' >sorted.vcf
score -q -o sorted.bcf --write-index sorted.vcf
[ -s sorted.bcf.csi ] || die "no csi"
score -q -o out.vcf.gz --write-index=tbi sorted.vcf
[ -s out.vcf.gz.tbi ] || die "no tbi"
equal "$(score -q --tag X -r c1:150-300 out.vcf.gz | grep -vc '^#')" 2 "records of a region"
score --tag X -r c1:150-300 out.vcf.gz 2>notes >/dev/null
! grep -q older notes || die "an index of our own is older than its file"
touch -d '2 days ago' out.vcf.gz.tbi
score --tag X -r c1:150-300 out.vcf.gz 2>notes >/dev/null
grep -q "out.vcf.gz.tbi is older than out.vcf.gz" notes || die "an old index goes unnoticed: $(cat notes)"
equal "$(score -q --tag X -t ^c1:150-300 out.vcf.gz | grep -vc '^#')" 1 "records outside a target"
sed 's/^c1/1/; s/^>c1/>chr1/' in.vcf >one.vcf
sed 's/^>c1/>chr1/' g.fa >chr1.fa
"$GODWIT" score -q -m model -f chr1.fa one.vcf >named.vcf
grep -q '^##contig=<ID=1,length=2000>' named.vcf || die "the file's own name is not declared"
equal "$(grep K=snv named.vcf | cut -f8)" "$(grep K=snv small.vcf | cut -f8)" "an alias"

fails 1 "already has INFO/GW_DIFF" "$GODWIT" score -q -m model -f g.fa out.vcf
score -q --tag B out.vcf | grep K=snv | grep -q 'GW_STATUS=PASS;B_DIFF=' || die "--tag"
printf '##fileformat=VCFv4.2\nc1\t1\n' >broken.vcf
fails 1 "broken.vcf:2: broken header" "$GODWIT" score -q -m model -f g.fa -o no.vcf broken.vcf
{ cat in.vcf && printf 'c1\t5\n'; } >short.vcf
fails 1 "short.vcf:13: 2 columns, but the header has 8" "$GODWIT" score -q -m model -f g.fa -o no.vcf short.vcf
[ ! -e no.vcf ] || die "a failed run left its output"
sed 's/^#CHROM/##contig=<ID=c1,length=999>\n#CHROM/' in.vcf >build.vcf
fails 1 "different assemblies" "$GODWIT" score -q -m model -f g.fa build.vcf
fails 1 "fine-tuned on windows of 60 bp" "$GODWIT" score -q -m model -f g.fa --window 50 in.vcf
fails 2 "--write-index needs -o FILE" "$GODWIT" score -q -m model -f g.fa --write-index in.vcf
fails 1 "sites is for promoter models" "$GODWIT" score -q -m model -f g.fa --sites peaks.bed in.vcf
score -q in.vcf >/dev/full 2>err && die "a full disk went unnoticed"
grep -q "cannot write standard output" err || die "full disk: $(cat err)"
