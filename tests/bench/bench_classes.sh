#!/bin/sh
# What GW_LLR of a model tells of classes of changes: AUROC of -GW_LLR with a bootstrap interval over blocks of 20 kb.
#
# Of SGD's verified ORFs on chromosomes VII and XIII as many random single-base changes of each class as COUNT says (2000): stops gained and
# missense against synonymous ones, of ORFs of one exon; so too changes of start codons and of splice sites (as many as there are). The
# classes are those of `score --consequence`. Then natural variants of BY and RM on the other chromosomes, NATURAL of each class (1000).
#   GODWIT=build/godwit ROOT=. GODWIT_DATA=... [MODEL=yeast] [COUNT=2000] [NATURAL=1000] [WINDOW=512] [FOLDS=FOLDER] [BACKGROUND=FILE] sh tests/bench/bench_classes.sh
# FOLDS: in place of made changes, natural variants of all chromosomes, those on FOLDER/outK.bed's scored by FOLDER/foldK, which did not see
# these, and beside them by MODEL, which may have. BACKGROUND: of MODEL, made --by context;
# GW_CTX then stands beside GW_LLR, both of the changes that have it.
set -eu
: "${MODEL:=yeast}" "${COUNT:=2000}" "${NATURAL:=1000}" "${WINDOW:=512}" "${FOLDS:=}" "${BACKGROUND:=}"
table="${GODWIT_DATA:-}/yeast/SGD_features_170331.tab.gz" genome="${GODWIT_DATA:-}/yeast/R64-1-1.fa.gz"
natural="${GODWIT_DATA:-}/measured/yeast/by_rm.vcf.gz" vep="${GODWIT_DATA:-}/measured/yeast/by_rm_consequences.tsv.gz"
[ -e "$table" ] || { echo "classes of changes: needs GODWIT_DATA" && exit 0; }
case $GODWIT in /*) ;; *) GODWIT=$PWD/$GODWIT ;; esac
case $ROOT in /*) ;; *) ROOT=$PWD/$ROOT ;; esac
case $FOLDS in '' | /*) ;; *) FOLDS=$PWD/$FOLDS ;; esac
case $BACKGROUND in '' | /*) ;; *) BACKGROUND=$PWD/$BACKGROUND ;; esac
[ -z "$FOLDS" ] || [ -z "$BACKGROUND" ] || { echo "bench_classes.sh: a BACKGROUND is of one model, FOLDS are several" >&2 && exit 2; }
score=GW_LLR
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# A model that costs nothing tells the classes.
gzip -dc "$ROOT/tests/data/lambda.fa.gz" >l.fa
"$GODWIT" corpus -q -f l.fa -n 1 --sentences 5-10 -o corpus.txt
"$GODWIT" bpe -q -v 10 -o t.json corpus.txt
"$GODWIT" encode -q -m t.json -o data corpus.txt
cat >config.json <<'E2'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128, "attention_type": "original_full"}
E2
"$GODWIT" pretrain -q -d data -o cheap -c config.json --steps 1 --batch-tokens 128 --save-every 0 -@ 1
tell() { "$GODWIT" score -q -@ 1 -m cheap --window 20 -f "$genome" --genes "$table" --consequence "$@"; }

# class CONTIG POS REF ALT, of alleles with one entry, or with splice_region beside
classes() {
    grep -v '^#' | awk -F'\t' '{
        e = ";" $8; if (!sub(/.*;GW_BCSQ=/, "", e)) next; sub(/;.*/, "", e)
        if (e ~ /,/) next
        split(e, f, "|"); print f[1], $1, $2, $4, $5 }'
}
# As many of each class, by lot.
choose() {
    awk -v seed=7 'BEGIN { srand(seed) } { print rand(), $0 }' "$2" | sort -k2,2 -k1,1 | cut -d' ' -f2- |
        awk -v most="$1" '{ if (++n[$1] <= most) print }' | sort -k2,2 -k3,3n -k5,5 >chosen
}
# score MODEL: of the chosen changes on standard input, in the order of the genome, lines of class contig position score
score() {
    { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; awk -v OFS='\t' '{ print $2, $3, $1, $4, $5, ".", ".", "." }'; } >chosen.vcf
    "$GODWIT" score -q -@ 1 -m "$1" --window "$WINDOW" -f "$genome" ${BACKGROUND:+--background "$BACKGROUND" --scores llr,context} -o scored.vcf chosen.vcf
    grep -v '^#' scored.vcf |
        awk -F'\t' -v score="$score" '$8 !~ /GW_CTX=\./ { s = $8; sub(".*" score "=", "", s); sub(/;.*/, "", s); if (s != ".") print $3, $1, $2, s }'
}
llr() { score "$MODEL" <chosen | sort -k4,4g >scored; }
# auroc CLASS OTHER: how often a change of the one has the lower score, and the middle 95 % of 1000 draws of blocks.
auroc() {
    awk -v one="$1" -v other="$2" '
        function area(  i, j, below, same, sum, a, b) {   # scores ascend
            below = sum = a = b = 0
            for (i = 1; i <= n; i = j) {
                same = 0
                for (j = i; j <= n && score[j] == score[i]; j++) if (is[j]) same += weight[block[j]]
                for (j = i; j <= n && score[j] == score[i]; j++) if (!is[j]) { sum += weight[block[j]] * (below + same / 2); b += weight[block[j]] }
                below += same; a += same
            }
            return a * b > 0 ? sum / (a * b) : -1
        }
        $1 ~ one || $1 ~ other {
            n++; score[n] = $4 + 0; is[n] = $1 ~ one; ones += is[n]
            key = $2 " " int($3 / 20000); if (!(key in number)) number[key] = ++blocks
            block[n] = number[key]
        }
        END {
            if (!ones || ones == n) { printf "%-24s against %-12s NA  %d and %d changes\n", one, other, ones, n - ones; exit }
            srand(11)
            for (k = 1; k <= blocks; k++) weight[k] = 1
            middle = area()
            for (d = 1; d <= 1000; d++) {
                for (k = 1; k <= blocks; k++) weight[k] = 0
                for (k = 1; k <= blocks; k++) weight[1 + int(rand() * blocks)]++
                drawn[d] = area()
            }
            for (i = 2; i <= 1000; i++) for (j = i; j > 1 && drawn[j] < drawn[j - 1]; j--) { t = drawn[j]; drawn[j] = drawn[j - 1]; drawn[j - 1] = t }
            printf "%-24s against %-12s %.3f [%.3f, %.3f]  %d and %d changes, %d blocks\n", one, other, middle, drawn[25], drawn[975], ones, n - ones, blocks
        }' scored
}

