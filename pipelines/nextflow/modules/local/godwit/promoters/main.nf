// A promoter set from start sites.
process GODWIT_PROMOTERS {
    tag "$meta.id"
    label 'process_low'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(fasta), path(sites)

    output:
    tuple val(meta), path("${prefix}.tsv.gz"), emit: set
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit promoters -f $fasta $args -o ${prefix}.tsv.gz $sites

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    echo | gzip > ${prefix}.tsv.gz
    touch versions.yml
    """
}
