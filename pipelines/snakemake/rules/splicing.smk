# Splicing: another program's weights become a model, which scores the variants in genes; scattered and put together as
# the other scores are.

rule splice_model:
    input: SPLICING["weights"] or GENOME
    output: directory(SPLICE_MODEL)
    log: f"{OUT}/logs/splice-model-{SPLICE_MODEL_KEY}.log"
    params: program=SPLICING["program"]
    shell: "{GODWIT} convert --from {params.program} -m {input} -o {output} 2> {log}"


SPLICE_PARTS = f"{OUT}/parts-splice-{SPLICED_KEY}-of{SHARDS}"

rule splice:
    input: vcf=config["vcf"] or CHANGES, model=SPLICE_MODEL, genome=GENOME, genes=SPLICING["genes"] or GENOME
    output: SPLICE_PARTS + "/{shard}.bcf", SPLICE_PARTS + "/{shard}.bcf.csi"
    log: f"{OUT}/logs/splice-{SPLICED_KEY}-of{SHARDS}-{{shard}}.log"
    threads: config["threads"]
    retries: 2
    resources: **resources_of("score")
    params: options=SPLICING["options"]
    shell:
        "{GODWIT} score -m {input.model} -f {input.genome} --genes {input.genes} {params.options}"
        " --shard {wildcards.shard}/{SHARDS} -O b --write-index -o {output[0]} -@ {threads} {input.vcf} 2> {log}"


rule gather_spliced:
    input: expand(SPLICE_PARTS + "/{shard}.bcf", shard=[f"{i:05d}" for i in range(1, SHARDS + 1)])
    output: SPLICED, f"{SPLICED}.csi"
    log: f"{OUT}/logs/gather-splice-{SPLICED_KEY}.log"
    threads: 2
    shell: GATHER
