# godwit finetune --task summarize and eval of its model: short texts are learnt by heart as a rule, runs resume to the
# same bytes, and what cannot be read is refused by line and column.
. "$ROOT/tests/cli/lib.sh"

# pairs COUNT SEED SHORTEST LONGEST: sources of bases, each its own target.
pairs() {
    awk -v seed="$2" -v count="$1" -v shortest="$3" -v longest="$4" "$DRAW"'
        BEGIN { print "name\tarticle\tabstract"
                for (i = 0; i < count; i++) { s = bases(shortest + draw(longest - shortest + 1)); print i "\t" s "\t" s } }'
}
train() {
    ${background:+exec} "$GODWIT" finetune -q --task summarize --source article --target abstract --from-scratch --size pegasus-mini \
        --length 64 --dropout 0 -@ 1 "$@"
}
value() { awk -F '\t' -v metric="$2" '$1 == "model" && $2 == metric { print $4 }' "$1"; }

pairs 1500 1 3 6 >train.tsv
pairs 40 2 3 6 >test.tsv
pairs 64 3 3 6 >few.tsv

# Copying is learnt: what was never seen is written letter by letter.
train -d train.tsv --valid test.tsv -o copier --steps 240 --batch 64 --lr 3e-3 --schedule cosine \
    --label-smoothing 0.02
"$GODWIT" eval -q -m copier -d test.tsv --source article --target abstract --written written -b 2 -@ 1 >table
awk -v exact="$(value table exact)" 'BEGIN { exit !(exact >= 0.95) }' || die "not copied: $(cat table)"
equal "$(head -1 table | tr '\t' ' ')" "predictor metric pairs value low high precision recall" header
equal "$(cut -f 1,2 table | tail -4 | tr '\t\n' '  ')" "lead_3 rouge1 lead_3 rouge2 lead_3 rougeL lead_3 rougeLsum " lead
equal "$(sed -n 's/^lead_3.rouge1.40.\([^\t]*\).*/\1/p' table)" 1.000000 "sources beside themselves"
cut -f 2 test.tsv | sed 1d >sources
"$GODWIT" generate -q -m copier -b 2 -@ 1 sources >generated
same written generated
grep -q '"valid_accuracy"' copier/metrics.jsonl || die "no validation in metrics.jsonl"
[ -s copier/loss.png ] || die "no picture"
grep -q '"max_length": 8' copier/generation_config.json || die "$(cat copier/generation_config.json)"

# JSONL gives what the table gave; of several references the best counts.
awk -F '\t' 'NR > 1 { printf "{\"article\": [\"%s\"], \"abstract\": [\"%s\", \"N N N\"]}\n", $2, $3 }' test.tsv >test.jsonl
"$GODWIT" eval -q -m copier -d test.jsonl --source article --target abstract --lead 0 -b 2 -@ 1 >again
grep -v lead_3 table >without_lead
same again without_lead

# A run that is killed and resumed is the run that was not, with any optimiser.
for optimiser in adam adafactor lamb; do
    learn_on() {
        out=$1
        shift
        train -d few.tsv --valid test.tsv --batch 16 --batch-tokens 200 --optimiser "$optimiser" \
            --schedule sqrt --warmup 2 --ema 0.9 --steps 60 --save-every 5 --report-every 1 -o "$out" \
            --checkpoints "$out.state" "$@"
    }
    learn_on "$optimiser"
    start learn_on "cut.$optimiser"
    await lines "cut.$optimiser.state/metrics.jsonl" 12
    kill -9 "$run"
    wait "$run" 2>/dev/null || true
    [ -e "cut.$optimiser/model.safetensors" ] && die "the run was finished when it was killed"
    learn_on "cut.$optimiser" --resume
    same "$optimiser/model.safetensors" "cut.$optimiser/model.safetensors"
    learn_on "cut.$optimiser" --resume # a finished run is left as it is
done
cmp -s adam/model.safetensors adafactor/model.safetensors && die "adafactor is adam"
cmp -s adam/model.safetensors lamb/model.safetensors && die "lamb is adam"
[ "$(wc -c <adafactor.state/training.state)" -lt "$(wc -c <adam.state/training.state)" ] || die "Adafactor keeps as much"
train -d few.tsv --batch 16 --steps 1 --preset pegasus -o pegasus --report-every 1
grep -q '"rate": *0.0001' pegasus/metrics.jsonl || die "$(cat pegasus/metrics.jsonl)"

