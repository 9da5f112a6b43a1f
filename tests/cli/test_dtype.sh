# --dtype of the commands that run a model: bf16 is near f32, its results do not depend on the thread count, and it
# stands in the header of scored files. A processor without bf16 says so.
. "$ROOT/tests/cli/lib.sh"

genome 1 60 >g.fa
cat >small.json <<'E'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 2, "intermediate_size": 128, "max_position_embeddings": 128, "initializer_range": 0.2}
E
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" bpe -q -v 10 -o tok.json corpus.txt
"$GODWIT" encode -q -m tok.json -o sh corpus.txt
"$GODWIT" pretrain -q -d sh -o model -c small.json --steps 1 --batch-tokens 512 -@ 1
"$GODWIT" mutate -q -f g.fa -r c1:1001-1010 -o in.vcf
fails 2 "--dtype" "$GODWIT" score -m model -f g.fa --dtype f64 in.vcf

score() { "$GODWIT" score -q -m model -f g.fa --window 100 "$@" in.vcf; }
score >f32.vcf
grep -qx '##godwit_scoreDtype=f32' f32.vcf || die "no type in the header"
if ! grep -q avx512_bf16 /proc/cpuinfo 2>/dev/null; then
    fails 1 "--dtype: this processor has no bf16 instructions" "$GODWIT" score -m model -f g.fa --dtype bf16 in.vcf
    echo "left out: scores in bf16, for which this processor has no instructions"
    exit 0
fi
score --dtype bf16 >bf16.vcf
grep -qx '##godwit_scoreDtype=bf16' bf16.vcf || die "no type in the header"
ratios() { grep -v '^#' "$1" | sed 's/.*GW_LLR=\([^;]*\).*/\1/'; }
ratios f32.vcf >a
ratios bf16.vcf >b
[ "$(wc -l <a)" -eq 30 ] || die "not all variants were scored"
paste a b | awk '{ d = $1 - $2; e += d * d; s += $1 * $1 } END { exit !(e > 0 && e < 1e-3 * s) }' ||
    die "bf16 is not near f32: $(paste a b | head -3)"
score --dtype bf16 -@ 1 | grep -v '^#' >one.txt
grep -v '^#' bf16.vcf >all.txt
same all.txt one.txt
