# SPDX-License-Identifier: MIT
# Question sets of HotpotQA, Natural Questions, TriviaQA and WikiHop: finetune, predict and eval on small made ones, and what is wrong with them.
. "$ROOT/tests/cli/lib.sh"
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"

cat >config.json <<'END'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2,
 "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 128, "attention_type": "original_full"}
END
finetune() { "$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task qa --lr 2e-3 --dropout 0 --patience 0 --batch 16 -@ 1 "$@"; }
figure() { sed -n "s/^$2	//p" "$1"; }
above() { awk -v found="$1" -v least="$2" 'BEGIN { exit !(found > least) }' || die "$3: found $1, expected above $2"; }
# make_set KIND COUNT SEED: the answer is the colour in a text, or whether there is one.
make_set() {
    awk -v kind="$1" -v count="$2" -v from="$3" "$DRAW"'
    function words(n, at, colour,   s, j) {
        s = ""
        for (j = 0; j < n; j++) s = s (j == at ? colour : w[1 + draw(9)]) " "
        return s
    }
    function hotpotqa(   where, p, s, said, colour) {
        where = draw(4); said = draw(10) < 3; colour = c[1 + draw(3)]
        printf "%s{\"_id\": \"q%d\", \"question\": \"%s\", \"answer\": \"%s\", \"supporting_facts\": [[\"T%d\", %d]], \"context\": [",
            i ? ",\n " : "[", i, said ? "is " colour " there?" : "which colour?", said ? "yes" : colour, int(where / 2), where % 2
        for (p = 0; p < 2; p++) {
            printf "%s[\"T%d\", [", p ? ", " : "", p
            for (s = 0; s < 2; s++) printf "%s\"%s\"", s ? ", " : "", words(4, where == 2 * p + s ? draw(4) : -1, colour)
            printf "]]"
        }
        printf "]}"
    }
    function natural(   where, p, n, colour, none, said, at, begin, end, text, list, word, long_answer) {
        where = draw(3); colour = c[1 + draw(3)]; none = draw(10) < 3; said = !none && draw(10) < 3
        text = "<H1> page </H1>"; n = 3; list = ""; long_answer = "{\"start_token\": -1, \"end_token\": -1}"; word = ""
        for (p = 0; p < 3; p++) {
            at = draw(4)
            text = text " <P> " words(4, where == p && !none ? at : -1, colour) "</P>"
            begin = n; end = n + 6
            list = list (p ? ", " : "") sprintf("{\"start_token\": %d, \"end_token\": %d, \"top_level\": true}", begin, end)
            if (where == p && !none) {
                long_answer = sprintf("{\"start_token\": %d, \"end_token\": %d}", begin, end)
                if (!said) word = sprintf("{\"start_token\": %d, \"end_token\": %d}", begin + 1 + at, begin + 2 + at)
            }
            n = end
        }
        word = "{\"long_answer\": " long_answer ", \"short_answers\": [" word "], \"yes_no_answer\": \"" (said ? "YES" : "NONE") "\"}"
        printf "{\"example_id\": %d, \"question_text\": \"%s\", \"document_text\": \"%s\", \"long_answer_candidates\": [%s], \"annotations\": [%s, %s]}\n",
            i - 3, said ? "is a colour there?" : "which colour?", text, list, word, word
    }
    function trivia(   colour, d, other) {
        colour = c[1 + draw(3)]; other = draw(2)
        printf "%s{\"QuestionId\": \"q%d\", \"Question\": \"which colour?\", \"Answer\": {\"Value\": \"%s\", \"NormalizedAliases\": [\"%s\"], \"Aliases\": [\"%s\"]}, \"EntityPages\": [{\"Filename\": \"%d_0.txt\"}, {\"Filename\": \"%d_1.txt\"}]}",
            i ? ",\n " : "{\"Domain\": \"Wikipedia\", \"VerifiedEval\": false, \"Data\": [\n ", i, toupper(colour), colour, colour, from + i, from + i
        for (d = 0; d < 2; d++) print words(30 * d + 10, other == d ? draw(10 + 30 * d) : -1, colour) >("evidence/wikipedia/" (from + i) "_" d ".txt")
    }
    function wikihop(   colour) {
        colour = draw(3)
        printf "%s{\"id\": \"q%d\", \"query\": \"which_colour\", \"answer\": \"%s\", \"candidates\": [\"red\", \"green\", \"blue\"], \"supports\": [\"%s\", \"%s\"]}",
            i ? ",\n " : "[", i, c[1 + colour], words(5, -1), words(5, draw(5), c[1 + colour])
    }
    BEGIN {
        seed = from; split("the cells divide genes are small words read twice", w, " "); split("red green blue", c, " ")
        for (i = 0; i < count; i++) {
            if (kind == "hotpotqa") hotpotqa()
            if (kind == "natural-questions") natural()
            if (kind == "triviaqa") trivia()
            if (kind == "wikihop") wikihop()
        }
        if (kind == "hotpotqa" || kind == "wikihop") print "]"
        if (kind == "triviaqa") print "]}"
    }'
}
# learn KIND EPOCHS FIGURE LEAST: trained, rated by eval, and predictions are rated the same.
learn() {
    make_set "$1" 400 1000 >"$1.train"
    make_set "$1" 50 2000 >"$1.valid"
    finetune -d "$1.train" --valid "$1.valid" -o "$1" --epochs "$2"
    "$GODWIT" eval -q -m "$1" -d "$1.valid" >figures
    above "$(figure figures "$3")" "$4" "$3 of $1"
    "$GODWIT" predict -q -m "$1" -d "$1.valid" --predictions found.json -o table
    "$GODWIT" eval -d "$1.valid" --predictions found.json --metric "$1" >rated 2>said
    same rated figures
    [ ! -s said ] || die "said of $1: $(cat said)"
}
mkdir -p evidence/wikipedia

learn hotpotqa 40 f1 0.5
above "$(figure figures sp_f1)" 0.2 "F1 of supporting facts"
grep -q '"valid_exact"' hotpotqa/metrics.jsonl || die "no exact answers in the metrics"
grep -q '"2": "span"' hotpotqa/config.json || die "the columns have no names: $(cat hotpotqa/config.json)"
awk -F'\t' '$7 == "yes" && $5 == "." { found = 1 } END { exit !found }' table || die "nothing is answered by yes: $(head -5 table)"
"$GODWIT" predict -q -m hotpotqa -d hotpotqa.valid --support-threshold 1e6 --predictions none.json -o table
equal "$(grep -c '"T[01]"' none.json || true)" 0 "facts above a threshold that nothing reaches"
"$GODWIT" ask --quiet -m hotpotqa -q "which colour?" - <<'END' >asked
the cells red genes
END
equal "$(wc -l <asked)" 2 "an answer to one question"

learn natural-questions 24 short-best-threshold-f1 0.5
above "$(figure figures long-best-threshold-f1)" 0.25 "F1 of long answers"
grep -q '"yes_no_answer": "YES"' found.json || die "nothing is answered by yes"
# The original form has the same tokens in objects.
awk '{
    match($0, /"document_text": "[^"]*"/); n = split(substr($0, RSTART + 18, RLENGTH - 19), t, " "); s = ""
    for (i = 1; i <= n; i++) s = s (i > 1 ? ", " : "") "{\"token\": \"" t[i] "\", \"start_byte\": " 10 * i ", \"end_byte\": " 10 * i + 5 ", \"html_token\": " (t[i] ~ /^</ ? "true" : "false") "}"
    print substr($0, 1, RSTART - 1) "\"document_tokens\": [" s "], \"document_html\": \"<p>\"" substr($0, RSTART + RLENGTH)
}' natural-questions.valid | gzip >original.jsonl.gz
"$GODWIT" predict -q -m natural-questions -d original.jsonl.gz --predictions original.json -o table
same original.json found.json

