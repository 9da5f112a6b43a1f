process GODWIT_FINETUNE {
    tag "$meta.id"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine == 'singularity' && !task.ext.singularity_pull_docker_container ?
        'https://depot.galaxyproject.org/singularity/godwit:1.0.0--0' :
        'quay.io/biocontainers/godwit:1.0.0--0' }"

    input:
    tuple val(meta), path(labelled)
    tuple val(meta2), path(model)

    output:
    tuple val(meta), path("${prefix}"), emit: model
    tuple val("${task.process}"), val('godwit'), eval("godwit --version | sed -n 's/^godwit //p'"), topic: versions, emit: versions_godwit

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    godwit \\
        finetune \\
        -m $model \\
        -d $labelled \\
        --valid $labelled \\
        $args \\
        -o ${prefix} \\
        -@ $task.cpus
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir ${prefix}
    touch ${prefix}/config.json
    """
}
