// Which bases of regions carry the prediction. Without a folder the model is the one that is called meta.model.
process GODWIT_EXPLAIN {
    tag "$meta.id"
    label 'process_high'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(model), path(fasta), path(regions)

    output:
    tuple val(meta), path("${prefix}"), emit: folder
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    def by = model ?: meta.model
    """
    godwit explain -m '$by' -f $fasta -R $regions $args -o $prefix -@ $task.cpus

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    mkdir $prefix
    touch versions.yml
    """
}
