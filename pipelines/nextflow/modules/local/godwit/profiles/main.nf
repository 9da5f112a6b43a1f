// A profile set from peak files.
process GODWIT_PROFILES {
    tag "$meta.id"
    label 'process_medium'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(fasta), path(peaks)

    output:
    tuple val(meta), path("${prefix}.{bed.gz,labels,names.tsv,json}"), emit: set
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit profiles -f $fasta $args -o $prefix $peaks

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    echo | gzip > ${prefix}.bed.gz
    touch ${prefix}.labels ${prefix}.names.tsv ${prefix}.json
    touch versions.yml
    """
}
