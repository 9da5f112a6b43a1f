// Every single-base change of a region.
process GODWIT_MUTATE {
    tag "$meta.id"
    label 'process_single'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(fasta)
    val region

    output:
    tuple val(meta), path("${prefix}.vcf.gz"), emit: vcf
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit mutate -f $fasta -r '$region' $args -o ${prefix}.vcf.gz

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    echo | gzip > ${prefix}.vcf.gz
    touch versions.yml
    """
}
