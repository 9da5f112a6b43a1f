# --attention and --pad-to of the commands that run a model, and where the mode is written down.
. "$ROOT/tests/cli/lib.sh"

genome 2 60 >g.fa
cat >sparse.json <<'E'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 2,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128, "block_size": 8,
 "num_random_blocks": 1, "attention_type": "block_sparse", "initializer_range": 0.3}
E
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" bpe -q -v 10 -o tok.json corpus.txt
"$GODWIT" encode -q -m tok.json -o sh corpus.txt
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t1500\t1501\tb\t0\t-\nc2\t2000\t2001\tc\t0\t-\nc2\t500\t501\td\t0\t+\n' >tss.bed
"$GODWIT" promoters -q -f g.fa tss.bed --upstream 70 --downstream 30 -o set.tsv
"$GODWIT" mutate -q -f g.fa -r c1:1001-1002 -o in.vcf
"$GODWIT" pretrain -q -d sh -o model -c sparse.json --steps 1 --batch-tokens 512 -@ 1
"$GODWIT" finetune -q -m model --task promoter -d set.tsv -o promoter --steps 1 -@ 1

# What Hugging Face's own fields say alone means the seeded tables; windows of 102 tokens are 13 blocks, of at most 7
# that get full attention.
predict() { "$GODWIT" predict -q -m promoter -d set.tsv "$@"; }
predict >default.tsv
for mode in seeded hf-eval google set start full; do predict --attention $mode >by-$mode.tsv; done
same default.tsv by-seeded.tsv
same by-full.tsv by-google.tsv # at most 512 tokens
differ() { ! cmp -s "$1" "$2" || die "$1 and $2 are the same"; }
differ by-seeded.tsv by-hf-eval.tsv
differ by-seeded.tsv by-full.tsv
differ by-hf-eval.tsv by-full.tsv
differ by-start.tsv by-seeded.tsv
differ by-start.tsv by-full.tsv
"$GODWIT" finetune -q -m model --attention start --task promoter -d set.tsv -o started --steps 1 -@ 1
grep -q '"pattern": "itc+global:2@start+random:1+block:8"' started/config.json || die "no pattern: $(cat started/config.json)"
grep -q '"model_type": "godwit"' started/config.json || die "transformers computes something else"
"$GODWIT" predict -q -m started -d set.tsv >started.tsv
"$GODWIT" predict -q -m started -d set.tsv --attention start >again.tsv
same started.tsv again.tsv

# Padding: nothing up to the end of the last block, then other random blocks and no last block; by blocks.
predict --pad-to 104 >padded.tsv
same padded.tsv default.tsv
predict --pad-to 128 >padded.tsv
differ padded.tsv default.tsv
predict --pad-to 121 >rounded.tsv
same padded.tsv rounded.tsv
predict --pad-to 128 --attention full >padded.tsv
same padded.tsv by-full.tsv
fails 1 "102 tokens cannot be padded to 101" "$GODWIT" predict -q -m promoter -d set.tsv --pad-to 101
fails 1 "--pad-to 129: the model has 128 positions" "$GODWIT" predict -m promoter -d set.tsv --pad-to 129
fails 2 "--attention" "$GODWIT" predict -m promoter -d set.tsv --attention eval