learn triviaqa 8 f1 50
"$GODWIT" predict -q -m triviaqa -d triviaqa.valid --max-length 40 --predictions windows.json -o table
equal "$(wc -l <windows.json)" 52 "answers over windows of two documents"
# Of the web each document is asked alone; documents lie in a folder that is said.
sed 's/Wikipedia/Web/' triviaqa.valid >web.json
mkdir moved && cp -r evidence moved/pages
"$GODWIT" predict -m triviaqa -d web.json --evidence moved/pages --predictions found.json -o table 2>said
grep -q "web.json: 50 answers are not in their contexts" said || die "documents without the answer are not said"
"$GODWIT" eval -d web.json --predictions found.json --metric triviaqa >rated 2>said
equal "$(figure rated denominator)" 100 "documents of the web"
[ ! -s said ] || die "said of the web: $(cat said)"

learn wikihop 16 accuracy 75
cut -f7 table | sed 1d | sort -u | tr '\n' ' ' >candidates
equal "$(cat candidates)" "blue green red " "candidates in the table"

# Windows of a context, of which one alone holds the answer, and questions without one.
"$GODWIT" finetune -q -m hotpotqa --task qa -d hotpotqa.train -o more --epochs 1 --max-length 40 --drop-windows 0.9 --lr 1e-5 -@ 1
"$GODWIT" predict -q -m more -d hotpotqa.valid --max-length 40 --predictions found.json -o table
"$GODWIT" eval -d hotpotqa.valid --predictions found.json --metric hotpotqa >rated

