# What many scripts begin with: a genome, shards, a pretrained model, labelled sets, two classifiers and variants, all tiny.
# g.fa  tok.json  sh.*  model  tss.bed  set.tsv  prof.*  promoter  profiles  in.vcf
. "$ROOT/tests/cli/lib.sh"

genome 2 60 >g.fa
cat >config.json <<'E2'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128, "attention_type": "original_full"}
E2
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t1500\t1501\tb\t0\t-\nc2\t2000\t2001\tc\t0\t-\nc2\t500\t501\td\t0\t+\n' >tss.bed
"$GODWIT" corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" bpe -q -v 16 -o tok.json corpus.txt
"$GODWIT" encode -q -m tok.json -o sh corpus.txt
"$GODWIT" pretrain -q -d sh -o model -c config.json --steps 2 --batch-tokens 512 -@ 1
"$GODWIT" promoters -q -f g.fa tss.bed --upstream 40 --downstream 20 -o set.tsv
"$GODWIT" finetune -q -m model --task promoter -d set.tsv -o promoter --steps 1 -@ 1
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint -o prof tss.bed
"$GODWIT" finetune -q -m model --task profiles -d prof -f g.fa -o profiles --steps 1 -@ 1
"$GODWIT" mutate -q -f g.fa -r c1:1001-1010 -o in.vcf
