# One page of what these settings made, and the tables that MultiQC takes.

rule summary:
    input: RATED, SCORES, [MODEL] if TRAINED else [], list(TASK_MODEL.values())
    output: REPORT, directory(f"{REPORT}.multiqc")
    log: f"{OUT}/logs/report.log"
    params: folder=f"{REPORT}.files"
    # The report is of what belongs to these settings, not of all that lies in the folder.
    shell:
        "rm -rf {params.folder} && mkdir {params.folder} && for made in {input}; do ln -s ../$(basename $made) {params.folder}/; done"
        " && {GODWIT} report {params.folder} -o {output[0]} --multiqc {output[1]} 2> {log} && rm -r {params.folder}"


rule multiqc:
    input: f"{REPORT}.multiqc"
    output: f"{OUT}/multiqc/multiqc_report.html"
    log: f"{OUT}/logs/multiqc.log"
    shell: "multiqc -f -o {OUT}/multiqc {input} > {log} 2>&1"
