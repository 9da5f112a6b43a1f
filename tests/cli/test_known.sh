# godwit score --all-snvs and --known: scores from an indexed file are the bytes that computing gives; a file of
# another model or of other options is refused.
. "$ROOT/tests/cli/lib.sh"

genome 1 60 >g.fa
bases() { tail -n +2 g.fa | tr -d '\n' | cut -c"$1-$2"; }
other() { [ "$1" = A ] && echo C || echo A; }
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nB\tc1\t-\t200\t500\t200,400,\t320,500,\nA\tc1\t+\t0\t300\t0,100,\t60,300,\n' \
    >genes.txt
splice=$ROOT/tests/data/splice
body() { grep -v -e '^##godwit_scoreCommand=' -e '^##INFO=<ID=GW_SOURCE,' "$1" | sed 's/;GW_SOURCE=[^;]*//'; }

# Single bases within the regions and beyond them, written in other ways, and what is none.
{
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'c1\t%d\t.\t%s\t%s\t.\t.\t.\n' 245 "$(bases 245 245)" "$(other "$(bases 245 245)")" 250 "$(bases 250 250)" "$(other "$(bases 250 250)"),TT,<DEL>" \
        259 "$(bases 259 261)" "$(bases 259 259)$(other "$(bases 260 260)")$(bases 261 261)" 260 "$(bases 260 260 | tr A-Z a-z)" "$(other "$(bases 260 260)" | tr A-Z a-z)" \
        255 "$(bases 255 257)" "$(bases 255 255)" 270 "$(bases 270 270)" "$(other "$(bases 270 270)")" 252 "$(bases 252 252 | tr ACGT CGTA)" "$(bases 252 252)" \
        560 "$(bases 560 560)" "$(other "$(bases 560 560)")" 562 "$(bases 562 562)" "$(other "$(bases 562 562)")"
} >in.vcf
printf 'c1\t549\t560\n' >more.bed

check() { # WHAT KNOWN OPTION...: the same bytes with the file and without
    what=$1 known=$2
    shift 2
    "$GODWIT" score -q -f g.fa "$@" -o computed.vcf in.vcf
    "$GODWIT" score -f g.fa "$@" --known "$known" -o taken.vcf in.vcf 2>notes
    body computed.vcf >a
    body taken.vcf >b
    same b a
    if has bcftools; then
        "$GODWIT" score -q -f g.fa "$@" -O u -o - in.vcf | bcftools view -H >a
        "$GODWIT" score -q -f g.fa "$@" --known "$known" -O u -o - in.vcf | bcftools view -H | sed 's/;GW_SOURCE=[^;]*//' >b
        same b a
    fi
    grep '^c1' taken.vcf | grep -q "GW_SOURCE=[^;]*$known" || die "$what: no allele says that it is of the file"
    grep '^c1' taken.vcf | grep -q 'GW_SOURCE=[^;]*computed' || die "$what: no allele says that it is computed"
    taken=$(sed -n 's/^godwit: \([0-9]*\) alleles had been scored before.*/\1/p' notes)
    [ "${taken:-0}" -ge 4 ] || die "$what: $taken alleles were taken from the file"
}

set -- -m "$splice" --genes genes.txt -D 20
"$GODWIT" score -q -f g.fa "$@" --all-snvs -r c1:240-262 -R more.bed -o known.vcf.gz
[ -s known.vcf.gz.tbi ] || die "no index"
equal "$(gzip -dc known.vcf.gz | grep -vc '^#')" "$((3 * (23 + 11)))" "changes"
check "a model of splicing" known.vcf.gz "$@"
check "other digits, probabilities" known.vcf.gz "$@" --digits 6 --raw
"$GODWIT" score -q -f g.fa "$@" --all-snvs -r c1:240-262 -o known.bcf
check "an indexed BCF" known.bcf "$@"

# What is kept is what is taken: another value shows.
gzip -dc known.vcf.gz | sed 's/GW_VALUES=PASS|3[d-f]/GW_VALUES=PASS|40/' >changed.vcf
"$GODWIT" score -q -f g.fa "$@" -o a in.vcf
if has bgzip tabix; then
    bgzip changed.vcf && tabix -p vcf changed.vcf.gz
    "$GODWIT" score -q -f g.fa "$@" --known changed.vcf.gz -o b in.vcf
    body a >a.body && body b >b.body
    cmp -s a.body b.body && die "values of the file are not taken"
    gzip -dc known.vcf.gz | sed 's/GW_VALUES=PASS|/GW_VALUES=FINE|/' | bgzip >changed.vcf.gz && tabix -f -p vcf changed.vcf.gz
    fails 1 "GW_VALUES is 'FINE|" "$GODWIT" score -q -f g.fa "$@" --known changed.vcf.gz -o x.vcf in.vcf
