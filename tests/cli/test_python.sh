# SPDX-License-Identifier: MIT
# The Python package as its wheel brings it: the examples beside the commands, misuse, threads, structs as in C.
. "$ROOT/tests/cli/lib.sh"
[ -z "${SAN:-}" ] || { echo "Python is not built for the sanitizers"; exit 77; }
python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || { echo "needs Python 3 with NumPy ($python)"; exit 77; }
prepared small

make -s -C "$ROOT" wheel BUILD="$BUILD" PYTHON="$python" WHEEL="$PWD/wheel" >make.log 2>&1 || die "$(tail -5 make.log)"
wheel=$(echo wheel/godwit_genomics-*.whl)
if "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m pip install -q --no-deps --no-index --disable-pip-version-check --target site "$wheel" 2>pip.log || die "$(cat pip.log)"
else
    "$python" -m zipfile -e "$wheel" site
    mkdir site/bin && cp site/godwit_genomics-*.data/scripts/godwit site/bin/
    chmod +x site/godwit/bin/godwit
fi
PYTHONPATH="$PWD/site" PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
examples="$ROOT/tools/python/examples"
cp "$wheel" first.whl
make -s -C "$ROOT" wheel BUILD="$BUILD" PYTHON="$python" WHEEL="$PWD/wheel" >make.log 2>&1
same "$wheel" first.whl

# The program comes along, by the interpreter and as a command, and knows the models beside it.
"$GODWIT" --version | head -n 5 >expected # what follows names places
"$python" -m godwit --version | head -n 5 >got
same got expected
"$python" site/bin/godwit --version | head -n 5 >got
same got expected
equal "$(env -u GODWIT_MODELS "$python" -m godwit models | cut -f 1,5 | grep '^yeast	')" "yeast	$PWD/site/godwit/share/godwit/models/yeast" model
fails 2 "unknown command: nothing" "$python" site/bin/godwit nothing

# A model whose answer for an allele is not a row of values is refused.
printf '>a\nACGTTGCA\n' >one.fa
"$python" -W ignore -c 'import godwit
with godwit.Model("human-splice") as m: m.scorer("one.fa")' 2>said && die "a scorer of splicing"
grep -q 'has entries for each gene and strand' said || die "a scorer of splicing: $(cat said)"

# The examples: the command's bytes.
printf '>a\nACGTTGCA\n>b\nACGTNACCA\n>c\nACGTTG\n' >three.fa
"$GODWIT" embed -q -m model --pool mean -o expected.npy three.fa
"$python" "$examples/embed.py" model three.fa got.npy >pairs
same got.npy expected.npy
equal "$(cut -f 1 pairs | tr '\n' ' ')" "a b c "

printf 'sequence\tx\n' >inputs.tsv
sed -n '2,60p' g.fa | sed 's/$/\t1/' >>inputs.tsv
"$GODWIT" predict -m profiles -d inputs.tsv --both-strands -o expected.tsv 2>log
"$python" "$examples/predict.py" profiles inputs.tsv >got.tsv
same got.tsv expected.tsv

# expected MODEL OPTION KEY...: the example's rows from the command's INFO.
expected() {
    model=$1 option=$2
    shift 2
    "$GODWIT" score -q -m "$model" -f g.fa "$option" -t c1:1003-1006 -o scored.vcf in.vcf
    grep -v '^#' scored.vcf | awk -F '\t' -v keys="$*" 'BEGIN { n = split(keys, key, " ") } {
        line = $1 "\t" $2 "\t" $4 "\t" $5
        for (i = split($8, info, ";"); i > 0; i--) { split(info[i], pair, "="); value[pair[1]] = pair[2] }
        for (i = 1; i <= n; i++) line = line "\t" value["GW_" key[i]]
        print line
    }'
}
expected profiles --raw DIFF LOGIT MEAN PREF PALT STATUS >expected.tsv
"$python" "$examples/score.py" profiles g.fa in.vcf c1:1003-1006 >got.tsv
equal "$(head -n 1 got.tsv | tr '\t' ' ')" "contig position ref alt diff logit mean pref palt top status"
tail -n +2 got.tsv | cut -f 1-9,11 >rows
same rows expected.tsv
expected model --window=60 LLR STATUS >expected.tsv
"$python" "$examples/score.py" model g.fa in.vcf c1:1003-1006 60 | tail -n +2 >got.tsv
same got.tsv expected.tsv
equal "$(grep -c PASS got.tsv)" 12 "variants of four positions"
[ "$(cut -f 5 got.tsv | sort -u | wc -l)" -gt 8 ] || die "too few different values: $(cat got.tsv)"