# The mode stands in a note, and in the header of scored files.
"$GODWIT" predict -m promoter -d set.tsv --attention hf-eval --pad-to 128 >noted.tsv 2>notes
grep -q "attention: itc/hf-eval+random:1+block:8, inputs padded to 128 tokens" notes || die "no note: $(cat notes)"
"$GODWIT" eval -m model -d sh --sample 2 >eval.tsv 2>notes
grep -q "attention: itc/seeded+random:1+block:8" notes || die "no note of eval: $(cat notes)"
"$GODWIT" eval -q -m model -d sh --sample 2 --attention hf-eval >eval.hf.tsv
differ eval.tsv eval.hf.tsv
"$GODWIT" eval -q -m model -d sh --sample 2 --pad-to 128 >eval.padded.tsv
differ eval.tsv eval.padded.tsv
"$GODWIT" eval -q -m promoter -d set.tsv --split all --attention full >set.full.tsv
attention() { grep "^##godwit_score$1=" "$2" | cut -d= -f2; }
scores() { grep -v '^#' "$1" | cut -f8; }
score() {
    out=$1
    shift
    "$GODWIT" score -q -f g.fa -o "$out" "$@" in.vcf
}
score default.vcf -m model --window 100
score padded.vcf -m model --window 100 --pad-to 120 --attention hf-eval
equal "$(attention Attention default.vcf)" itc/seeded+random:1+block:8 header
equal "$(attention PadTo default.vcf)" "" "no padding"
equal "$(attention Attention padded.vcf)" itc/hf-eval+random:1+block:8 header
equal "$(attention PadTo padded.vcf)" 120 "padded length"
[ "$(scores default.vcf)" != "$(scores padded.vcf)" ] || die "the mode changes no score"
score profiles.vcf -m promoter --sites tss.bed --attention set
equal "$(attention Attention profiles.vcf)" itc/set+random:1+block:8 header
"$GODWIT" embed -q -m model -o seeded.npy -f g.fa -r c1:1-100
"$GODWIT" embed -m model -o set.npy -f g.fa -r c1:1-100 --attention hf-eval --pad-to 128 2>notes
differ seeded.npy set.npy
grep -q "attention: itc/hf-eval+random:1+block:8, inputs padded" notes || die "no note of embed: $(cat notes)"

# A folder keeps the mode that it was trained in, and says so to transformers, which has it or not.
for mode in hf-eval set; do
    "$GODWIT" finetune -q -m model --task promoter -d set.tsv -o $mode --steps 1 -@ 1 --attention $mode
    grep -q "\"pattern\": \"itc/$mode+random:1+block:8\"" $mode/config.json || die "the folder lacks its mode"
    "$GODWIT" predict -q -m $mode -d set.tsv >kept.tsv
    "$GODWIT" predict -q -m $mode -d set.tsv --attention $mode >same.tsv
    same kept.tsv same.tsv
done
grep -q '"model_type": "big_bird"' hf-eval/config.json || die "transformers has hf-eval"
grep -q '"model_type": "godwit"' set/config.json || die "transformers lacks set"
fails 2 "--attention is for the model of -m" "$GODWIT" finetune --from-scratch --size tiny --task promoter -d set.tsv \
    -o fresh --attention set

# Models that are not BigBird's have their own pattern, and full.
"$GODWIT" pretrain -q -d sh -o window -c sparse.json -p longformer+block:8 --steps 1 --batch-tokens 512 -@ 1
fails 1 "attention mode seeded is BigBird's; the model's own pattern is window:3+global:2+block:8" \
    "$GODWIT" score -m window -f g.fa --attention seeded in.vcf
score window.vcf -m window --window 100
equal "$(attention Attention window.vcf)" window:3+global:2+block:8 header
score full.vcf -m window --window 100 --attention full
equal "$(attention Attention full.vcf)" full+block:8 header
[ "$(scores window.vcf)" != "$(scores full.vcf)" ] || die "full attention changes no score"

# graph draws every mode.
row() { "$GODWIT" graph -n 1024 --layer 1 --edges "$@" | sed -n 5p; }
equal "$(row -p itc/seeded)" "3	0,2,3,4,7,9,15*2"
equal "$(row -p itc/set)" "3	0,2,3,4,7,9,15"
equal "$(row -p itc/hf-eval)" "3	0*4,2,3,4,15"
equal "$("$GODWIT" graph -p itc/google -n 2048 --edges | sed -n 3p)" "1	0,1,2,7,9,14,31"
equal "$("$GODWIT" graph -p itc/google -n 512 | awk '$1 == "full_attention" { print $2 }')" yes
"$GODWIT" graph -p itc/hf-eval -n 1024 -o eval.svg | grep -q "^pattern	itc/hf-eval$" || die "the mode is not printed"
fails 1 "google-research/bigbird has no random blocks for this input" "$GODWIT" graph -p itc/google -n 600
fails 2 "unknown tables 'eval'" "$GODWIT" graph -p itc/eval