made_changes() {
    # Bases of verified ORFs of the two chromosomes: of those of one exon a thirtieth by lot, which is enough for rare classes, and the first
    # codon; of the others the two bases on either side of each stretch of CDS.
    zcat "$table" | LC_ALL=C awk -F '\t' -v OFS='\t' '
        $2 == "ORF" && $3 == "Verified" && ($9 == 7 || $9 == 13) { from[$4] = $10 < $11 ? $10 : $11; to[$4] = $10 < $11 ? $11 : $10; on[$4] = $9 == 7 ? "VII" : "XIII"; strand[$4] = $12 }
        $2 == "CDS" { n = ++exons[$7]; low[$7, n] = $10 < $11 ? $10 : $11; high[$7, n] = $10 < $11 ? $11 : $10 }
        END {
            srand(1)
            for (f in from) {
                start = strand[f] == "W" ? from[f] : to[f] - 2
                for (at = from[f]; exons[f] == 1 && at <= to[f]; at++) if (rand() < 1 / 30 || (at >= start && at < start + 3)) print on[f], at - 1, at
                for (n = 1; exons[f] > 1 && n <= exons[f]; n++) {
                    for (at = low[f, n] - 2; at < low[f, n]; at++) if (at > from[f]) print on[f], at - 1, at
                    for (at = high[f, n] + 1; at <= high[f, n] + 2; at++) if (at < to[f]) print on[f], at - 1, at
                }
            }
        }' | sort -k1,1 -k2,2n >bases.bed
    "$GODWIT" mutate -q -f "$genome" -R bases.bed -o changes.vcf
    tell changes.vcf | classes | sed 's/^splice_donor \|^splice_acceptor /splice_site /' | grep -E '^(synonymous|missense|stop_gained|start_lost|splice_site) ' >all
    choose "$COUNT" all
    for score in ${BACKGROUND:+GW_CTX} GW_LLR; do
        llr
        echo "chromosomes VII and XIII, -$score of $MODEL, windows of $WINDOW bases"
        for class in '^stop_gained' '^missense' '^start_lost' '^splice_site'; do auroc "$class" '^synonymous'; done
    done
}