# Questions: spans and scores of the command, places in characters.
cat >questions.json <<'E2'
{"data": [{"paragraphs": [{"context": "the cells are red", "qas": [{"id": "a", "question": "which colour?", "answers": [{"text": "red", "answer_start": 14}]}]}]}]}
E2
echo '{"architectures": ["BertForMaskedLM"], "model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
    "intermediate_size": 64, "max_position_embeddings": 64}' >questions.config
"$GODWIT" finetune -q --from-scratch -c questions.config -t "$ROOT/tests/data/tokenizer_json/byte_level.json" --task qa -d questions.json \
    -o qa --steps 3 -@ 1
printf 'na\303\257ve red genes are small, and the cells divide twice; they are read in windows, as the text is long' >text.txt
"$GODWIT" ask --quiet -m qa -q "which colour?" -n 3 text.txt | sed 1d | cut -f 3- >expected
"$python" >got <<'E2'
import godwit
text = open("text.txt", encoding="utf-8").read()
with godwit.Model("qa") as model:
    for answer in model.ask("which colour?", text, n_best=3):
        assert text[answer.begin : answer.end] == answer.text
        print(answer.begin + 1, f"{answer.score:.7g}", f"{answer.no_answer:.7g}", answer.text, sep="\t")
    assert model.ask("?", " ") == []
    for wrong in ({"n_best": 0}, {"max_length": 65}, {"stride": -1}):
        try:
            model.ask("?", text, **wrong)
        except (ValueError, godwit.Error):
            continue
        raise SystemExit(f"{wrong} is taken")
E2
equal "$(wc -l <got)" 3 "answers of model.ask"
same got expected

# A genome whose index is older than itself is warned of.
{ echo ">c1" && sed -n '2,11p' g.fa; } >old.fa
printf 'c1\t500\t4\t50\t51\n' >old.fa.fai
touch -d '2020-01-01' old.fa.fai

# The structs as C has them.
cat >sizes.c <<'E2'
#include "godwit.h"
#include <stdio.h>
int main(void) {
    printf("%zu %zu %zu %zu\n", sizeof(gw_predictor_options), sizeof(gw_scorer_options), sizeof(gw_scorer_variants),
           sizeof(gw_scorer_results));
    printf("%zu %zu\n", sizeof(gw_ask_options), sizeof(gw_found_span));
    printf("%zu %zu %zu\n", offsetof(gw_predictor_options, temperature), offsetof(gw_scorer_results, site),
           offsetof(gw_scorer_results, sd));
    return 0;
}
E2
${CC:-cc} -I"$ROOT/lib" sizes.c -o sizes
./sizes >expected
"$python" >got <<'E2'
import ctypes
from godwit import _library as c
print(*map(ctypes.sizeof, (c.PredictorOptions, c.ScorerOptions, c.ScorerVariants, c.ScorerResults)))
print(ctypes.sizeof(c.AskOptions), ctypes.sizeof(c.FoundSpan))
print(c.PredictorOptions.temperature.offset, c.ScorerResults.site.offset, c.ScorerResults.sd.offset)
E2
same got expected

