# Promoters and profiles: a labelled set, a fine-tuned model and its figures on the set's test part.

if "promoters" in TASKS:
    rule promoter_set:
        input: genome=GENOME, sites=TASKS["promoters"]["input"]
        output: f"{OUT}/promoters-set-{SET_KEY['promoters']}.tsv.gz"
        log: f"{OUT}/logs/promoter_set-{SET_KEY['promoters']}.log"
        resources: **resources_of("sets")
        params: options=TASKS["promoters"]["options"]
        shell: "{GODWIT} promoters -f {input.genome} {params.options} -o {output} {input.sites} 2> {log}"


if "profiles" in TASKS:
    rule profile_set:
        input: genome=GENOME, peaks=TASKS["profiles"]["input"]
        output: multiext(f"{OUT}/profiles-set-{SET_KEY['profiles']}", ".bed.gz", ".labels", ".names.tsv", ".json")
        log: f"{OUT}/logs/profile_set-{SET_KEY['profiles']}.log"
        resources: **resources_of("sets")
        params: prefix=f"{OUT}/profiles-set-{SET_KEY['profiles']}", options=TASKS["profiles"]["options"]
        shell: "{GODWIT} profiles -f {input.genome} {params.options} -o {params.prefix} {input.peaks} 2> {log}"


# What finetune and eval call the set, and the file that says that it is there.
def set_of(task):
    return f"{OUT}/{task}-set-{SET_KEY[task]}" + (".tsv.gz" if task == "promoters" else "")


def set_file(task):
    return set_of(task) + ("" if task == "promoters" else ".labels")


for TASK in TASKS:
    rule:
        name: f"finetune_{TASK}"
        input: model=MODEL, genome=GENOME, set=set_file(TASK)
        output: directory(TASK_MODEL[TASK])
        log: f"{OUT}/logs/finetune-{TASK}-{TASK_KEY[TASK]}.log"
        threads: config["threads"]
        resources: **resources_of("finetune")
        params:
            task="promoter" if TASK == "promoters" else "profiles",
            set=set_of(TASK),
            checkpoints=f"{OUT}/checkpoints-{TASK}-{TASK_KEY[TASK]}",
            options=TASKS[TASK]["finetune"],
        shell:
            "{GODWIT} finetune -m {input.model} --task {params.task} -d {params.set} -f {input.genome} -o {output}"
            " --checkpoints {params.checkpoints} --resume {params.options} -@ {threads} 2> {log}"

    rule:
        name: f"evaluate_{TASK}"
        input: model=TASK_MODEL[TASK], genome=GENOME, set=set_file(TASK)
        output:
            table=f"{OUT}/eval-{TASK}-{TASK_KEY[TASK]}.tsv",
            targets=f"{OUT}/targets-{TASK}-{TASK_KEY[TASK]}.tsv",
            curves=f"{OUT}/curves-{TASK}-{TASK_KEY[TASK]}.tsv",
        log: f"{OUT}/logs/evaluate-{TASK}-{TASK_KEY[TASK]}.log"
        threads: config["threads"]
        resources: **resources_of("evaluate")
        params: set=set_of(TASK)
        shell:
            "{GODWIT} eval -m {input.model} -d {params.set} -f {input.genome} --per-target {output.targets}"
            " --curves {output.curves} -@ {threads} > {output.table} 2> {log}"
