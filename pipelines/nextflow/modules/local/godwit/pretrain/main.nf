// A pretrained model. Checkpoints lie outside the work folder, by a hash of the settings: a task that is tried again goes on.
process GODWIT_PRETRAIN {
    tag "$meta.id"
    label 'process_high'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(shards)

    output:
    tuple val(meta), path("$prefix"), emit: model
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    def checkpoints = "${file(params.outdir).toAbsolutePath()}/state/${task.process.tokenize(':')[-1].toLowerCase()}-" +
        [meta, args, params.train_regions, params.vocabulary].toString().md5()
    """
    mkdir -p "$checkpoints"
    godwit pretrain -d train -o $prefix --checkpoints "$checkpoints" --resume $args -@ $task.cpus

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    mkdir $prefix && touch $prefix/config.json
    touch versions.yml
    """
}
