# Models whose rows read each other by other means than a graph of blocks: each is pretrained, goes on bit for bit, is kept in a
# folder and scored by it.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
mixer_files
for mixer in linear linear+causal performer:32+redraw:7 linformer:16 nystrom:8+reach:4 reformer:16x2 etc:7+segment:8+distance:3+hard; do
    mixer_learns $mixer model
    start mixer_train $mixer stopped 20 --save-every 1
    until cat stopped*/metrics.jsonl 2>/dev/null | grep -q '"step":5,' || ! kill -0 "$run" 2>/dev/null; do sleep 0.01; done
    kill -INT "$run" 2>/dev/null || true
    wait "$run" || true
    mixer_train $mixer stopped 20 --save-every 1 --resume
    same stopped/model.safetensors model/model.safetensors
    fails 1 "made by a run with other settings: attention pattern" mixer_train window:3 model 20 --resume
    case $mixer in reformer*) fails 1 "needs queries" "$GODWIT" score -m model -f genome.fa --attention full in.vcf ;;
    *)
        "$GODWIT" score -q -m model -f genome.fa --attention full in.vcf | grep -v godwit_score >full
        cmp -s scores full && die "$mixer: full attention is the same"
        ;;
    esac
    fails 1 "has no graph" "$GODWIT" graph -p $mixer -n 100
    rm -r model* threads* stopped*
done

# What hashing lists for a region, as sampled graphs are drawn.
mixer_train reformer:16x2 hashed 10
"$GODWIT" graph -m hashed -f genome.fa -r one:1-40 --layer 1 --head 1 >a
grep -q "^pattern.reformer:16x2" a || die "no graph of what hashing lists: $(cat a)"
fails 1 "has no clusters" "$GODWIT" graph -m hashed -f genome.fa -r one:1-40 --memberships members.svg
