// A classifier on a labelled set. meta.task is of finetune --task, meta.set what -d calls the set; without a folder the model that it
// begins with is the one that is called meta.model.
process GODWIT_FINETUNE {
    tag "$meta.id"
    label 'process_high'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(set), path(model, stageAs: 'pretrained'), path(fasta)

    output:
    tuple val(meta), path("$prefix"), emit: model
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    def checkpoints = "${file(params.outdir).toAbsolutePath()}/state/${task.process.tokenize(':')[-1].toLowerCase()}-" +
        [meta, args, params.pretrain_args].toString().md5()
    """
    mkdir -p "$checkpoints"
    godwit finetune -m '${model ?: meta.model}' --task $meta.task -d $meta.set -f $fasta -o $prefix --checkpoints "$checkpoints" --resume \\
        $args -@ $task.cpus

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
