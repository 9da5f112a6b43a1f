# Variants: scattered over shards, each a job that goes on from its journal where it was stopped, and put together again.

rule variants:
    input: GENOME
    output: CHANGES
    log: f"{OUT}/logs/variants-{CHANGES_KEY}.log"
    params: region=SCORE["region"]
    shell: "{GODWIT} mutate -f {input} -r {params.region:q} -o {output} 2> {log}"


SHARDS = SCORE["shards"]
PARTS = f"{OUT}/parts-{SCORED_KEY}-of{SHARDS}"

rule score:
    input: vcf=config["vcf"] or CHANGES, model=SCORING_FOLDER, genome=GENOME, genes=GENES or []
    output: PARTS + "/{shard}.bcf", PARTS + "/{shard}.bcf.csi"
    log: f"{OUT}/logs/score-{SCORED_KEY}-of{SHARDS}-{{shard}}.log"
    threads: config["threads"]
    retries: 2
    resources: **resources_of("score")
    params: model=SCORING_MODEL, options=SCORE["options"], genes=f"--genes {shlex.quote(GENES)}" if GENES else ""
    shell:
        "{GODWIT} score -m {params.model:q} -f {input.genome} {params.genes} {params.options} --shard {wildcards.shard}/{SHARDS}"
        " -O b --write-index -o {output[0]} -@ {threads} {input.vcf} 2> {log}"


# Shards put together.
GATHER = (
    "{BCFTOOLS} concat --no-version --threads {threads} -O z -o {output[0]} {input} 2> {log}"
    " && {BCFTOOLS} index -f {output[0]} 2>> {log}"
)

rule gather:
    input: expand(PARTS + "/{shard}.bcf", shard=[f"{i:05d}" for i in range(1, SHARDS + 1)])
    output: SCORED, f"{SCORED}.csi"
    log: f"{OUT}/logs/gather-{SCORED_KEY}.log"
    threads: 2
    shell: GATHER
