// Another program's weights as a model folder.
process GODWIT_CONVERT {
    tag "$meta.id"
    label 'process_single'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(weights), val(program)

    output:
    tuple val(meta), path("${prefix}"), emit: model
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit convert --from $program -m $weights $args -o $prefix

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
