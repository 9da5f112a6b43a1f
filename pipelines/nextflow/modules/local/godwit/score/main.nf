// One shard of a variant file: the shard-th of shards equal parts of its records. Without a folder the model is the one that is called
// meta.model; genes may be empty.
process GODWIT_SCORE {
    tag "$meta.id"
    label 'process_high'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(vcf), path(model), path(fasta), path(genes), val(shard), val(shards)

    output:
    tuple val(meta), path("${prefix}.*.bcf"), path("${prefix}.*.bcf.csi"), emit: bcf
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    def by = model ?: meta.model
    def named = genes ? "--genes $genes" : ''
    def journals = "${file(params.outdir).toAbsolutePath()}/state/${task.process.tokenize(':')[-1].toLowerCase()}-" +
        [meta, args, shards, vcf.name, by.toString(), named].toString().md5()
    """
    mkdir -p "$journals"
    part=\$(printf '%s.%05d.bcf' $prefix $shard)
    # The journal lies beside the output: a task that is tried again, in another work folder, goes on from it.
    godwit score -m '$by' -f $fasta $named $args --shard $shard/$shards -O b --write-index -o "$journals/\$part" -@ $task.cpus $vcf
    mv "$journals/\$part" "$journals/\$part.csi" .

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch \$(printf '%s.%05d.bcf' $prefix $shard) \$(printf '%s.%05d.bcf.csi' $prefix $shard)
    touch versions.yml
    """
}