# Presets have BigBird's global tokens at the start, where nothing else is said, and leave other attention as it is.
sed 's/"original_full"/"block_sparse", "block_size": 8, "num_random_blocks": 1/' config.json >sparse.json
preset() { config=$1 && shift && "$GODWIT" finetune -q --from-scratch -c "$config" -t "$vocabulary" --task qa --max-length 128 --batch 2 --steps 1 -@ 1 -d hotpotqa.valid "$@"; }
pattern() { sed -n 's/.*"pattern": "\([^"]*\)".*/\1/p' "$1/config.json"; }
preset sparse.json --preset hotpotqa -o at_start
equal "$(pattern at_start)" "itc+global:2@start+random:1+block:8" "the preset's pattern"
preset sparse.json --preset hotpotqa -p itc+random:1+block:8 -o at_ends
equal "$(pattern at_ends)" "itc+random:1+block:8" "a pattern that is given"
preset sparse.json -o without
equal "$(pattern without)" "itc+random:1+block:8" "the pattern without a preset"
preset config.json --preset hotpotqa -o full
equal "$(pattern full)" "full" "the pattern of full attention"
"$GODWIT" finetune -q -m without --task qa --max-length 128 --batch 2 --steps 1 -@ 1 -d hotpotqa.valid --preset hotpotqa -o moved
equal "$(pattern moved)" "itc+global:2@start+random:1+block:8" "the preset's pattern of a model"
"$GODWIT" finetune -q -m without --task qa --max-length 128 --batch 2 --steps 1 -@ 1 -d hotpotqa.valid --preset hotpotqa --attention seeded -o kept
equal "$(pattern kept)" "itc+random:1+block:8" "attention that is given"

# TriviaQA's loss is the sum of both ends': 2 ln N before anything is learnt, where one of N tokens is right.
echo "a b c red d e f" >evidence/wikipedia/single.txt
echo '{"Domain": "Wikipedia", "VerifiedEval": false, "Data": [{"QuestionId": "q", "Question": "which?", "Answer": {"Value": "red",
 "NormalizedAliases": ["red"], "Aliases": ["red"]}, "EntityPages": [{"Filename": "single.txt"}]}]}' >single.json
finetune -d single.json -o single --steps 1 --max-length 128
sed -n 's/.*"loss":\([0-9.]*\).*"tokens":\([0-9]*\),.*/\1 \2/p' single/metrics.jsonl | awk '
    { wanted = 2 * log($2); if ($1 < 0.9 * wanted || $1 > 1.1 * wanted) exit 1; found = 1 } END { exit !found }' || die "loss: $(cat single/metrics.jsonl)"

# Answers and documents that are nowhere, ids that stand twice, empty contexts: said, and all questions answered.
cat >odd.json <<'END'
[{"_id": 5, "question": "which colour?", "answer": "violet", "supporting_facts": [["T", 9]], "context": [["T", ["the red cells "]]]},
 {"_id": "b", "question": "which colour?", "context": []},
 {"_id": "b", "question": "which colour?", "answer": "red", "supporting_facts": [["T", 0]], "context": [["T", ["", "the red cells "]]]}]
END
"$GODWIT" predict -m hotpotqa -d odd.json --predictions found.json -o table 2>said
grep -q "odd.json: 1 answers are not in their contexts" said || die "an answer that is nowhere is not said: $(cat said)"
grep -q "odd.json: 1 questions have the id of an earlier one" said || die "an id that stands twice is not said"
grep -q "odd.json: 1 questions have a context without words" said || die "an empty context is not said"
grep -q '"5": ' found.json || die "the id 5 is not there: $(cat found.json)"
equal "$(wc -l <table)" 4 "lines of an odd set"
cat >odd.json <<'END'
[{"id": "a", "query": "which_colour", "answer": "violet", "candidates": ["red", "blue"], "supports": []},
 {"id": "c", "query": "which_colour", "candidates": ["red"], "supports": ["the red cells"]}]