fi

fails 1 'known.vcf.gz was made with other settings: this run has ##godwit_scoreWindow=47, and the file has ##godwit_scoreWindow=45' \
    "$GODWIT" score -q -f g.fa -m "$splice" --genes genes.txt -D 21 --known known.vcf.gz -o x.vcf in.vcf
fails 1 'and the file lacks ##godwit_scoreAnywhere' "$GODWIT" score -q -f g.fa "$@" --anywhere --known known.vcf.gz -o x.vcf in.vcf
"$GODWIT" score -q -f g.fa "$@" --anywhere --all-snvs -r c1:10 -o anywhere.vcf.gz
fails 1 'anywhere.vcf.gz was made with options that this run lacks' "$GODWIT" score -q -f g.fa "$@" --known anywhere.vcf.gz -o x.vcf in.vcf
"$GODWIT" convert -m "$splice" -o half --dtype f16
fails 1 'made with other settings: this run has ##godwit_scoreModelMD5=' "$GODWIT" score -q -f g.fa -m half --genes genes.txt -D 20 --known known.vcf.gz -o x.vcf in.vcf
cp -r "$splice" other
sed -i 's/leaky-unit/unit/' other/config.json
fails 1 'or by another stem of the model' "$GODWIT" score -q -f g.fa -m other --genes genes.txt -D 20 --known known.vcf.gz -o x.vcf in.vcf
"$GODWIT" score -q -f g.fa "$@" -O z --write-index -o plain.vcf.gz in.vcf 2>/dev/null || {
    grep '^#' in.vcf >sorted.vcf && grep -v '^#' in.vcf | sort -k 2n >>sorted.vcf
    "$GODWIT" score -q -f g.fa "$@" -O z --write-index -o plain.vcf.gz sorted.vcf
}
"$GODWIT" score -q -f g.fa "$@" --known plain.vcf.gz -o taken.vcf in.vcf
"$GODWIT" score -q -f g.fa "$@" -o computed.vcf in.vcf
body computed.vcf >a && body taken.vcf >b
same b a
[ "$(grep -c 'GW_SOURCE=[^;]*plain.vcf.gz' taken.vcf)" -ge 5 ] || die "nothing is taken of a file of printed scores"
fails 1 'plain.vcf.gz has no exact values: remove --raw' "$GODWIT" score -q -f g.fa "$@" --raw --known plain.vcf.gz -o x.vcf in.vcf
fails 1 'need a BGZF-compressed, indexed file' "$GODWIT" score -q -f g.fa "$@" --known in.vcf -o x.vcf in.vcf
fails 2 'needs regions' "$GODWIT" score -q -f g.fa "$@" --all-snvs -o x.vcf.gz
fails 2 'replaces the input file: give one of the two' "$GODWIT" score -q -f g.fa "$@" --all-snvs -r c1:1-9 -o x.vcf.gz in.vcf
fails 2 '--all-snvs needs -o FILE' "$GODWIT" score -q -f g.fa "$@" --all-snvs -r c1:1-9 -o x.vcf

cat >config.json <<'END'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "attention_type": "original_full"}
END
printf 'ACGTTGCA\n\nGTACAAGT\n' >corpus.txt
"$GODWIT" bpe -q -v 10 -o tokens.json corpus.txt
"$GODWIT" encode -q -m tokens.json -o data corpus.txt
"$GODWIT" pretrain -q -d data -o pretrained -c config.json --steps 1 --batch-tokens 64
"$GODWIT" score -q -f g.fa -m pretrained --window 20 --all-snvs -r c1:40-45 -o pretrained.vcf.gz
"$GODWIT" score -q -f g.fa -m pretrained --window 20 -o a pretrained.vcf.gz --overwrite
"$GODWIT" score -q -f g.fa -m pretrained --window 20 --known pretrained.vcf.gz -o b pretrained.vcf.gz --overwrite
body a | grep -v '^##' >a.body && body b | grep -v '^##' >b.body
same b.body a.body
equal "$(grep -c 'GW_SOURCE=pretrained.vcf.gz' b)" 18 "alleles of a pretrained model's file"
fails 1 'made with other settings: this run has ##godwit_scoreWindow=30' "$GODWIT" score -q -f g.fa -m pretrained --window 30 --known pretrained.vcf.gz -o x.vcf in.vcf
