# godwit embed: tiles and their table, pools, strands, sources, batches, and what is refused.
. "$ROOT/tests/cli/lib.sh"

genome 2 10 >g.fa
cat >config.json <<'E'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 2,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "attention_type": "original_full",
 "vocab_size": 16}
E
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" bpe -q -v 10 -o tok.json corpus.txt
"$GODWIT" encode -q -m tok.json -o sh corpus.txt
"$GODWIT" pretrain -q -d sh -o model -c config.json --steps 2 --batch-tokens 512 -@ 1

# embed OUTPUT ARGUMENTS...
embed() {
    out=$1
    shift
    "$GODWIT" embed -q -m model -o "$out" "$@"
}
shape() { head -c 128 "$1" | LC_ALL=C sed "s/.*'shape': (\([^)]*\)).*/\1/;q"; }
# The values of row R (0-based) of an array that is 16 wide.
row() { tail -c +$((129 + $2 * 64)) "$1" | head -c 64 >"$3"; }

# One base a token: 62 to a tile, which begin every 52 tokens; the last one ends with the sequence.
embed whole.npy --overlap 10 g.fa
equal "$(shape whole.npy)" "20, 16" "shape"
equal "$(wc -c <whole.npy | tr -d ' ')" $((128 + 20 * 64)) "bytes"
equal "$(wc -l <whole.rows.tsv | tr -d ' ')" 21 "lines of the table"
equal "$(sed -n 1p whole.rows.tsv | tr '\t' ' ')" "name contig begin end strand tile first_token end_token" header
equal "$(sed -n 2p whole.rows.tsv | tr '\t' ' ')" "c1 c1 0 62 + 0 0 62" "first tile"
equal "$(sed -n 3p whole.rows.tsv | tr '\t' ' ')" "c1 c1 52 114 + 1 52 114" "second tile"
equal "$(sed -n 11p whole.rows.tsv | tr '\t' ' ')" "c1 c1 468 500 + 9 468 500" "last tile"
equal "$(sed -n 12p whole.rows.tsv | tr '\t' ' ')" "c2 c2 0 62 + 0 0 62" "second sequence"

# The same bases from a genome, region by region; named by column 4 or by their place.
printf 'c1\t0\t62\tfirst\nc1\t52\t114\nc1\t468\t500\n' >tiles.bed
embed tiles.npy -f g.fa -R tiles.bed
row whole.npy 1 expected && row tiles.npy 1 found && same found expected
row whole.npy 9 expected && row tiles.npy 2 found && same found expected
equal "$(cut -f 1-5 tiles.rows.tsv | sed 1d | tr '\t\n' ' |')" "first c1 0 62 .|c1:53-114 c1 52 114 .|c1:469-500 c1 468 500 .|"
embed region.npy -f g.fa -r c1:1-62,c1:53-114,c1:469-500 --rows region.tsv
same region.npy tiles.npy
[ -s region.tsv ] || die "--rows was not written"

# The - strand reads the reverse complement; its tiles count from the right, their places from the left.
printf 'c2\t100\t200\tx\t0\t-\n' >minus.bed
embed minus.npy -f g.fa -R minus.bed --overlap 2
equal "$(cut -f 3-8 minus.rows.tsv | sed 1d | tr '\t\n' ' |')" "138 200 - 0 0 62|100 140 - 1 60 100|"
sed -n '/>c2/,$p' g.fa | sed 1d | tr -d '\n' | cut -c 101-200 | tr ACGT TGCA |
    awk '{ print ">x"; for (i = length($0); i > 0; i--) printf "%s", substr($0, i, 1); print "" }' >flipped.fa
embed flipped.npy flipped.fa --overlap 2
same flipped.npy minus.npy

# Standard input, lower case, CRLF, compression: the same array. No batch and no number of threads changes it.
embed stdin.npy --overlap 10 <g.fa && same stdin.npy whole.npy
embed dash.npy --overlap 10 - <g.fa && same dash.npy whole.npy
tr ACGT acgt <g.fa >lower.fa && embed lower.npy --overlap 10 lower.fa && same lower.npy whole.npy
sed 's/$/\r/' g.fa | gzip >crlf.fa.gz && embed crlf.npy --overlap 10 crlf.fa.gz && same crlf.npy whole.npy
embed small.npy --overlap 10 --batch-tokens 1 -@ 1 g.fa && same small.npy whole.npy
embed large.npy --overlap 10 --batch-tokens 100000 -@ 2 g.fa && same large.npy whole.npy