# Natural variants of the chromosomes that are not LEFT_OUT (awk's pattern): VEP gives SIFT's classes of missense ones.
natural_variants() {
    zcat "$vep" | awk -F'\t' '$7 ~ /^(deleterious|tolerated)/ { split($1, at, "[:_/]"); sub(/^chr/, "", at[1]); s = $7; sub(/[_(].*/, "", s); print at[1], at[2], s }' >sift
    zcat "$natural" | tell - | classes | sed 's/ chr/ /' | awk -v left_out="$1" '
        NR == FNR { sift[$1 " " $2] = $3; next }
        $2 ~ left_out || length($4) != 1 || length($5) != 1 { next }
        $1 == "missense" && ($2 " " $3) in sift { $1 = "missense_" sift[$2 " " $3]; print }
        $1 == "synonymous" || $1 == "stop_gained"' sift - >all
    choose "$NATURAL" all
}
natural_classes() {
    for class in '^stop_gained' '^missense_deleterious' '^missense_tolerated'; do auroc "$class" '^synonymous'; done
    auroc '^missense_deleterious' '^missense_tolerated'
}

# Natural variants of any class, and for each a change of the same three bases to the same one at most 20 kb away, by lot.
natural_and_random() {
    zcat "$natural" | awk -F'\t' '!/^#/ && length($4) == 1 && length($5) == 1 { sub(/^chr/, "", $1); print "natural", $1, $2, $4, $5 }' >all
    choose "$NATURAL" all
    zcat "$genome" | awk -v RS='>' '{ name = $1; sub(/^[^\n]*\n/, ""); gsub(/\n/, ""); print name, $0 }' >sequences
    awk 'BEGIN { srand(5) }
        NR == FNR { sequence[$1] = $2; next }
        {
            around = substr(sequence[$2], $3 - 1, 3)
            if (substr(around, 2, 1) != $4) next
            for (tries = 0; tries < 10000; tries++) {
                at = $3 - 20000 + int(rand() * 40001)
                if (at > 1 && at != $3 && substr(sequence[$2], at - 1, 3) == around) break
            }
            if (tries < 10000) { print; print "random", $2, at, $4, $5 }
        }' sequences chosen | sort -k2,2 -k3,3n -k5,5 >both
    mv both chosen
}
# by_folds: of what is chosen, each change by the fold that did not see its chromosome
by_folds() {
    for held in "$FOLDS"/out*.bed; do
        number=${held##*/out}
        awk 'NR == FNR { held[$1]; next } $2 in held' "$held" chosen | score "$FOLDS/fold${number%.bed}"
    done | sort -k4,4g >scored
}

if [ -z "$FOLDS" ]; then
    made_changes
    [ -e "$natural" ] || exit 0
    natural_variants '^(VII|XIII)$'
    for score in ${BACKGROUND:+GW_CTX} GW_LLR; do
        llr
        echo "natural variants of BY and RM, all but VII and XIII, -$score"
        natural_classes
    done
else
    natural_variants '^$'
    by_folds
    echo "natural variants of BY and RM, each by the fold that did not see its chromosome"
    natural_classes
    llr
    echo "the same by $MODEL"
    natural_classes
    natural_and_random
    by_folds
    echo "natural variants beside random changes, by the folds, then by $MODEL"
    auroc '^random' '^natural'
    llr
    auroc '^random' '^natural'
fi
