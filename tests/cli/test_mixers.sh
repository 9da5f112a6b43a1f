# Models whose rows read each other by other means than a graph of blocks: each is pretrained, goes on bit for bit, is kept in a
# folder and scored by it.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
{ echo ">one" && repetitive 12000 1; } >genome.fa
cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 66, "attention_type": "original_full"}
END
train() {
    pattern=$1 out=$2 steps=$3
    shift 3
    ${background:+exec} "$GODWIT" pretrain -q -f genome.fa -o "$out" -c config.json -p "$pattern" --batch-tokens 1056 --steps "$steps" \
        --lr 5e-3 --save-every 10 --dropout 0 --mask-rate 0.2 "$@"
}
"$GODWIT" mutate -q -f genome.fa -r one:8501-8504 -o in.vcf
for mixer in linear linear+causal performer:32+redraw:7 linformer:16 nystrom:8+reach:4 reformer:16x2 etc:7+segment:8+distance:3+hard; do
    train $mixer model 20
    less "$(field model/metrics.jsonl 20 mlm_loss)" "$(field model/metrics.jsonl 1 mlm_loss)" || die "$mixer: the loss did not fall"
    grep -qF "\"pattern\": \"$mixer\"" model/config.json || die "$mixer is not kept"
    grep -q '"model_type": "godwit"' model/config.json || die "$mixer: transformers would run it"
    train $mixer threads 20 -@ 1 --recompute
    same threads/model.safetensors model/model.safetensors
    start train $mixer stopped 20 --save-every 1
    until cat stopped*/metrics.jsonl 2>/dev/null | grep -q '"step":5,' || ! kill -0 "$run" 2>/dev/null; do sleep 0.01; done
    kill -INT "$run" 2>/dev/null || true
    wait "$run" || true
    train $mixer stopped 20 --save-every 1 --resume
    same stopped/model.safetensors model/model.safetensors
    fails 1 "made by a run with other settings: attention pattern" train window:3 model 20 --resume
    "$GODWIT" score -q -m model -f genome.fa in.vcf | grep -v godwit_score >a
    "$GODWIT" score -q -m model -f genome.fa -@ 1 in.vcf | grep -v godwit_score >b
    same a b
    case $mixer in reformer*) fails 1 "needs queries" "$GODWIT" score -m model -f genome.fa --attention full in.vcf ;;
    *)
        "$GODWIT" score -q -m model -f genome.fa --attention full in.vcf | grep -v godwit_score >b
        cmp -s a b && die "$mixer: full attention is the same"
        ;;
    esac
    fails 1 "has no graph" "$GODWIT" graph -p $mixer -n 100
    rm -r model* threads* stopped*
done

# What hashing lists for a region, as sampled graphs are drawn.
train reformer:16x2 hashed 10
"$GODWIT" graph -m hashed -f genome.fa -r one:1-40 --layer 1 --head 1 >a
grep -q "^pattern.reformer:16x2" a || die "no graph of what hashing lists: $(cat a)"
fails 1 "has no clusters" "$GODWIT" graph -m hashed -f genome.fa -r one:1-40 --memberships members.svg