END
"$GODWIT" predict -m wikihop -d odd.json --predictions found.json -o table 2>said
grep -q '"a": "\(red\|blue\)"' found.json || die "the question without supports is lost: $(cat found.json)"
# Lines of ten megabytes.
awk 'BEGIN { printf "{\"example_id\": 1, \"question_text\": \"which colour?\", \"long_answer_candidates\": [], \"document_text\": \"the red cells\", \"x\": \""
    for (i = 0; i < 1000000; i++) printf "0123456789"; print "\"}" }' >wide.jsonl
"$GODWIT" predict -q -m natural-questions -d wide.jsonl --predictions found.json -o table
grep -q '"example_id": 1,' found.json || die "the question of a wide line is lost"

# What is wrong in a set, or with a model.
bad() { printf '%s\n' "$3" >bad.json && fails 1 "$2" "$GODWIT" predict -q -m "$1" -d bad.json; }
bad hotpotqa 'bad.json: question a: "context" is not a list of pairs of a title and a list of sentences' '[{"_id": "a", "question": "?", "context": [["T"]]}]'
bad hotpotqa 'bad.json: question a: the field "context" is missing' '[{"_id": "a", "question": "?"}]'
bad wikihop 'bad.json: question a: it has no candidates' '[{"id": "a", "query": "?", "supports": ["x"], "candidates": []}]'
bad wikihop 'question a, its candidates and special tokens take' "[{\"id\": \"a\", \"query\": \"?\", \"supports\": [\"x\"], \"candidates\": [\"$(awk 'BEGIN { for (i = 0; i < 300; i++) printf "red " }')\"]}]"
bad triviaqa 'bad.json: question a: there is no document wikipedia/none.txt in a folder "evidence" beside the set or above it (--evidence)' \
    '{"Domain": "Wikipedia", "Data": [{"QuestionId": "a", "Question": "?", "EntityPages": [{"Filename": "none.txt"}]}]}'
# Documents lie below the evidence folder, whatever a set calls them; links may lead from one place in it to another.
document() { printf '{"Domain": "Wikipedia", "Data": [{"QuestionId": "a", "Question": "?", "EntityPages": [{"Filename": "%s"}]}]}' "$1"; }
mkdir -p evidence/wikipedia/sub && echo secret >evidence/secret.txt
ln -s ../secret.txt evidence/wikipedia/out.txt
ln -s .. evidence/wikipedia/up
ln -s ../single.txt evidence/wikipedia/sub/in.txt
for name in ../secret.txt sub/../../secret.txt "$PWD/evidence/secret.txt" out.txt up/secret.txt; do
    bad triviaqa "bad.json: question a: the document wikipedia/$name lies outside of the evidence folder" "$(document "$name")"
done
document sub/in.txt >linked.json
"$GODWIT" predict -q -m triviaqa -d linked.json >/dev/null
bad triviaqa 'bad.json: the field "Domain" is missing' '{"Data": []}'
bad natural-questions 'bad.json:2: not valid JSON' '{"example_id": 1, "question_text": "?", "document_text": "x", "long_answer_candidates": []}
{'
bad natural-questions 'bad.json: question 1: the field "document_text" is missing' '{"example_id": 1, "question_text": "?", "long_answer_candidates": []}'
printf 'caf\351\n' >evidence/wikipedia/latin.txt
bad triviaqa 'latin.txt is not UTF-8 text' '{"Domain": "Wikipedia", "Data": [{"QuestionId": "a", "Question": "?", "EntityPages": [{"Filename": "latin.txt"}]}]}'
fails 1 "hotpotqa.valid is a set in the layout of hotpotqa, and the model's head was trained for another" "$GODWIT" predict -q -m wikihop -d hotpotqa.valid
fails 1 "hotpotqa.train is a set in the layout of hotpotqa, and wikihop.train in that of wikihop" finetune -d hotpotqa.train -d wikihop.train -o never
fails 1 "hotpotqa.train is a set in the layout of hotpotqa, and wikihop.valid in that of wikihop" finetune -d hotpotqa.train --valid wikihop.valid -o never
fails 1 "does not answer questions" "$GODWIT" ask -m wikihop -q "?" evidence/wikipedia/2000_0.txt
fails 1 "texts of 4096 tokens: the model has 128 positions" finetune --preset hotpotqa -d hotpotqa.train -o never
fails 2 "--preset hotpotqa goes with --task qa" "$GODWIT" finetune -m wikihop --task classify --preset hotpotqa -d table -o never
[ ! -e never ] || die "a run that failed left a folder"
