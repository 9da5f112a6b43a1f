# Questions: finetune --task qa on sets in SQuAD's layout, predict, eval and ask of their models, and what is wrong.
. "$ROOT/tests/cli/lib.sh"
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"

cat >config.json <<'E2'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 64, "attention_type": "original_full"}
E2
# set_of COUNT SEED SHARE LENGTH: the answer is the colour in the text, which a SHARE of a hundred texts lack.
set_of() {
    awk -v count="$1" -v from="$2" -v without="$3" -v length_of="$4" "$DRAW"'BEGIN {
        seed = from; split("the cells divide genes are small words read twice", w, " "); split("red green blue", c, " ")
        printf "{\"version\": \"%s\", \"data\": [{\"title\": \"t\", \"paragraphs\": [", without ? "v2.0" : "1.1"
        for (i = 0; i < count; i++) {
            n = 2 + draw(length_of); at = draw(n); at = at ? at : 1; colour = draw(100) < without ? "" : c[1 + draw(3)]; s = ""; start = -1
            for (j = 0; j < n; j++) {
                if (j == at && colour != "") { start = length(s); s = s colour " " }
                s = s w[1 + draw(9)] " "
            }
            printf "%s{\"context\": \"%s\", \"qas\": [{\"id\": \"q%d\", \"question\": \"which colour?\", \"answers\": [%s]}]}",
                i ? ", " : "", s, i, start < 0 ? "" : "{\"text\": \"" colour "\", \"answer_start\": " start "}"
        }
        print "]}]}"
    }'
}
finetune() { "$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task qa --lr 5e-3 -@ 1 "$@"; }
figure() { sed -n "s/^$2	//p" "$1"; }
above() { awk -v found="$1" -v least="$2" 'BEGIN { exit !(found > least) }' || die "$3: found $1, expected above $2"; }

# SQuAD 1.1: learnt on short contexts, and told in windows over long ones; eval is the script's figures of predict's answers.
set_of 500 1 0 8 >train.json
set_of 60 2 0 8 >valid.json
set_of 20 3 0 200 >long.json
finetune -d train.json --valid valid.json -o colours --epochs 20
"$GODWIT" eval -q -m colours -d valid.json >figures
above "$(figure figures f1)" 90 "F1"
grep -q '"valid_exact"' colours/metrics.jsonl || die "no exact answers in the metrics"
"$GODWIT" predict -q -m colours -d long.json --predictions found.json -o long.tsv
"$GODWIT" eval -q -d long.json --predictions found.json --metric squad >rated
"$GODWIT" eval -q -m colours -d long.json >figures
same rated figures
above "$(figure figures f1)" 40 "F1 of long contexts"
equal "$(wc -l <long.tsv)" 21 "lines"
equal "$(sed 1q long.tsv)" "id	rank	score	no_answer	begin	end	answer" "heading"
# The answer stands in the context at its characters.
context=$(grep -o '"context": "[^"]*"' long.json | sed '1{s/"context": "//;s/"$//;q}')
place=$(sed -n 2p long.tsv | cut -f5) end=$(sed -n 2p long.tsv | cut -f6)
equal "$(printf %s "$context" | cut -c$((place + 1))-"$end")" "$(sed -n 2p long.tsv | cut -f7)" "place"
"$GODWIT" predict -q -m colours -d long.json --n-best 3 -O jsonl -o long.jsonl
equal "$(grep -c '"rank":3' long.jsonl)" 20 "third answers"

# SQuAD 2.0: questions without an answer, by the logits of none or above a threshold.
set_of 500 4 40 8 >train2.json
set_of 60 5 40 8 >valid2.json
finetune -d train2.json --valid valid2.json -o maybe --epochs 20
"$GODWIT" eval -q -m maybe -d valid2.json >figures
above "$(figure figures f1)" 85 "F1 of 2.0"
"$GODWIT" predict -q -m maybe -d valid2.json --predictions found --no-answer none -o table
"$GODWIT" eval -q -d valid2.json --predictions found --metric squad >rated
equal "$(figure rated f1)" "$(figure figures f1)" "F1 of what was predicted"
grep -q "	\.	\.	\.$" table || die "no question without an answer in the table"
"$GODWIT" predict -q -m maybe -d valid2.json --no-answer-threshold 1e6 --predictions found -o table
equal "$(grep -c ': ""' found || true)" 0 "answers at a threshold that nothing reaches"
"$GODWIT" eval -q -d valid2.json --predictions found --metric squad --no-answer none --no-answer-threshold 0 >rated
same rated figures

# A head that answers questions already goes on.
"$GODWIT" finetune -q -m colours --task qa -d train.json --valid valid.json -o more --epochs 1 --lr 1e-6 -@ 1
"$GODWIT" eval -q -m more -d valid.json >figures
above "$(figure figures f1)" 90 "F1 of a head that goes on"

# Ids that are numbers, answers that stand elsewhere or nowhere, an id twice, an empty context.
cat >odd.json <<'E2'
{"data": [{"paragraphs": [
  {"context": "  ", "qas": [{"id": "empty", "question": "which colour?", "answers": []}]},
  {"context": "the red genes divide", "qas": [
    {"id": 7, "question": "which colour?", "answers": [{"text": "red", "answer_start": 900}]},
    {"id": "b", "question": "which colour?", "answers": [{"text": "violet", "answer_start": 0}]},
    {"id": "b", "question": "which colour?", "answers": [{"text": "red ", "answer_start": 4}]}]}]}]}
E2
"$GODWIT" predict -m colours -d odd.json --predictions found -o table 2>said
equal "$(wc -l <table)" 5 "lines of an odd set"
grep -q '"7": "red"' found || die "the id 7 is not there: $(cat found)"
grep -q '"empty": ""' found || die "the empty context is not there: $(cat found)"
grep -q "odd.json: 1 answers are not at their stated positions" said || die "a moved answer is not said"
grep -q "odd.json: 1 answers are not in their contexts" said || die "a lost answer is not said"
grep -q "odd.json: 1 questions have the id of an earlier one" said || die "an id that stands twice is not said"
grep -q "odd.json: 1 questions have a context without words" said || die "an empty context is not said"
"$GODWIT" eval -q -m colours -d odd.json >figures
equal "$(figure figures total)" 3 "questions of an odd set"

# A line of ten megabytes, and a word of as many.
awk 'BEGIN { printf "{\"data\": [{\"paragraphs\": [{\"context\": \""; for (i = 0; i < 20000; i++) printf "the cells "
    printf "red\", \"qas\": [{\"id\": \"a\", \"question\": \"which colour?\"}]}], \"more\": \""
    for (i = 0; i < 1000000; i++) printf "0123456789"; print "\"}]}" }' >wide.json
