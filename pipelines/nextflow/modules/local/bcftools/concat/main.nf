// Shards put together, in the order of their numbers.
process BCFTOOLS_CONCAT {
    tag "$meta.id"
    label 'process_low'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(parts), path(indices)

    output:
    tuple val(meta), path("${prefix}.vcf.gz"), path("${prefix}.vcf.gz.csi"), emit: vcf
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    bcftools concat --no-version --threads $task.cpus -O z -o ${prefix}.vcf.gz $args \$(ls *.bcf | sort)
    bcftools index ${prefix}.vcf.gz

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bcftools: \$(bcftools --version | sed -n "1s/^bcftools //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    echo | gzip > ${prefix}.vcf.gz
    touch ${prefix}.vcf.gz.csi
    touch versions.yml
    """
}