# A row for each token, [CLS] and [SEP] too. Without overlap each base has one row.
embed tokens.npy --pool none --overlap 0 g.fa
equal "$(shape tokens.npy)" "1036, 16" "shape of tokens"
equal "$(sed -n 1p tokens.rows.tsv | cut -f 9-10 | tr '\t' ' ')" "position token" "columns of tokens"
equal "$(sed -n 2,3p tokens.rows.tsv | cut -f 3-9 | tr '\t\n' ' |')" "0 0 + 0 0 0 0|0 1 + 0 0 1 1|" "[CLS] and the first base"
equal "$(sed -n 65,66p tokens.rows.tsv | cut -f 3-10 | tr '\t\n' ' |')" "62 62 + 0 62 62 63 3|62 62 + 1 62 62 0 2|" "[SEP], [CLS]"
row whole.npy 0 expected && row tokens.npy 0 found && same found expected

# Layers: from the embeddings, where every [CLS] is alike, to the last.
embed last.npy --overlap 10 --layer 2 g.fa && same last.npy whole.npy
embed first.npy --overlap 10 --layer 0 g.fa
embed counted.npy --overlap 10 --layer -3 g.fa && same counted.npy first.npy
row first.npy 0 expected && row first.npy 7 found && same found expected
embed middle.npy --overlap 10 --layer 1 g.fa
for other in whole first; do
    ! cmp -s middle.npy $other.npy || die "layer 1 is that of $other.npy"
done

# Bases that no vocabulary names are N; N alone is a sequence as any other; an empty one is left out and counted.
printf '>a\nNNNN\n>b\n>c\nRYKM\n' >odd.fa
"$GODWIT" embed -m model -o odd.npy --pool mean odd.fa 2>notes
equal "$(shape odd.npy)" "2, 16" "shape without the empty sequence"
equal "$(cut -f 1,4 odd.rows.tsv | sed 1d | tr '\t\n' ' |')" "a 4|c 4|"
grep -q "1 sequences make no token" notes || die "nothing is said of the empty sequence: $(cat notes)"
row odd.npy 0 expected && row odd.npy 1 found && same found expected

# A tokenizer of GENA-LM's kind: a run of N is one token of all its bases; lower case is [UNK] where it is kept.
cp -r model gena
cat >gena/tokenizer.json <<'E'
{"version": "1.0", "added_tokens": [
  {"id": 0, "content": "[UNK]", "special": true}, {"id": 1, "content": "[CLS]", "special": true},
  {"id": 2, "content": "[SEP]", "special": true}, {"id": 3, "content": "[PAD]", "special": true},
  {"id": 4, "content": "[MASK]", "special": true}],
 "normalizer": {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": true, "strip_right": true},
  {"type": "Replace", "pattern": {"Regex": "N{10,}"}, "content": "-"}]},
 "pre_tokenizer": {"type": "Split", "pattern": {"String": "-"}, "behavior": "Isolated", "invert": false},
 "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
 "decoder": null,
 "model": {"type": "BPE", "unk_token": "[UNK]", "fuse_unk": false, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2,
  "[PAD]": 3, "[MASK]": 4, "-": 5, "A": 6, "C": 7, "G": 8, "N": 9, "T": 10, "AC": 11, "GT": 12},
  "merges": ["A C", "G T"]}}
E
printf '>g\nACANNNNNNNNNNNNacgtN\n' >gap.fa
"$GODWIT" embed -q -m gena -o gap.npy --pool none gap.fa
equal "$(cut -f 3,4,9,10 gap.rows.tsv | sed 1d | tr '\t\n' ' |')" \
    "0 0 0 1|0 2 1 11|2 3 2 6|3 15 3 5|15 17 4 11|17 19 5 12|19 20 6 9|20 20 7 2|" "tokens around a gap"
"$GODWIT" embed -m gena -o kept.npy --pool none --keep-case gap.fa 2>notes
equal "$(cut -f 3,4,10 kept.rows.tsv | sed -n '5,8p' | tr '\t\n' ' |')" "3 15 5|15 16 0|16 17 0|17 18 0|" "lower case kept"
grep -q "UNK" notes || die "nothing is said of unknown bases: $(cat notes)"
fails 2 "--keep-case is for sequences" "$GODWIT" embed -m gena -o x.npy --keep-case -f g.fa -r c1

