# godwit score with a pretrained model: log-likelihood ratios.
. "$ROOT/tests/cli/lib.sh"

genome 1 100 >g.fa
cat >config.json <<'END'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "attention_type": "original_full"}
END
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 5-10 --sentence-length 50-100 --max-offset 100 -o corpus.txt
for size in 10 40; do
    "$GODWIT" bpe -q -v $size -o t$size.json corpus.txt
    "$GODWIT" encode -q -m t$size.json -o data$size corpus.txt
    "$GODWIT" pretrain -q -d data$size -o m$size -c config.json --steps 3 --batch-tokens 256 --lr 1e-2
done
bases() { tail -n +2 "${3:-g.fa}" | tr -d '\n' | cut -c"$1-$2"; }
llr() { grep -v '^#' "$1" | sed 's/.*GW_LLR=//; s/;.*//' | tr , '\n'; }
head_lines() { printf '##fileformat=VCFv4.2\n##contig=<ID=c1,length=5000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; }

"$GODWIT" mutate -q -f g.fa -r c1:1001-1020 -o snv.vcf
{ grep '^#' snv.vcf
  printf 'c1\t1100\t.\t%s\t%s\t.\t.\t.\n' "$(bases 1100 1100)" "$(bases 1100 1100)"
  printf 'c1\t1200\t.\t%s\t%s\t.\t.\t.\n' "$(bases 1200 1202)" "$(bases 1200 1200)"
  printf 'c1\t1300\t.\t%s\t%sCA\t.\t.\t.\n' "$(bases 1300 1300)" "$(bases 1300 1300)"
  grep -v '^#' snv.vcf; } >all.vcf
for size in 10 40; do
    "$GODWIT" score -q -m m$size -f g.fa --window 40 -o a.vcf all.vcf
    equal "$(llr a.vcf | wc -l | tr -d ' ')" 63 "scores"
    equal "$(llr a.vcf | head -1)" 0 "REF = ALT"
    llr a.vcf | awk '!($1 == $1 + 0) { exit 1 }' || die "a score is not a number: $(llr a.vcf | head)"
    # Other batches, other threads, other company: within 1e-5.
    "$GODWIT" score -q -m m$size -f g.fa --window 40 --batch-tokens 64 -@ 1 -o b.vcf all.vcf
    llr a.vcf >a.txt
    llr b.vcf >b.txt
    paste a.txt b.txt | awk '{ d = $1 - $2; if (d > 1.1e-5 || d < -1.1e-5) exit 1 }' || die "scores depend on the batch"
    # Records that come again, at once or later, get the very same scores.
    { grep '^#' snv.vcf && grep -v '^#' snv.vcf | sed p && grep -v '^#' snv.vcf; } >again.vcf
    "$GODWIT" score -q -m m$size -f g.fa --window 40 --batch-tokens 64 -o c.vcf again.vcf
    llr c.vcf >found
    { tail -n 60 a.txt | sed p && tail -n 60 a.txt; } >expected
    same found expected
    # A genome that has ALT gives the other sign.
    for kind in "2000 $(bases 2000 2000) N" "2000 $(bases 2000 2001) $(bases 2000 2000)" "2000 $(bases 2000 2002) GATC"; do
        set -- $kind
        [ "$3" != N ] || set -- "$1" "$2" "$([ "$2" = A ] && echo C || echo A)"
        { head_lines && printf 'c1\t%s\t.\t%s\t%s\t.\t.\t.\n' "$1" "$2" "$3"; } >there.vcf
        { head_lines && printf 'c1\t%s\t.\t%s\t%s\t.\t.\t.\n' "$1" "$3" "$2"; } | grep -v contig >back.vcf
        { echo ">c1" && { bases 1 $(($1 - 1)) && echo "$3" && bases $(($1 + ${#2})) 5000; } | tr -d '\n' && echo; } >swapped.fa
        rm -f swapped.fa.fai
        "$GODWIT" score -q -m m$size -f g.fa --window 40 -o t.vcf there.vcf
        "$GODWIT" score -q -m m$size -f swapped.fa --window 40 -o s.vcf back.vcf
        echo "$(llr t.vcf) $(llr s.vcf)" | awk '{ d = $1 + $2; exit d > 1e-5 || d < -1e-5 || $1 == 0 }' ||
            die "swapped $2 > $3: $(llr t.vcf) and $(llr s.vcf)"
    done
done
# Neighbours share windows where that is asked for: those that have none near keep their scores, whatever the order.
share() { "$GODWIT" score -q -m m10 -f g.fa --window 40 --share-windows "$1" -o "$2" "$3"; }
"$GODWIT" score -q -m m10 -f g.fa --window 40 -o exact.vcf all.vcf
share 21 none.vcf all.vcf # more than half a window apart
llr exact.vcf >expected && llr none.vcf >found && same found expected
share 4 four.vcf all.vcf
llr four.vcf >found
awk '!($1 == $1 + 0) { exit 1 }' found || die "a shared score is not a number: $(cat found)"
equal "$(sed -n 1,3p found)" "$(sed -n 1,3p expected)" "scores of lone alleles"
cmp -s found expected && die "nothing was shared"
{ grep '^#' all.vcf && grep -v '^#' all.vcf | sort -k2,2n; } >sorted.vcf
share 4 back.vcf sorted.vcf
llr back.vcf | sort >found.sorted && sort found >shared.sorted && same shared.sorted found.sorted
grep -q '^##godwit_scoreShareWindows=4$' four.vcf || die "the header does not say that windows are shared"
fails 1 "for models of single bases" "$GODWIT" score -q -m m40 -f g.fa --window 40 --share-windows 4 snv.vcf
fails 1 "no --phases with --share-windows" "$GODWIT" score -q -m m10 -f g.fa --window 40 --share-windows 4 --phases 2 snv.vcf

"$GODWIT" score -q -m m10 -f g.fa --window 40 --map map.png -o a.vcf snv.vcf
[ -s map.png ] || die "no map"
# Sites stand above the cells, with a bar and a name each; those of other contigs do not.
height() {
    "$GODWIT" score -q -m m10 -f g.fa --window 40 --map map.svg "$@" -o a.vcf snv.vcf
    sed -n 's/.*<svg.* height="\([0-9]*\).*/\1/p' map.svg
}
contig=$(sed -n '/^#/d; s/\t.*//p' snv.vcf | head -n 1)
begin=$(sed -n '/^#/d; s/^[^\t]*\t\([0-9]*\).*/\1/p' snv.vcf | head -n 1)
plain=$(height)
printf '%s\t%d\t%d\tsite\n' "$contig" "$((begin - 1))" "$((begin + 3))" >site.bed
equal "$(height --mark site.bed)" $((plain + 22)) "height of a map with a site"
fails 2 "for the pictures of --map" "$GODWIT" score -q -m m10 -f g.fa --window 40 --mark site.bed -o a.vcf snv.vcf
printf 'absent\t0\t4\tsite\n' >site.bed
fails 1 "site.bed:1: " "$GODWIT" score -q -m m10 -f g.fa --window 40 --map map.svg --mark site.bed -o a.vcf snv.vcf
fails 1 "do not fit the model" "$GODWIT" score -q -m m10 -f g.fa --window 63 snv.vcf
# Folders made elsewhere do not say how many bases a token holds: it is measured.
sed -i 's/"mean_bases[a-z_]*": *[0-9.]*/"unread": 0/' m40/*.json
"$GODWIT" score -q -m m40 -f g.fa --window 80 -o long.vcf snv.vcf
equal "$(grep -c GW_STATUS=PASS long.vcf)" 60 "scores of long windows"
fails 1 "do not fit the model" "$GODWIT" score -q -m m40 -f g.fa --window 400 snv.vcf
fails 1 "are for fine-tuned models" "$GODWIT" score -q -m m10 -f g.fa --raw snv.vcf

# Without --window nearly all windows fit the positions, also where tokens are of several bases and some windows have more.
"$GODWIT" mutate -q -f g.fa -r c1:2001-2060 -o many.vcf
for size in 10 40; do
    fits=$("$GODWIT" score -q -m m$size -f g.fa many.vcf | grep -c 'GW_STATUS=PASS')
    [ "$fits" -ge 170 ] || die "only $fits of 180 alleles fit the usual window of m$size"
done
