# SPDX-License-Identifier: MIT
# Predictions of question sets by official figures, and what is wrong with their files.
. "$ROOT/tests/cli/lib.sh"

cat >set.json <<'END'
{"data": [{"paragraphs": [{"context": "Rollo led the Normans.", "qas": [
  {"id": "a", "question": "?", "answers": [{"text": "the Normans", "answer_start": 10}, {"text": "Normans", "answer_start": 14}]},
  {"id": "b", "question": "?", "answers": []},
  {"id": "c", "question": "?", "answers": [{"text": "Rollo of Normandy", "answer_start": 0}]}]}]}]}
END
echo '{"a": "normans!", "b": "", "c": "Rollo"}' >found.json
"$GODWIT" eval -d set.json --predictions found.json --metric squad >rated
printf 'metric\tvalue\nexact\t66.6666666666667\nf1\t83.3333333333333\ntotal\t3\nHasAns_exact\t50\nHasAns_f1\t75\nHasAns_total\t2\nNoAns_exact\t100\nNoAns_f1\t100\nNoAns_total\t1\n' >expected
same rated expected
gzip -c set.json >set.json.gz
"$GODWIT" eval -d set.json.gz --predictions found.json --metric squad >rated
same rated expected

# With the probabilities the threshold is found that turns c into a question without an answer: it does not pay.
echo '{"a": 0.1, "b": 0.9, "c": 0.5}' >none.json
"$GODWIT" eval -d set.json --predictions found.json --metric squad --no-answer none.json --no-answer-threshold 0.4 >rated
equal "$(sed -n 's/^f1	//p' rated)" 66.6666666666667 "F1 above the threshold"
equal "$(sed -n 's/^best_f1	//p' rated)" 83.3333333333333 "best F1"
equal "$(sed -n 's/^best_f1_thresh	//p' rated)" 0.5 "its threshold"

# A question without a prediction counts as wrong, and one of another set for nothing.
echo '{"a": "Normans", "b": "", "z": "Rollo"}' >few.json
"$GODWIT" eval -d set.json --predictions few.json --metric squad >rated 2>said
equal "$(sed -n 's/^HasAns_f1	//p' rated)" 50 "F1 without one prediction"
grep -q "1 of 3 questions have no prediction" said || die "a missing prediction is not said"
grep -q "1 predictions are for questions that the set lacks" said || die "another set is not said"

cat >hotpot.json <<'END'
[{"_id": "x", "answer": "yes", "supporting_facts": [["A", 0], ["B", 1]]},
 {"_id": "y", "answer": "Ed Wood", "supporting_facts": [["C", 2]]}]
END
echo '{"answer": {"x": "yes it is", "y": "Wood"}, "sp": {"x": [["A", 0], ["B", 1]], "y": [["C", 2], ["C", 2], ["D", 0]]}}' >sp.json
"$GODWIT" eval -d hotpot.json --predictions sp.json --metric hotpotqa >rated
equal "$(sed -n 's/^f1	//p' rated)" 0.333333333333333 "F1: yes is right or wrong as a whole"
equal "$(sed -n 's/^sp_em	//p' rated)" 0.5 "facts"
equal "$(sed -n 's/^joint_f1	//p' rated)" 0.25 "joint F1"

cat >nq.jsonl <<'END'
{"example_id": -7, "annotations": [{"long_answer": {"start_token": 0, "end_token": 9}, "short_answers": [{"start_token": 2, "end_token": 3}], "yes_no_answer": "NONE"}, {"long_answer": {"start_token": 0, "end_token": 9}, "short_answers": [], "yes_no_answer": "YES"}]}
{"example_id": 8, "annotations": [{"long_answer": {"start_token": -1, "end_token": -1}, "short_answers": [], "yes_no_answer": "NONE"}]}
END
cat >nq.json <<'END'
{"predictions": [
  {"example_id": 8, "long_answer": {"start_token": 1, "end_token": 2}, "long_answer_score": 1, "short_answers": [], "short_answers_score": 0},
  {"example_id": -7, "long_answer": {"start_token": 0, "end_token": 9}, "long_answer_score": 2, "short_answers": [], "short_answers_score": 1, "yes_no_answer": "yes"}]}
END
"$GODWIT" eval -d nq.jsonl --predictions nq.json --metric natural-questions >rated
equal "$(sed -n 's/^long-best-threshold-f1	//p' rated)" 1 "F1 above the best threshold"
equal "$(sed -n 's/^long-best-threshold	//p' rated)" 2 "threshold"
equal "$(sed -n 's/^long-answer-precision	//p' rated)" 0.5 "precision of all"
equal "$(sed -n 's/^short-answer-f1	//p' rated)" 1 "short answers"

echo '[{"id": "w", "answer": "Rome", "candidates": ["Rome", "rome"]}]' >hop.json
echo '{"w": "rome"}' >hopped.json
equal "$("$GODWIT" eval -d hop.json --predictions hopped.json --metric wikihop | sed -n 's/^accuracy	//p')" 0 "candidates letter for letter"

# Wrong usage, and wrong files.
fails 2 "needs the set" "$GODWIT" eval --predictions found.json --metric squad
fails 2 "without a model" "$GODWIT" eval -m none -d set.json --predictions found.json --metric squad
fails 2 "go with --predictions" "$GODWIT" eval -m none -d set.json --metric squad
echo '{"a": "x", "a": "y"}' >twice.json
echo '{"a": 7}' >number.json
head -c 300 set.json >cut.json
fails 1 "twice.json:1: not valid JSON: duplicate object key" "$GODWIT" eval -d set.json --predictions twice.json --metric squad
fails 1 "number.json: the answer to a is a whole number, expected text" "$GODWIT" eval -d set.json --predictions number.json --metric squad
fails 1 "cut.json:" "$GODWIT" eval -d cut.json --predictions found.json --metric squad
fails 1 'found.json: the set: "data" is missing, expected a list' "$GODWIT" eval -d found.json --predictions found.json --metric squad
fails 1 "none.json: question c is missing" sh -c 'echo "{\"a\": 0, \"b\": 1}" >none.json; "$0" eval -d set.json --predictions found.json --metric squad --no-answer none.json' "$GODWIT"
fails 1 "hotpot.json: expected a list" sh -c 'echo "{}" >hotpot.json; "$0" eval -d hotpot.json --predictions sp.json --metric hotpotqa' "$GODWIT"
fails 1 "there is no prediction for example 8" sh -c 'echo "{\"predictions\": [{\"example_id\": -7, \"long_answer_score\": 0, \"short_answers_score\": 0}]}" >nq.json; "$0" eval -d nq.jsonl --predictions nq.json --metric natural-questions' "$GODWIT"
fails 1 "nq.jsonl:1: not valid JSON" sh -c 'echo "{" >nq.jsonl; "$0" eval -d nq.jsonl --predictions nq.json --metric natural-questions' "$GODWIT"
echo "[]" >list.json
fails 1 "list.json: predictions are a list, expected an object" "$GODWIT" eval -d set.json --predictions list.json --metric squad
fails 1 "cannot open absent.json" "$GODWIT" eval -d set.json --predictions absent.json --metric squad
