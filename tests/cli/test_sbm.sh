# A model that samples its graphs: it learns, says its densities, goes on bit for bit, and is run by its stored seed.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
mixer_files
train() {
    out=$1
    shift
    mixer_train sbm:8+band:2 "$out" 20 "$@"
}
mixer_learns sbm:8+band:2 model
grep -q '"density":\[\[0\.[0-9]*,0\.[0-9]*\],\[0\.[0-9]*,0\.[0-9]*\]\]' model/metrics.jsonl || die "no densities by layer and head"

# A price on edges leaves fewer, and is another run.
first_density() {
    tail -n 1 "$1" | sed 's/.*"density":\[\[\([0-9.]*\).*/\1/'
}
train priced --density-weight 20 --expected-density
less "$(first_density priced/metrics.jsonl)" "$(first_density model/metrics.jsonl)" || die "the price changed nothing"
fails 1 "made by a run with other settings: --density-weight 0 (now 1);" train model --resume --density-weight 1
fails 1 "made by a run with other settings: --exploration 0.01 (now 0.02);" train model --resume --exploration 0.02
fails 1 "made by a run with other settings: --edge-gradient mask (only now);" train model --resume --edge-gradient mask

# Scores say what drew their graphs.
"$GODWIT" score -q -m model -f genome.fa in.vcf | grep -q 'sbm:8/exact+band:2+seed:0' || die "no provenance"
"$GODWIT" eval -q -m model -f genome.fa --sample 4 >table

# What a spec alone cannot say.
fails 1 "before a model draws one" "$GODWIT" graph -p sbm:8 -n 100

# What the model draws of a region: the same each time, the band always in it.
"$GODWIT" graph -m model -f genome.fa -r one:1-40 --layer 1 --head 1 -o mask.svg >a
"$GODWIT" graph -m model -f genome.fa -r one:1-40 --layer 1 --head 1 >b
same a b
grep -q "<svg" mask.svg || die "no picture"
less 0.05 "$(sed -n 's/^density.//p' a)" || die "sparser than its band"
"$GODWIT" graph -m model -f genome.fa -r one:1-40 --edges | sed -n 2p | grep -q '^0.0,1,2' || die "the band is not read"
fails 1 "2 layers of 2 heads" "$GODWIT" graph -m model -f genome.fa -r one:1-40 --layer 2
"$GODWIT" graph -m model -f genome.fa -r one:1-40 --layer 1 --head 1 --memberships members.svg >b
same a b
grep -q "<svg" members.svg || die "no picture of memberships"
fails 2 "needs -m" "$GODWIT" graph --memberships members.svg
fails 2 "needs -f and -r" "$GODWIT" graph -m model

# Fine-tuning takes the same options, and eval says the densities of a labelled set.
awk "$DRAW"'BEGIN { seed = 7; OFS = "\t"; print "sequence", "motif"
    for (e = 0; e < 200; e++) print substr(bases(40), 1, 32) (e % 2 ? "TATAAATA" : "GCGCGCGC"), e % 2 }' >set.tsv
tune() {
    out=$1
    shift
    "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv --valid set.tsv -o "$out" -p sbm:8+band:2 --epochs 2 \
        --lr 5e-3 --batch 20 --dropout 0 --patience 0 --baseline none -@ 1 "$@"
}
tune plain
tune priced_labels --density-weight 20 --expected-density
tune edges --density-weight 20
tune mask --edge-gradient mask
less "$(first_density priced_labels/metrics.jsonl)" "$(first_density plain/metrics.jsonl)" || die "the price changed nothing"
for other in edges mask; do
    cmp -s plain/model.safetensors $other/model.safetensors && die "$other is learned as without"
done
cmp -s priced_labels/model.safetensors edges/model.safetensors && die "probabilities are priced as edges"
"$GODWIT" eval -m plain -d set.tsv 2>log >table
grep -q "densities of sampled graphs by head; layer 0: 0\.[0-9]* 0\.[0-9]*; layer 1:" log || die "no densities of a labelled set"