# A model of text takes the lines as they are; which characters a token covers is not said.
cp -r model text
cat >text/tokenizer.json <<'E'
{"version": "1.0", "added_tokens": [
  {"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<pad>", "special": true},
  {"id": 2, "content": "</s>", "special": true}, {"id": 3, "content": "<unk>", "special": true},
  {"id": 4, "content": "<mask>", "special": true, "lstrip": true}],
 "normalizer": null,
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
 "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": true,
  "add_prefix_space": false},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
 "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4,
  "h": 5, "i": 6, "\u0120": 7, "!": 8, "\u010a": 9, "hi": 10}, "merges": ["h i"]}}
E
printf '>a title\nhi hi!\nhi\n>b\n>c\nhi\n' >texts
"$GODWIT" embed -m text -o text.npy --pool none - <texts 2>notes
equal "$(cut -f 1,3,4,5,10 text.rows.tsv | sed 1d | tr '\t\n' ' |')" \
    "a . . . 0|a . . . 10|a . . . 7|a . . . 10|a . . . 8|a . . . 9|a . . . 10|a . . . 2|c . . . 0|c . . . 10|c . . . 2|"
grep -q "1 sequences make no token" notes || die "nothing is said of the empty text: $(cat notes)"
# The same texts in tables, named by their numbers; and sequences, by a model of DNA.
printf 'id\ttext\nx\thi hi!\ny\thi\n' >texts.tsv
printf 'label,sentence\n1,hi hi!\n' | gzip >first.csv.gz
printf '{"body": "hi"}\n' >second.jsonl
printf '>1\nhi hi!\n>2\nhi\n' >texts.fa
"$GODWIT" embed -q -m text -o fasta.npy --pool none texts.fa
"$GODWIT" embed -q -m text -o table.npy --pool none -d texts.tsv
same table.npy fasta.npy
same table.rows.tsv fasta.rows.tsv
"$GODWIT" embed -q -m text -o column.npy --pool none -d texts.tsv --text text && same column.npy fasta.npy
sed 1d texts.tsv >rows.tsv && "$GODWIT" embed -q -m text -o rows.npy --pool none -d rows.tsv --headless --text 2 && same rows.npy fasta.npy
"$GODWIT" embed -q -m text -o first.npy --pool mean -d first.csv.gz
"$GODWIT" embed -q -m text -o second.npy --pool mean -d second.jsonl --text body
"$GODWIT" embed -q -m text -o both.npy --pool mean -d texts.tsv
row first.npy 0 expected && row both.npy 0 found && same found expected
row second.npy 0 expected && row both.npy 1 found && same found expected
"$GODWIT" embed -q -m text -o twice.npy --pool mean -d texts.tsv -d texts.tsv
equal "$(shape twice.npy)" "4, 16" "two tables"
equal "$(cut -f1 twice.rows.tsv | tr '\n' ' ')" "name 1 2 3 4 " "rows of two tables"
{ echo 'sequence,y' && sed -n '/>c1/,/>c2/p' g.fa | grep -v '>' | tr -d '\n' && echo ,1; } >bases.csv
embed bases.npy --overlap 10 -d bases.csv
sed '/>c2/,$d' g.fa >c1.fa && embed c1.npy --overlap 10 c1.fa
same bases.npy c1.npy
equal "$(sed -n 3p bases.rows.tsv | tr '\t' ' ')" "1 1 52 114 + 1 52 114" "a tile of a row"
printf 'text\nhi\n \n' >blank.tsv
fails 1 'blank.tsv:3: "text" is empty' "$GODWIT" embed -q -m text -o x.npy -d blank.tsv
fails 1 'texts.tsv:2: byte 3 of "text" is not a letter of a sequence' embed x.npy -d texts.tsv
fails 1 'texts.tsv:1: no column "body"; there are: id, text' "$GODWIT" embed -q -m text -o x.npy -d texts.tsv --text body
fails 1 "texts.fa looks like FASTA" "$GODWIT" embed -q -m text -o x.npy -d texts.fa
printf 'text\n' >none.tsv
fails 1 "none.tsv has no rows" "$GODWIT" embed -q -m text -o x.npy -d none.tsv
fails 2 "give either regions of a genome (-f), tables (-d) or sequences" "$GODWIT" embed -m text -o x.npy -d texts.tsv texts.fa
fails 2 "--text and --headless need a table" "$GODWIT" embed -m text -o x.npy --text body texts.fa
printf 'hi\n' >headless
fails 1 "headless:1: expected a header ('>'), found 'h'; a text in each line is read by -d headless --headless --text 1" "$GODWIT" embed -q -m text -o x.npy headless
: >nothing
fails 1 "nothing: no text found" "$GODWIT" embed -q -m text -o x.npy nothing

