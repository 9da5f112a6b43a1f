# SPDX-License-Identifier: MIT
# HotpotQA's and TriviaQA's own files, as they are downloaded: a small model is trained on them, and its predictions are rated by HotpotQA's script.
. "$ROOT/tests/cli/lib.sh"
needs_data nlp/hotpot/hotpot_dev_distractor_first60.json
needs_data nlp/triviaqa-sample.tgz
vocabulary="$ROOT/tests/data/tokenizer_json/wordpiece.json"
hotpot="$GODWIT_DATA/nlp/hotpot/hotpot_dev_distractor_first60.json"

cat >config.json <<'END'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 2048}
END
finetune() { "$GODWIT" finetune --from-scratch -c config.json -t "$vocabulary" --task qa --epochs 1 --batch 4 -@ 1 "$@"; }

finetune -d "$hotpot" -o hotpot 2>said
! grep -q "answers are not in their contexts" said || die "an answer of HotpotQA is not found: $(grep answers said)"
"$GODWIT" eval -q -m hotpot -d "$hotpot" >figures
"$GODWIT" predict -q -m hotpot -d "$hotpot" --predictions found.json -o table
"$GODWIT" eval -d "$hotpot" --predictions found.json --metric hotpotqa >rated
same rated figures
python=${PYTHON:-python3}
if has "$python"; then
    mkdir stand_in && echo 'from json import *' >stand_in/ujson.py
    PYTHONPATH=stand_in PYTHONDONTWRITEBYTECODE=1 "$python" "$GODWIT_DATA/nlp/official/hotpot_evaluate_v1.py" found.json "$hotpot" >official
    "$python" - <<'END' || die "the script says otherwise: $(cat official)"
import ast
official = ast.literal_eval(open("official").read())
ours = dict(line.split() for line in open("rated").read().splitlines()[1:])
raise SystemExit(not all(abs(official[name] - float(ours[name])) < 1e-12 for name in official))
END
fi

# Documents lie above the folder of the sets, as in the archive.
tar xzf "$GODWIT_DATA/nlp/triviaqa-sample.tgz"
finetune -d qa/wikipedia-train.json -o trivia 2>said
for set in wikipedia-dev web-dev; do
    "$GODWIT" eval -q -m trivia -d qa/$set.json >figures
    "$GODWIT" predict -q -m trivia -d qa/$set.json --predictions found.json -o table
    "$GODWIT" eval -d qa/$set.json --predictions found.json --metric triviaqa >rated 2>said
    same rated figures
    [ ! -s said ] || die "said of $set: $(cat said)"
done