"$GODWIT" predict -q -m colours -d wide.json --n-best 2 -o table
equal "$(wc -l <table)" 3 "lines of a wide set"

# One question over texts: the span's line and column, the same span as of a set, standard input, several questions.
printf 'the cells\r\nna\303\257ve red genes\nare small\n' >text.txt
"$GODWIT" ask --quiet -m colours -q "which colour?" text.txt >asked
equal "$(cut -f1-3,6 asked | sed 1d)" "text.txt	2	7	red" "answer"
gzip -c text.txt >text.txt.gz
"$GODWIT" ask --quiet -m colours -q "which colour?" <text.txt | sed 's/^-/text.txt/' >piped
same asked piped
"$GODWIT" ask --quiet -m colours -q "which colour?" -q "colour?" -n 2 text.txt.gz text.txt >asked
equal "$(wc -l <asked)" 9 "two answers to two questions of two texts"
equal "$(cut -f 1-3 asked | sed -n '1p;2p;4p' | tr '\t\n' ' |')" "text question line|text.txt.gz which colour? 2|text.txt.gz colour? 2|" "whose answers these are"
equal "$("$GODWIT" ask --quiet -m colours -q "colour?" --no-answer-threshold -1e6 text.txt | cut -f2-3,6 | sed 1d)" ".	.	." "none"
printf '\377\n' >latin.txt
: >nothing.txt
fails 1 "latin.txt:1: not UTF-8" "$GODWIT" ask -m colours -q "?" latin.txt
fails 1 "nothing.txt is empty" "$GODWIT" ask -m colours -q "?" nothing.txt
fails 1 "cannot open absent.txt" "$GODWIT" ask -m colours -q "?" absent.txt
fails 2 "this option is required: -q TEXT" "$GODWIT" ask -m colours text.txt

# Wrong usage, and wrong sets.
bad() { printf '%s\n' "$2" >bad.json && fails 1 "$1" "$GODWIT" predict -q -m colours -d bad.json; }
bad 'bad.json: the field "context" is missing' '{"data": [{"paragraphs": [{"qas": []}]}]}'
bad 'bad.json: the field "paragraphs" is missing' '{"data": [{}]}'
bad 'bad.json: there is no question in it' '{"data": []}'
bad 'bad.json: question a: the field "question" is missing' '{"data": [{"paragraphs": [{"context": "x", "qas": [{"id": "a"}]}]}]}'
bad 'bad.json: question a: "answer_start" is "0", expected a whole number' '{"data": [{"paragraphs": [{"context": "x", "qas": [{"id": "a", "question": "?", "answers": [{"text": "x", "answer_start": "0"}]}]}]}]}'
bad 'bad.json:2: not valid JSON' '{"data": ['
bad 'no question has a context with a word' '{"data": [{"paragraphs": [{"context": " ", "qas": [{"id": "a", "question": "?"}]}]}]}'
fails 1 "longer windows or a shorter --max-question" "$GODWIT" predict -q -m colours -d valid.json --max-length 8 --max-question 8
fails 1 "no window holds an answer" finetune -d wide.json -o never
fails 2 "--stride goes with --task qa" "$GODWIT" finetune -m colours --task classify -d train.json -o never --stride 5
fails 2 "--label goes with --task classify, match, token" finetune -d train.json -o never --label x
fails 2 "--metric accuracy is not one of --task qa" finetune -d train.json -o never --metric accuracy