fails 2 "regions need their genome" "$GODWIT" embed -m model -o x.npy -r c1:1-60
fails 2 "a genome needs its regions" "$GODWIT" embed -m model -o x.npy -f g.fa
fails 2 "not both" "$GODWIT" embed -m model -o x.npy -f g.fa -r c1 g.fa
fails 2 "pool" "$GODWIT" embed -m model -o x.npy --pool sum g.fa
fails 1 "standard output" "$GODWIT" embed -q -m model -o - g.fa
fails 1 "the model has 2 layers" "$GODWIT" embed -q -m model -o x.npy --layer 3 g.fa
fails 1 "0 to 2, or -1 to -3" "$GODWIT" embed -q -m model -o x.npy --layer -4 g.fa
fails 1 "64 positions hold 62" "$GODWIT" embed -q -m model -o x.npy --overlap 62 g.fa
fails 1 "none.fa" "$GODWIT" embed -q -m model -o x.npy g.fa none.fa
mkdir dicts && : >dicts/model_10000nt_rs10.pt
fails 1 "no config.json: \`godwit convert --from openspliceai -m dicts -o splice\` makes a model" "$GODWIT" embed -q -m dicts -o x.npy g.fa
fails 1 "no contig 'zz'" "$GODWIT" embed -q -m model -o x.npy -f g.fa -r zz
fails 1 "past the end of contig 'c1' (500 bp)" "$GODWIT" embed -q -m model -o x.npy -f g.fa -r c1:1-501
: >empty.fa
fails 1 "no sequence found" "$GODWIT" embed -q -m model -o x.npy empty.fa
: >empty.bed
fails 1 "the regions hold no base" "$GODWIT" embed -q -m model -o x.npy -f g.fa -R empty.bed
[ -z "$(ls | grep '^x')" ] || die "an output was left: $(ls)"
cp whole.npy kept.npy
fails 1 "none.fa" "$GODWIT" embed -q -m model -o kept.npy none.fa
same kept.npy whole.npy
"$GODWIT" embed -q -m model -o full.npy --rows /dev/full g.fa 2>err && die "a full disk went unnoticed"
grep -q "cannot write" err || die "full disk: $(cat err)"
[ ! -e full.npy ] || die "an array without its table"

# The mean that sentence-transformers takes: that of all tokens, [CLS] and [SEP] among them.
printf '>a\nACGTTGCA\n' >one.fa
embed sentence.npy --pool sentence one.fa
embed all.npy --pool none one.fa
floats() { od -An -v -t f4 -w64 -j "$(($(od -An -t u2 -j 8 -N 2 "$1") + 10))" "$1"; }
floats all.npy | awk '{ for (i = 1; i <= NF; i++) sum[i] += $i } END { for (i = 1; i <= NF; i++) print sum[i] / NR }' >mean
floats sentence.npy | tr -s ' ' '\n' | grep . | paste mean - |
    awk '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) bad++ } END { exit NR != 16 || bad > 0 }' || die "not the mean of all tokens"

