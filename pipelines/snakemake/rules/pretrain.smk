# A genome to documents, vocabulary, shards and a pretrained model, which is rated beside Markov chains.

rule train_documents:
    input: GENOME
    output: f"{TRAIN}.txt"
    log: f"{OUT}/logs/train_documents-{TRAIN_KEY}.log"
    resources: **resources_of("documents")
    params: regions=TRAIN_REGIONS, sizes=SIZES["options"], repeats=SIZES["repeats"]
    shell: "{GODWIT} corpus -f {input} -n {params.repeats} {params.sizes} {params.regions} --both-strands -o {output} 2> {log}"


rule test_documents:
    input: GENOME
    output: f"{TEST}.txt"
    log: f"{OUT}/logs/test_documents-{TEST_KEY}.log"
    resources: **resources_of("documents")
    params: regions=TEST_REGIONS, sizes=SIZES["options"]
    shell: "{GODWIT} corpus -f {input} -n 1 {params.sizes} --max-offset 0 {params.regions} -o {output} 2> {log}"


rule vocabulary:
    input: f"{TRAIN}.txt"
    output: TOKENIZER
    log: f"{OUT}/logs/vocabulary-{TRAIN_KEY}.log"
    threads: config["threads"]
    resources: **resources_of("vocabulary")
    params: size=config["vocabulary"]
    shell: "{GODWIT} bpe -v {params.size} -@ {threads} -o {output} {input} 2> {log}"


rule shards:
    input: text=f"{OUT}/{{part}}.txt", tokenizer=TOKENIZER
    output: multiext(f"{OUT}/{{part}}", ".bin", ".idx", ".tokenizer.json")
    log: f"{OUT}/logs/shards_{{part}}.log"
    resources: **resources_of("documents")
    params: prefix=lambda wildcards: f"{OUT}/{wildcards.part}"
    shell: "{GODWIT} encode -m {input.tokenizer} -o {params.prefix} {input.text} 2> {log}"


rule pretrain:
    input: multiext(TRAIN, ".bin", ".idx", ".tokenizer.json")
    output: directory(MODEL)
    log: f"{OUT}/logs/pretrain-{MODEL_KEY}.log"
    threads: config["threads"]
    resources: **resources_of("pretrain")
    params: prefix=TRAIN, checkpoints=CHECKPOINTS, options=config["model"]["options"]
    shell:
        "{GODWIT} pretrain -d {params.prefix} -o {output} --checkpoints {params.checkpoints} --resume"
        " {params.options} -@ {threads} 2> {log}"


rule evaluate:
    input: MODEL, multiext(TRAIN, ".bin", ".idx"), multiext(TEST, ".bin", ".idx")
    output: EVALUATION
    log: f"{OUT}/logs/evaluate-{EVAL_KEY}.log"
    threads: config["threads"]
    resources: **resources_of("evaluate")
    params: train=TRAIN, test=TEST
    shell: "{GODWIT} eval -m {input[0]} -d {params.test} --baseline {params.train} -@ {threads} > {output} 2> {log}"
