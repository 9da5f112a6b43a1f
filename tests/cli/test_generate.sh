# godwit generate: the tokens of transformers' generate() for a model that it saved, and what is refused.
. "$ROOT/tests/cli/lib.sh"

data="$ROOT/tests/data/generate"
generate() { "$GODWIT" generate -q -m "$data" --ids --attention hf-eval "$@"; }

# A line of options, then as many lines of tokens as there are texts.
texts=$(wc -l <"$data/texts.txt" | tr -d ' ')
grep -n '^options' "$data/expected.txt" | while IFS=: read -r line options; do
    sed -n "$((line + 1)),$((line + texts))p" "$data/expected.txt" >expected
    # shellcheck disable=SC2086 # a list of options
    generate ${options#options} "$data/texts.txt" >found
    same found expected
    # shellcheck disable=SC2086
    generate --batch 3 -@ 2 ${options#options} <"$data/texts.txt" >found
    same found expected
done

# Google's rule, sampling: other texts, the same by the same seed and whatever the batch.
generate --rule google -b 3 --max-length 12 "$data/texts.txt" >by_google
equal "$(wc -l <by_google | tr -d ' ')" "$texts" "lines by google's rule"
generate --sample --temperature 1.5 --top-p 0.9 --seed 3 --max-length 12 "$data/texts.txt" >drawn
generate --sample --temperature 1.5 --top-p 0.9 --seed 3 --max-length 12 --batch 1 "$data/texts.txt" >again
same again drawn
generate --sample --temperature 1.5 --top-p 0.9 --seed 4 --max-length 12 "$data/texts.txt" >other
cmp -s drawn other && die "another seed draws the same"
generate --sample --top-p 0.000001 --max-length 12 "$data/texts.txt" >likeliest
generate -b 1 --max-length 12 "$data/texts.txt" >greedy
same likeliest greedy

# JSON objects out, with score and number of tokens.
generate -b 1 --max-length 12 -O jsonl "$data/texts.txt" >out.jsonl
equal "$(sed -n 's/.*"text":"\([^"]*\)".*/\1/p' out.jsonl)" "$(cat greedy)" "texts of JSON objects"

# On standard output the first texts can be read while later ones wait; a file is whole or not there.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat "$data/texts.txt"; done >many.txt
long() { ${background:+exec} "$GODWIT" generate -q -m "$data" --ids -b 5 --max-length 96 --min-length 90 --batch 1 -@ 1 "$@" many.txt; }
long >all
start long >part
await [ -s part ]
kill -TERM "$run"
wait "$run" || true
count=$(wc -l <part)
[ "$count" -lt "$(wc -l <all)" ] || die "everything was written at once"
head -n "$count" all >begin
same part begin
begun() { ls file.txt.tmp.* >/dev/null 2>&1; }
start long -o file.txt
await begun
kill -TERM "$run"
wait "$run" || true
for left in file.txt*; do [ ! -e "$left" ] || die "a stopped run left $left"; done

# Memory is stated.
"$GODWIT" generate -m "$data" --ids -b 2 --max-length 12 "$data/texts.txt" 2>notes >found
grep -q "keys and values of 8 texts at a time take" notes || die "no note of memory: $(cat notes)"
grep -q "tokens a second" notes || die "no rate: $(cat notes)"

printf '3 4\n\n5\n' >empty.txt
fails 1 "empty.txt:2: the text is empty" generate empty.txt
echo "3 x" >word.txt
fails 1 "word.txt:1: 'x' is not a token, expected 0 to 39" generate word.txt
yes 3 | head -97 | tr '\n' ' ' >long.txt
fails 1 "long.txt:1: the text has 97 tokens, the model's positions hold 96 (--truncate cuts it)" generate long.txt
generate -b 1 --max-length 4 --truncate long.txt >found
equal "$(wc -w <found | tr -d ' ')" 3 "tokens of a text that was cut"
fails 1 "a target of 97 tokens; the model has 96 positions" generate --max-length 97 "$data/texts.txt"

printf '4 5 6\n4 5\0 6\n' >zero.txt
fails 1 "zero.txt:2: byte 4 of the line is zero" "$GODWIT" generate -q -m "$data" --ids --attention hf-eval zero.txt
