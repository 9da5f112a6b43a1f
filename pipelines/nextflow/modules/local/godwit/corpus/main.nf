// Documents, vocabulary and token shards of a genome, the held-out part apart.
process GODWIT_CORPUS {
    tag "$meta.id"
    label 'process_medium'
    conda "${projectDir}/modules/local/environment.yml"
    container params.container

    input:
    tuple val(meta), path(fasta)
    val train_regions
    val test_regions
    val vocabulary

    output:
    tuple val(meta), path('train.{bin,idx,tokenizer.json}'), emit: train
    tuple val(meta), path('test.{bin,idx,tokenizer.json}'), emit: test
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    """
    godwit corpus -f $fasta $train_regions $args --both-strands -o train.txt
    godwit corpus -f $fasta $test_regions $args -n 1 --max-offset 0 -o test.txt
    godwit bpe -v $vocabulary -@ $task.cpus -o tokenizer.json train.txt
    godwit encode -m tokenizer.json -o train train.txt
    godwit encode -m tokenizer.json -o test test.txt
    rm train.txt test.txt

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        godwit: \$(godwit --version | sed -n "s/^godwit //p")
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    touch train.bin train.idx train.tokenizer.json test.bin test.idx test.tokenizer.json
    touch versions.yml
    """
}