# A folder of sentence-transformers: one row a sequence, of the vectors that its Pooling lists, over all tokens; what is
# longer is cut. The formulas are those of the package; tests/oracle holds the whole to it.
cp -r model st
mkdir st/1_Pooling
cat >st/modules.json <<'E'
[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
 {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
E
printf '>a\nACGTTGCA\n>b\nGGATTACAGGATTACA\n' >two.fa
embed all.npy --pool none two.fa
floats all.npy | awk 'BEGIN { n[1] = 10; n[2] = 18; s = 1 }
    { t++; for (c = 1; c <= NF; c++) { sum[c] += $c; weighted[c] += t * $c; last[c] = $c
          if (t == 1) first[c] = $c
          if (t == 1 || $c > most[c]) most[c] = $c } }
    t == n[s] { for (c = 1; c <= NF; c++) { print s, "cls", first[c]; print s, "max", most[c]; print s, "mean", sum[c] / t
          print s, "mean_sqrt_len_tokens", sum[c] / sqrt(t); print s, "weightedmean", weighted[c] / (t * (t + 1) / 2)
          print s, "lasttoken", last[c] }
          split("", sum); split("", weighted); t = 0; s++ }' >vectors
# pooled CONFIG MODE...: the folder's rows with this 1_Pooling/config.json are those vectors end to end.
pooled() {
    echo "$1" >st/1_Pooling/config.json
    shift
    for s in 1 2; do for mode; do awk -v s=$s -v m="$mode" '$1 == s && $2 == m { print $3 }' vectors; done; done >wanted
    "$GODWIT" embed -q -m st -o st.npy two.fa
    od -An -v -t f4 -w4 -j "$(($(od -An -t u2 -j 8 -N 2 st.npy) + 10))" st.npy | paste - wanted |
        awk -v rows=$((32 * $#)) '{ d = $1 - $2; if (d > 1e-5 || d < -1e-5) bad++ } END { exit NR != rows || bad > 0 }' ||
        die "not the vectors $*"
}
for mode in cls max mean mean_sqrt_len_tokens weightedmean lasttoken; do pooled "{\"pooling_mode\": \"$mode\"}" $mode; done
pooled '{"pooling_mode": ["lasttoken", "cls"]}' lasttoken cls
pooled '{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true, "pooling_mode_max_tokens": false}' cls mean
pooled '{"word_embedding_dimension": 16}' mean
"$GODWIT" embed -q -m st --pool cls -o own.npy two.fa
embed cls.npy --pool cls two.fa
same own.npy cls.npy # an explicit option wins
cat >st/modules.json <<'E'
[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"},
 {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"},
 {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.base.modules.normalize.Normalize"}]
E
"$GODWIT" embed -q -m st -o unit.npy two.fa
floats unit.npy | awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i * $i; if (s < 0.9999 || s > 1.0001) bad++ }
    END { exit NR != 2 || bad > 0 }' || die "not of length 1"
echo '{"max_seq_length": 12, "do_lower_case": false}' >st/sentence_bert_config.json
"$GODWIT" embed -m st -o cut.npy two.fa 2>notes
grep -q "1 sequences were cut to their first 10 tokens" notes || die "nothing is said of the cut: $(cat notes)"
equal "$(cut -f 1,6-8 cut.rows.tsv | sed 1d | tr '\t\n' ' |')" "a 0 0 8|b 0 0 10|" "rows of texts that are cut"
printf '>b\nGGATTACAGG\n' >ten.fa
"$GODWIT" embed -q -m st -o ten.npy ten.fa
row cut.npy 1 expected && row ten.npy 0 found && same found expected
[ ! -e st/sentence_bert_config.json ] || cp st/sentence_bert_config.json length.json
echo '{"max_seq_length": -1e300}' >st/sentence_bert_config.json
fails 1 'st/sentence_bert_config.json: "max_seq_length" is -1e+300, expected 1 or more' "$GODWIT" embed -q -m st -o x.npy two.fa
rm st/sentence_bert_config.json
[ ! -e length.json ] || mv length.json st/sentence_bert_config.json
echo '{"pooling_mode": "sum"}' >st/1_Pooling/config.json
fails 1 '1_Pooling/config.json: "pooling_mode" is "sum", expected cls, max' "$GODWIT" embed -q -m st -o x.npy two.fa
rm st/1_Pooling/config.json
fails 1 "there is no st/1_Pooling/config.json, which modules.json names" "$GODWIT" embed -q -m st -o x.npy two.fa
cat >st/modules.json <<'E'
[{"path": "", "type": "sentence_transformers.models.Transformer"}, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
E
fails 1 "st/modules.json lists Dense, which godwit does not compute" "$GODWIT" embed -q -m st -o x.npy two.fa
"$GODWIT" embed -q -m st --pool cls -o own.npy two.fa && same own.npy cls.npy
echo '[{"path": "../model", "type": "sentence_transformers.models.Transformer"}]' >st/modules.json
fails 1 '"path" is "../model", which is not below the folder' "$GODWIT" embed -q -m st -o x.npy two.fa
mkdir old && cp -r model old/0_BERT && mkdir old/1_Pooling && echo '{"pooling_mode": "mean"}' >old/1_Pooling/config.json
cat >old/modules.json <<'E'
[{"idx": 0, "name": "0", "path": "0_BERT", "type": "sentence_transformers.models.Transformer"},
 {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
E
"$GODWIT" embed -q -m old -o old.npy two.fa
embed mean.npy --pool sentence two.fa
same old.npy mean.npy
