# Windows of a fine-tuned model that share what they have in common with REF's: the scores of whole windows, on sites of both strands
# and around variants, whatever threads and memory; a note says which share is computed. With global rows windows run whole.
. "$ROOT/tests/cli/lib.sh"
gzip -dc "$ROOT/tests/data/lambda.fa.gz" >g.fa
printf 'lambda\t%d\t%d\t%s\t0\t%s\n' 6000 6001 a + 12000 12001 b - 20000 20001 c + 26000 26001 d - >sites.bed
"$GODWIT" promoters -q -f g.fa --upstream 256 --downstream 256 --negatives shuffle -o set.tsv.gz sites.bed
make() { # NAME PATTERN
    "$GODWIT" finetune -q --from-scratch --size dna-mini -p "$2" --length 514 --task promoter -d set.tsv.gz --steps 1 --batch 2 -o "$1"
}
make promoter window:3+random:1+block:16
"$GODWIT" mutate -q -f g.fa -r lambda:5990-6006,lambda:12001-12016,lambda:26001-26005 -o snvs.vcf
base=$("$GODWIT" mutate -q -f g.fa -r lambda:6101-6101 | awk '!/^#/ { print $4; exit }')
{ grep '^#' snvs.vcf && grep -v '^#' snvs.vcf | head -n 51 && printf 'lambda\t6101\t.\t%s\t%sACGT\t.\t.\t.\n' "$base" "$base" &&
    grep -v '^#' snvs.vcf | tail -n +52; } >in.vcf
bare() { grep -v '^##' "$1"; }

"$GODWIT" score -v -m promoter -f g.fa --sites sites.bed -@ 1 -o shared.vcf in.vcf 2>notes
grep -q "an allele computes [0-9.]* % of its window's products; of the rows of each layer, in %: [0-9. ]*$" notes || die "no shares: $(cat notes)"
"$GODWIT" score --verbose -m promoter -f g.fa --sites sites.bed --plain -o plain.vcf in.vcf 2>notes
! grep -q "an allele computes" notes || die "--plain shares"
"$GODWIT" score -m promoter -f g.fa --sites sites.bed -@ 1 snvs.vcf 2>notes >out
! grep -q "products" notes || die "shares that nobody asked for: $(cat notes)"
"$GODWIT" score -q -m promoter -f g.fa --sites sites.bed -@ 2 -o threads.vcf in.vcf
"$GODWIT" score -q -m promoter -f g.fa --sites sites.bed --memory 1 -o little.vcf in.vcf
for way in shared plain threads little; do bare $way.vcf >$way.txt; done
[ "$(grep -c 'GW_DIFF' plain.txt)" -gt 100 ] || die "few alleles were scored"
same shared.txt plain.txt
cp shared.txt sites.txt
same threads.txt plain.txt
same little.txt plain.txt

make global window:3+global:2+block:16
"$GODWIT" score -m global -f g.fa --sites sites.bed -o global.vcf in.vcf 2>notes
"$GODWIT" score -q -m global -f g.fa --sites sites.bed --plain -o plain.vcf in.vcf
for way in global plain; do bare $way.vcf >$way.txt; done
same global.txt plain.txt

awk 'BEGIN { for (i = 0; i < 60; i++) printf "lambda\t%d\t%d\tpeak\n", 5000 + 400 * i, 5020 + 400 * i }' >peaks.bed
"$GODWIT" profiles -q -f g.fa --bin 20 --window 300 --label midpoint --target-from column4 --bins labelled -o peaks peaks.bed
"$GODWIT" finetune -q --from-scratch --size dna-mini -p window:3+block:16 --length 514 --task profiles -d peaks -f g.fa --steps 1 --batch 2 -o centred
"$GODWIT" score -v -m centred -f g.fa -o shared.vcf in.vcf 2>notes
grep -q "an allele computes" notes || die "windows around variants share nothing: $(cat notes)"
"$GODWIT" score -q -m centred -f g.fa --plain -o plain.vcf in.vcf
for way in shared plain; do bare $way.vcf >$way.txt; done
same shared.txt plain.txt

"$GODWIT" score -q -m promoter -f g.fa --sites sites.bed --approximate gradient -o gradient.vcf in.vcf
grep -qx '##godwit_scoreApproximate=gradient' gradient.vcf || die "the header does not say how"
bare gradient.vcf | awk -F '\t' '$5 ~ /ACGT/ { if ($8 != "GW_DIFF=.;GW_LOGIT=.;GW_TOPI=.;GW_TOP=.;GW_MEAN=.;GW_SITE=.;GW_STATUS=NOTSNV") exit 1; n++ } END { exit n != 1 }' ||
    die "an insertion: $(bare gradient.vcf | grep ACGT)"
[ "$(bare gradient.vcf | grep -c 'GW_STATUS=PASS')" -eq $(($(grep -c 'GW_STATUS=PASS' sites.txt) - 1)) ] || die "not the same alleles"
"$GODWIT" pretrain -q -f g.fa --size dna-mini -p window:3+block:16 --length 514 --steps 1 --batch-tokens 1028 -o pretrained
for way in "" --plain; do
    # shellcheck disable=SC2086 # no word, or one
    "$GODWIT" score -v -m pretrained -f g.fa --window 400 $way -o "llr$way.vcf" snvs.vcf 2>"notes$way"
    bare "llr$way.vcf" >"llr$way.txt"
done
grep -q "a masked token takes [0-9.]* % of its window's products" notes || die "masked windows run whole: $(cat notes)"
! grep -q "a masked token takes" notes--plain || die "--plain shares"
same llr.txt llr--plain.txt
fails 1 "is for fine-tuned models of windows" "$GODWIT" score -q -m pretrained -f g.fa --approximate gradient in.vcf
