# Models by name, and models of single bases with a stem: pretraining, labels and scores end to end.
. "$ROOT/tests/cli/lib.sh"

genome 1 60 >g.fa
stem=conv:5x64+res:3@1,2+pool:2+conv:3x128+res:3+attention+conv:1x64+unpool:2+conv:1x128
mkdir installed
"$GODWIT" pretrain -q -f g.fa -o installed/toy --size dna-tiny --stem "$stem" --length 64 --steps 3 --batch-tokens 256
grep -q '"model_type": "godwit"' installed/toy/config.json || die "transformers would read a stem"
grep -qF "\"stem\": \"$stem\"" installed/toy/config.json || die "the folder does not keep the stem"
printf '# A toy of random bases\nIt knows nothing.\n' >installed/toy/README.md

# By name; a folder that is there goes first.
export GODWIT_MODELS="$PWD/nowhere:$PWD/installed"
equal "$("$GODWIT" models | grep '^toy' | cut -f 1,3,4,6)" "toy	64	pretrain	A toy of random bases" list
equal "$("$GODWIT" models toy | tail -n 1)" "It knows nothing." card
cp -r installed/toy installed/a_broken_one && echo '{' >installed/a_broken_one/config.json
equal "$("$GODWIT" models 2>said | grep -c '^toy	')" 1 "models beside a broken one"
grep -q "a_broken_one is left out: .*/a_broken_one/config.json:2: not valid JSON" said || die "the broken one: $(cat said)"
rm -r installed/a_broken_one

# Models of one organism stand together, of these those of one question; others come last. The first half of a name says what there is.
mkdir -p grouped && for name in zoo-a zoo-b ant; do cp -r installed/toy grouped/$name; done
of() { printf -- '---\norganism: %s\nquestion: %s\nworth: %s\n---\n# A toy\n' "$@"; }
of Zoo promoters 'AUROC 0.7' >grouped/zoo-a/README.md
of Zoo expression 'Pearson 0.9' >grouped/zoo-b/README.md
of "$(printf 'Ant\tX')" splicing 'top-k 0.9' >grouped/ant/README.md
GODWIT_MODELS="$PWD/grouped:$PWD/installed" "$GODWIT" models | awk -F '\t' '$1 ~ /^(zoo|ant|toy)/ { print $1, $7, $8, $9 }' >found
printf '%s\n' "ant Ant X splicing top-k 0.9" "zoo-b Zoo expression Pearson 0.9" "zoo-a Zoo promoters AUROC 0.7" "toy   " >expected
same found expected
GODWIT_MODELS="$PWD/grouped" fails 1 "no model 'zoo' is installed, and there is no such folder; its models are: zoo-a (promoters), zoo-b (expression); \`godwit models NAME\`" \
    "$GODWIT" score -q -m zoo -f g.fa -o x.vcf in.vcf
rm -r grouped
# Control characters of cards, names and paths reach no terminal: not in lists, cards or messages.
escape=$(printf '\033[31m')
c1=$(printf '\302\233')
odd="odd$escape$c1"
cp -r installed/toy "installed/$odd"
printf -- '---\nlicense: mit\n---\n# Red%s\tTitle%s\nline\twith %s\r\n' "$escape" "$c1" "$escape" >"installed/$odd/README.md"
equal "$("$GODWIT" models | grep '^odd' | cut -f 1,6)" "$(printf 'odd\\033[31m\\302\\233\tRed\\033[31m\\011Title\\302\\233')" "a list with control characters"
equal "$("$GODWIT" models "$odd" | tail -n 1)" "$(printf 'line\twith \\033[31m\r')" "a card with control characters"
echo '{' >"installed/$odd/config.json"
"$GODWIT" models >out 2>said
"$GODWIT" models "no$odd" >>out 2>>said && die "a model of no name"
! LC_ALL=C grep -q "$(printf '\033')" out said || die "a control character: $(cat -v out said)"
rm -r "installed/$odd"
fails 1 "no model 'nobody' is installed; there are: " "$GODWIT" models nobody
fails 1 "toy" "$GODWIT" models nobody
"$GODWIT" mutate -q -f g.fa -r c1:1001-1003 -o in.vcf
"$GODWIT" score -q -m toy -f g.fa in.vcf -o named.vcf
"$GODWIT" score -q -m installed/toy -f g.fa in.vcf -o path.vcf
grep -v '^##' named.vcf >named
grep -v '^##' path.vcf >path
same named path
equal "$(grep -c 'GW_LLR=' named)" 9 "scored variants"
for command in "score -f g.fa in.vcf -o x.vcf" "convert -o x" "pretrain -f g.fa -o x" "eval -f g.fa"; do
    # shellcheck disable=SC2086 # a list of words
    fails 1 "no model 'tyo' is installed, and there is no such folder; there are: " "$GODWIT" $command -q -m tyo
    grep -q "; the nearest is 'toy'" fails.err || die "no nearest name: $(cat fails.err)"
    [ ! -e x ] || die "a folder was left"
done
(unset GODWIT_MODELS XDG_DATA_HOME && export HOME="$PWD" && cp "$GODWIT" alone && fails 1 "no model 'toy' is installed, and there is no such folder; no other is either" \
    ./alone embed -q -m toy -o x.npy g.fa)
mkdir toy
fails 1 toy/config.json "$GODWIT" score -q -m toy -f g.fa in.vcf -o x.vcf
rmdir toy

# The user's own folder is one of them; GODWIT_MODELS goes first.
mkdir -p data/godwit/models home/.local/share/godwit/models
cp -r installed/toy data/godwit/models/mine
cp -r installed/toy home/.local/share/godwit/models/home
own() { "$GODWIT" models | grep -c "^$1	"; }
equal "$(XDG_DATA_HOME="$PWD/data" own mine)" 1 XDG_DATA_HOME
equal "$(env -u XDG_DATA_HOME HOME="$PWD/home" "$GODWIT" models | grep -c '^home	')" 1 "the home folder"

# Labels from the mean of a sequence's rows: of the pretrained model, and of a fresh one.
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t1500\t1501\tb\t0\t-\nc1\t2000\t2001\tc\t0\t-\n' >tss.bed
"$GODWIT" promoters -q -f g.fa tss.bed --upstream 40 --downstream 20 -o set.tsv
"$GODWIT" finetune -q --task promoter -d set.tsv -m toy -o tuned --steps 2
"$GODWIT" finetune -q --task promoter -d set.tsv --from-scratch --size dna-tiny --stem res:3@1,2 --length 64 -o fresh --steps 2
for model in tuned fresh; do
    "$GODWIT" predict -q -m $model -d set.tsv -o $model.tsv
    equal "$(wc -l <$model.tsv)" "$(wc -l <set.tsv)" "predictions of $model"
done
"$GODWIT" finetune -q --task promoter -d set.tsv -m toy -o first --steps 1 --pooling first
grep -q '"pooling": "first"' first/config.json || die "the folder does not keep its pooling"
fails 1 "only models of single bases have a stem" "$GODWIT" pretrain -q -f g.fa -o bad --size tiny --stem res:3
fails 1 "found 4 taps, expected an odd number" "$GODWIT" pretrain -q -f g.fa -o bad --size dna-tiny --stem res:4

"$GODWIT" graph --stem res:9@1,2 --width 64 -o stem.svg >stem.tsv
equal "$(tail -n 1 stem.tsv)" "1	res	9	2	0	1	64	25" "graph --stem"
grep -q '<svg' stem.svg || die "no picture of the stem"
