process GODWIT_SCORE {
    tag "$meta.id"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container "${ workflow.containerEngine == 'singularity' && !task.ext.singularity_pull_docker_container ?
        'https://depot.galaxyproject.org/singularity/godwit:1.0.0--0' :
        'quay.io/biocontainers/godwit:1.0.0--0' }"

    input:
    tuple val(meta), path(vcf)
    tuple val(meta2), path(fasta)
    tuple val(meta3), path(model)

    output:
    tuple val(meta), path("${prefix}.vcf.gz"), emit: vcf
    tuple val(meta), path("${prefix}.vcf.gz.csi"), emit: csi
    tuple val("${task.process}"), val('godwit'), eval("godwit --version | sed -n 's/^godwit //p'"), topic: versions, emit: versions_godwit

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    godwit \\
        score \\
        -m $model \\
        -f $fasta \\
        $args \\
        -O z \\
        --write-index \\
        -o ${prefix}.vcf.gz \\
        -@ $task.cpus \\
        $vcf
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo "" | gzip > ${prefix}.vcf.gz
    touch ${prefix}.vcf.gz.csi
    """
}
