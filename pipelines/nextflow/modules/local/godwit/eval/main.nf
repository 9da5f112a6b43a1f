// The figures of a fine-tuned model on the test part of its set.
process GODWIT_EVAL {
    tag "$meta.id"
    label 'process_medium'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(model), path(set), path(fasta)

    output:
    tuple val(meta), path("${prefix}.eval.tsv"), path("${prefix}.targets.tsv"), path("${prefix}.curves.tsv"), emit: tables
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit eval -m $model -d $meta.set -f $fasta $args --per-target ${prefix}.targets.tsv --curves ${prefix}.curves.tsv \\
        -@ $task.cpus > ${prefix}.eval.tsv

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.eval.tsv ${prefix}.targets.tsv ${prefix}.curves.tsv
    touch versions.yml
    """
}