# It goes on from a model folder.
"$GODWIT" finetune -q -m pegasus --task summarize -d few.tsv --source article --target abstract --max-target 4 \
    --steps 1 -o further 2>notes -@ 1
grep -q '"max_length": 5' further/generation_config.json || die "$(cat further/generation_config.json)"

# A pattern that transformers does not compute, and one that is sampled, whose densities are those of each step.
for pattern in window:3 sbm:4+band:2; do
    rm -rf other
    train -q -p "$pattern" -d few.tsv --valid few.tsv --steps 2 --batch 16 --report-every 1 -o other
    "$GODWIT" generate -q -m other --max-length 3 -b 1 sources >other.txt
    equal "$(wc -l <other.txt)" "$(wc -l <sources)" "texts by a model of $pattern"
done
equal "$(grep -c '"density":\[\[0' other/metrics.jsonl)" 2 "steps with densities"
rm -rf other

learn() { train --steps 1 -o never "$@"; }
printf 'article\tabstract\nACGT\tAC\nACGT\n' >short.tsv
fails 1 "short.tsv:3: 1 fields where the header has 2" learn -d short.tsv
fails 1 'test.tsv:1: no column "body"; there are: name, article, abstract' learn -d test.tsv --source body
printf 'article\tabstract\nACGT\t\n' >empty.tsv
fails 1 "empty.tsv:2: the text of column 'abstract' is empty" learn -d empty.tsv
printf 'article\tabstract\nAC\377T\tA\n' >bad.tsv
fails 1 "bad.tsv:2: byte 3 of the row is not UTF-8" learn -d bad.tsv
printf '{"article": "A", "abstract": {}}\n' >object.jsonl
fails 1 'object.jsonl:1: "abstract" is missing, null or no text' learn -d object.jsonl
printf '{"article": "A", "abstract": []}\n' >list.jsonl
fails 1 "list.jsonl:1: the list of column 'abstract' is empty" learn -d list.jsonl
printf 'abstract,article\nAC,"A,C\nGT"\n' >rows.csv
learn -q -d rows.csv
rm -rf never
printf '{"article": "A"}\n' >lacks.jsonl
fails 1 'lacks.jsonl:1: no key "abstract"; there are: article' learn -d lacks.jsonl
printf '{"article": \n' >cut.jsonl
fails 1 "cut.jsonl:1" learn -d cut.jsonl
printf 'article\tabstract\n' >none.tsv
fails 1 "none.tsv has no rows" learn -d none.tsv
: >nothing.tsv
fails 1 "nothing.tsv is empty" learn -d nothing.tsv
fails 1 "sources of 65 tokens are asked for, the model's positions hold 3 to 64" learn -d few.tsv --max-source 65
fails 1 "copier already holds a model" train --steps 1 -d few.tsv -o copier
fails 2 "--preset long-base goes with --task summarize" "$GODWIT" finetune -m copier --task promoter -d few.tsv \
    --preset long-base -o never
fails 2 "--task summarize needs a model with a decoder" "$GODWIT" finetune --from-scratch --size tiny --task summarize \
    -d few.tsv -o never
fails 2 "--label-smoothing goes with --task summarize" "$GODWIT" finetune -m copier --task promoter -d few.tsv \
    --label-smoothing 0.1 -o never

# What the task has no use for is refused, not passed over.
for option in freeze-encoder metric=loss positive-weight=2 pooling=mean baseline=kmer density-weight=1 exploration=0.02 edge-gradient=mask; do
    fails 2 "--${option%=*} goes with --task " train -d few.tsv --valid few.tsv -o never "--$option"
done
for option in fasta=g.fa shift=0 one-strand window=0; do
    fails 2 "--${option%=*} goes with --task profiles, promoter" train -d few.tsv -o never "--$option"
done
for option in text=article label=abstract max-length=9; do
    fails 2 "--${option%=*} goes with --task classify, match, token" train -d few.tsv -o never "--$option"
done
fails 2 "--tss-offset goes with --task promoter" train -d few.tsv -o never --tss-offset 3
for option in shift=3 both-strands label-smoothing=0.1 source=a; do
    fails 2 "--${option%=*} goes with --task " "$GODWIT" finetune -m copier --task classify -d few.tsv -o never "--$option"
done
fails 2 "--positive-weight goes with --labels many" "$GODWIT" finetune -m copier --task classify -d few.tsv -o never --positive-weight 2
fails 2 "--text2 goes with --task classify, match, token" "$GODWIT" finetune -m copier --task promoter -d few.tsv -o never --text2 a