"$python" - "$("$GODWIT" --version | sed -n 's/^godwit //p')" <<'E2'
import json
import pathlib
import shutil
import sys
import threading
import warnings

import godwit
import numpy as np


def fails(text, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (godwit.Error, ValueError) as error:
        assert text in str(error), error
        return error
    raise SystemExit(f"no failure: {text}")


assert godwit.__version__ == sys.argv[1]
assert fails("no model 'nowhere' is installed", godwit.Model, "nowhere").code == 10
assert fails("no/where/config.json", godwit.Model, "no/where").code == 10
fails("f8", godwit.Model, "model", dtype="f8")
fails("options.threads is -1", godwit.Model, "model", threads=-1)

model = godwit.Model(pathlib.Path("profiles"), threads=2)
assert model.width == 16 and model.positions == 128 and model.window == 60 and len(model.labels) == 1
assert model.vocabulary[:3] == ["[PAD]", "[UNK]", "[CLS]"]
assert fails("input 1: 'e' at offset 1", model.predict, ["ACGT", "hello world"]).code == 22
fails("byte 195 at offset 2", model.embed, ["ACé"])
fails("byte 0 at offset 1", model.embed, [b"A\0C"])
fails("pool is 'sum'", model.embed, ["A"], pool="sum")
fails("strands is 'one'", model.predict, ["A"], strands="one")
fails("layer 2", model.embed, ["A"], layer=2)
fails("no head", model.predict_masked, [2, 5, 3], 1)
assert model.predict([]).shape == (0, 1) and model.embed([]).shape == (0, 16)
assert model.predict("ACGT").shape == (1, 1)

# Company in a batch and the letters' case change nothing; logits are those of the probabilities.
sequences = ["ACGTTGCA" * k for k in range(1, 9)]
together = model.predict(sequences, strands="both")
assert (together == np.concatenate([model.predict([s.lower()], strands="both") for s in sequences])).all()
logits = model.predict(sequences, strands="both", logits=True)
assert np.allclose(np.log(together / (1 - together)), logits, atol=1e-5)

# A temperature divides the logits of each strand.
with godwit.Model("profiles", temperature=4) as warm:
    one, four = (m.predict(sequences, strands="given", logits=True) for m in (model, warm))
    assert np.allclose(one, 4 * four, atol=1e-4)

# One model in several threads.
found = {}


def work(i):
    found[i] = model.predict(sequences, strands="both")


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
assert len(found) == 4 and all((value == together).all() for value in found.values())

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.scorer("old.fa").close()
assert len(caught) == 1 and "old.fa.fai" in str(caught[0].message), caught
scorer = model.scorer("g.fa")
table = scorer.score([("c1", 5, "A", "C"), ("c9", 1, "A", "C"), ("c1", 1010, "N", "<INS>")], profiles=True)
assert list(table["status"][1:]) == ["NOCONTIG", "SYMBOLIC"] and table["profiles"].shape == (3, 2, 1)
assert np.isnan(table["diff"][1:]).all() and list(table["top"][1:]) == ["", ""]
assert all(len(column) == 0 for column in scorer.score([]).values())
fails("an empty ALT", scorer.score, [("c1", 5, "A", "")])
fails("TSS offset", model.scorer, "g.fa", sites="tss.bed")
model.close()
fails("predictor is NULL", model.predict, ["A"])
fails("scorer is NULL", scorer.score, [("c1", 5, "A", "C")])

with godwit.Model("model") as model:
    tokens = model.tokenize("ACGTTGCAAC")
    assert np.allclose(model.embed("ACGTTGCAAC", pool="sentence")[0], model.hidden(tokens).mean(0), atol=1e-6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert model.embed("ACGTTGCAAC" * 99, pool="sentence").shape == (1, model.width)
    assert len(caught) == 1 and "cut to their first" in str(caught[0].message), caught
    fails("the model takes", model.embed, "ACGTTGCAAC" * 99)
    assert [model.vocabulary[t] for t in tokens[[0, -1]]] == ["[CLS]", "[SEP]"]
    states = model.hidden(tokens)
    assert np.array_equal(states[0], model.embed("ACGTTGCAAC")[0])
    p = model.predict_masked(tokens, np.arange(1, len(tokens) - 1))
    assert p.shape == (len(tokens) - 2, len(model.vocabulary)) and np.allclose(p.sum(1), 1, atol=1e-5)
    z = model.predict_masked(tokens, 2, logits=True)[0].astype(float)
    assert np.allclose(np.exp(z - z.max()) / np.exp(z - z.max()).sum(), p[1], atol=1e-6)
    assert "sd" in model.scorer("g.fa", phases=3).score([])
    columns = ["contig", "position", "ref", "alt", "llr", "status"]
    assert list(model.scorer("g.fa").score([("c1", 5, "A", "C")])) == columns

# A folder of sentence-transformers says itself how its tokens become a vector.
shutil.copytree("model", "st")
pathlib.Path("st/1_Pooling").mkdir()
pathlib.Path("st/1_Pooling/config.json").write_text('{"pooling_mode": ["mean", "lasttoken"]}')
parts = {"": "Transformer", "1_Pooling": "Pooling"}.items()
modules = [{"path": path, "type": "sentence_transformers.models." + name} for path, name in parts]
pathlib.Path("st/modules.json").write_text(json.dumps(modules))
with godwit.Model("st") as model:
    states = model.hidden(model.tokenize("ACGTTGCAAC"))
    wanted = np.concatenate([states.mean(0), states[-1]])
    assert np.allclose(model.embed("ACGTTGCAAC")[0], wanted, atol=1e-6)
    assert np.allclose(model.embed("ACGTTGCAAC", pool="cls")[0], states[0], atol=1e-6)

# The models that the package brings are known by their names, as the command's are.
yeast = godwit.Model("yeast")
assert yeast.positions == 514 and yeast.labels == [], yeast.positions
yeast.close()

promoter = godwit.Model("promoter")
with promoter.scorer("g.fa", sites="tss.bed") as scorer:
    rows = [line.split("\t") for line in open("in.vcf") if not line.startswith("#")]
    table = scorer.score((row[0], int(row[1]), row[3], row[4]) for row in rows)
    assert set(table["site"]) == {"a"} and set(table["status"]) == {"PASS"}, table
E2

# --scores jsd,embedding: what the model makes of each masked neighbour, and its hidden states, read one by one.
sed 's/"hidden_size"/"initializer_range": 0.4, "hidden_size"/' config.json >wide.json # so that differences are not rounding errors
"$GODWIT" pretrain -q -f g.fa -o bases -c wide.json --steps 3 --batch-tokens 528 --length 66 --lr 1e-2 -@ 1
{ grep '^#' in.vcf
  base() { sed -n '2,51p' g.fa | tr -d '\n' | cut -c"$1-$2"; }
  printf 'c1\t1003\tsnv\t%s\t%s\t.\t.\t.\n' "$(base 1003 1003)" "$(base 1003 1003 | tr ACGT CGTA)"
  printf 'c1\t1010\tdel\t%s\t%s\t.\t.\t.\n' "$(base 1010 1013)" "$(base 1010 1010)"
  printf 'c1\t1020\tins\t%s\t%sGATTA\t.\t.\t.\n' "$(base 1020 1020)" "$(base 1020 1020)"; } >few.vcf
"$GODWIT" score -q -m bases -f g.fa --window 61 --scores llr,jsd,embedding few.vcf >states.vcf
cat >states.py <<'END'
import sys
import godwit
import numpy as np
WINDOW, AT, SIDE = 61, 30, 32
contig = "".join(line.strip().upper() for line in open("g.fa").read().split(">")[1].split("\n")[1:])
turn = lambda s: s[::-1].translate(str.maketrans("ACGT", "TGCA"))
entropy = lambda p: -(p[p > 0] * np.log2(p[p > 0])).sum()
with godwit.Model("bases") as model:
    base = [model.tokenize(b)[1] for b in "ACGT"]
    mask = model.vocabulary.index("[MASK]")
    def share(window, at):
        tokens = np.array(model.tokenize(window), np.int32)
        tokens[1 + at] = mask
        z = model.predict_masked(tokens, [1 + at], logits=True)[0][base].astype(float)
        p = np.exp(z - z.max())
        return p / p.sum()
    for line in open("states.vcf"):
        if line.startswith("#"):
            continue
        _, pos, _, ref, alt, _, _, info = line.split("\t")
        info = dict(field.split("=") for field in info.strip().split(";"))
        begin = int(pos) - 1 - AT
        windows = [(contig[begin:begin + AT] + allele + contig[begin + AT + len(ref):])[:WINDOW] for allele in (ref, alt)]
        divergence, distance, cosine = [], [], []
        for strand in range(2):
            seen = [turn(w) if strand else w for w in windows]
            place = lambda i: WINDOW - 1 - i if strand else i
            for k in range(1, SIDE + 1):
                for a, b in ((AT - k, AT - k), (AT + len(ref) - 1 + k, AT + len(alt) - 1 + k)):
                    if min(a, b) < 0 or max(a, b) >= WINDOW:
                        continue
                    p, q = share(seen[0], place(a)), share(seen[1], place(b))
                    divergence.append(entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2)
            h = []
            for window, allele in zip(seen, (ref, alt)):
                rows = sorted(place(i) for i in range(AT, AT + len(allele)))
                h.append(np.asarray(model.hidden(model.tokenize(window)), float)[1 + rows[0]:2 + rows[-1]].mean(0))
            distance.append(np.linalg.norm(h[0] - h[1]))
            cosine.append(h[0] @ h[1] / np.linalg.norm(h[0]) / np.linalg.norm(h[1]))
        for key, values in (("GW_JSD", divergence), ("GW_EMB_L2", distance), ("GW_EMB_COS", cosine)):
            wanted, found = np.mean(values), float(info[key])
            if not (abs(found - wanted) <= 2e-5 * max(1, abs(wanted)) and found != 0):
                sys.exit(f"{line.strip()}: {key} is {found}, expected {wanted}")
END
"$python" states.py 2>err || die "$(cat err)"
"$GODWIT" score -q -m bases -f g.fa --window 61 few.vcf >plain.vcf
equal "$(sed 's/.*GW_LLR=//; s/;.*//; /^#/d' states.vcf)" "$(sed 's/.*GW_LLR=//; s/;.*//; /^#/d' plain.vcf)" "GW_LLR beside them"
"$GODWIT" score -q -m bases -f g.fa --window 61 --scores jsd,embedding --indel-null 12 few.vcf >nulls.vcf
equal "$(sed 's/.*GW_JSD=//; s/;GW_NULL.*//; /^#/d' nulls.vcf)" "$(sed 's/.*GW_JSD=//; s/;GW_STATUS.*//; /^#/d' states.vcf)" "beside neutral ones"
fails 1 "the score 'jsd' is for models of single bases" "$GODWIT" score -q -m model -f g.fa --scores jsd few.vcf
"$GODWIT" score -q -m model --window 60 -f g.fa --scores llr,embedding few.vcf | grep -v '^#' | sed 's/.*GW_EMB_L2=//; s/;.*//' >found
awk '!($1 > 0) { exit 1 } END { exit NR != 3 }' found || die "states of byte pairs: $(cat found)"
"$GODWIT" score -q -m profiles -f g.fa --scores diff,embedding few.vcf | grep -q 'GW_EMB_COS=[0-9-]' || die "states of a fine-tuned model"
fails 1 "not of start sites" "$GODWIT" score -q -m promoter -f g.fa --sites tss.bed --scores embedding few.vcf
