# Files of another kind than what a command reads: each message says what the file looks like, and what reads it.
. "$ROOT/tests/cli/lib.sh"
prepared small
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"

printf 'The cells divide, and then they rest.\nGenes are read twice.\n' >plain.txt
cat >squad.json <<'E'
{"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": "Rome is old.", "qas": [{"id": "a", "question": "What is old?", "answers": [{"text": "Rome", "answer_start": 0}]}]}]}]}
E
printf '{\n "data": []\n}\n' >written.json
printf 'text\tlabel\nfine\ta\ngood\tb\n' >texts.tsv
"$GODWIT" finetune -q --from-scratch -c config.json -t "$vocabulary" --task classify -d texts.tsv -o classes --steps 1 -@ 1

# refused TEXT COMMAND...: as a file of no use to it.
refused() {
    looks=$1
    shift
    fails 1 "$looks" "$GODWIT" "$@"
}
for file in g.fa plain.txt squad.json written.json; do
    case $file in
    *.fa) looks="$file looks like FASTA, expected a table" ;;
    *.txt) looks="$file looks like plain text, expected a table" ;;
    squad*) looks="$file looks like SQuAD's JSON, expected a table" ;;
    *) looks="$file looks like a document of JSON, expected a table" ;;
    esac
    refused "$looks" finetune -q -m model --task promoter -d $file -o x
    refused "$looks" finetune -q --from-scratch -c config.json -t "$vocabulary" --task classify -d $file -o x
    refused "$looks" finetune -q -m model --task promoter -d set.tsv --valid $file -o x
    refused "$looks" predict -q -m promoter -d $file
    refused "$looks" predict -q -m classes -d $file
    refused "$looks" eval -q -m promoter -d $file
    refused "$looks" eval -q -m classes -d $file
done
grep -q "predict -f" fails.err && die "advice of FASTA for JSON: $(cat fails.err)"
refused "predict -f SEQUENCES.fa" predict -q -m promoter -d g.fa
refused "plain.txt looks like plain text" encode -q -m "$vocabulary" --text text plain.txt
refused "squad.json looks like SQuAD's JSON, expected sentences" encode -q -m "$vocabulary" squad.json
refused "squad.json looks like SQuAD's JSON, expected sentences" bpe -q --byte-level -v 300 -o x.json squad.json
refused "in.vcf looks like VCF, expected a table" predict -q -m promoter -d in.vcf

# What the advice says works.
cp plain.txt lines.tsv
equal "$("$GODWIT" predict -q -m classes -d lines.tsv --headless --text 1 | wc -l | tr -d ' ')" 3 "lines of text as a table"
