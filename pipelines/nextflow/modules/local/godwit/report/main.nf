// One page of all results, and the tables that MultiQC takes.
process GODWIT_REPORT {
    tag "$meta.id"
    label 'process_single'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(results, stageAs: 'results/*')

    output:
    tuple val(meta), path("${prefix}.html"), emit: html
    path '*_mqc.tsv', emit: multiqc, optional: true
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit report results -o ${prefix}.html --multiqc . $args

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.html
    touch versions.yml
    """
}
