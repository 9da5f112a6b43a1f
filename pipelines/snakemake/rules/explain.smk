# Which bases of the regions carry the prediction: tracks, arrays, seqlets and pictures in one folder.

rule explain:
    input: model=SCORING_FOLDER, genome=GENOME, regions=EXPLAIN["regions"]
    output: directory(EXPLAINED)
    log: f"{OUT}/logs/explain-{EXPLAINED_KEY}.log"
    threads: config["threads"]
    resources: **resources_of("explain")
    params: model=SCORING_MODEL, options=EXPLAIN["options"]
    shell:
        "{GODWIT} explain -m {params.model:q} -f {input.genome} -R {input.regions} {params.options} -o {output} -@ {threads} 2> {log}"
