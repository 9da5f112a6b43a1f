#!/usr/bin/env nextflow
// From a genome to scored variants: pretraining, promoters, profiles, and scores that are scattered over shards and put
// together again. Settings are those of nextflow_schema.json; pipelines/snakemake does the same.
//
//   nextflow run pipelines/nextflow -profile docker,slurm --genome genome.fa.gz --test_regions '-t chr8,chr9' \
//       --train_regions '-t ^chr8,chr9' --vcf in.vcf.gz --shards 100 --outdir results -resume
//
// Or only scores, by a model that is there: --model yeast, or --model FOLDER, in the place of both regions. conf/score.config is an
// example: nextflow run pipelines/nextflow -profile score

include { GODWIT_CORPUS                       } from './modules/local/godwit/corpus/main'
include { GODWIT_PRETRAIN                     } from './modules/local/godwit/pretrain/main'
include { GODWIT_PROMOTERS                    } from './modules/local/godwit/promoters/main'
include { GODWIT_PROFILES                     } from './modules/local/godwit/profiles/main'
include { GODWIT_FINETUNE                     } from './modules/local/godwit/finetune/main'
include { GODWIT_EVAL                         } from './modules/local/godwit/eval/main'
include { GODWIT_MUTATE                       } from './modules/local/godwit/mutate/main'
include { GODWIT_SCORE                        } from './modules/local/godwit/score/main'
include { GODWIT_EXPLAIN                      } from './modules/local/godwit/explain/main'
include { GODWIT_CONVERT                      } from './modules/local/godwit/convert/main'
include { GODWIT_SPLICE                       } from './modules/local/godwit/splice/main'
include { BCFTOOLS_CONCAT                     } from './modules/local/bcftools/concat/main'
include { BCFTOOLS_CONCAT as CONCAT_SPLICED   } from './modules/local/bcftools/concat/main'
include { GODWIT_REPORT                       } from './modules/local/godwit/report/main'

// The folder of --model, or null where it is the name of a model that `godwit models` lists.
def modelFolder() {
    def folder = file(params.model)
    folder.isDirectory() ? folder : null
}

def checkParameters() {
    if (!params.genome) error "--genome is missing: a FASTA file, plain or BGZF-compressed"
    if (!params.model && !(params.train_regions && params.test_regions))
        error "nothing is held out: give --train_regions and --test_regions, or a trained --model"
    if (params.model && !modelFolder() && params.model.toString().contains('/')) error "--model: there is no folder ${params.model}"
    if (params.model && !(params.vcf || params.region || params.sites || params.peaks || params.explain_regions))
        error "there is nothing to do: --model scores --vcf, or --region, explains --explain_regions, or is trained on --sites or --peaks"
    if (params.shards < 1) error "--shards is at least 1"
    if (!(params.score_model in ['pretrained', 'promoters', 'profiles'])) error "--score_model is pretrained, promoters or profiles"
    if (!params.splice_weights != !params.splice_genes) error "--splice_weights and --splice_genes go together"
    if (params.genes && !(params.vcf || params.region)) error "--genes needs --vcf, or --region"
    if (params.splice_weights && !(params.vcf || params.region)) error "--splice_weights needs --vcf, or --region"
    if (params.score_model == 'promoters' && !params.sites) error "--score_model promoters needs --sites"
    if (params.score_model == 'profiles' && !params.peaks) error "--score_model profiles needs --peaks"
}

// The pretrained model: one that is there, or one that is trained. A model that is there by its name has no folder: meta.model says it.
workflow PRETRAIN {
    take:
    genome // [meta, fasta]

    main:
    if (params.model) {
        model = genome.map { meta, fasta -> [meta + [model: params.model], modelFolder() ?: []] }
    } else {
        GODWIT_CORPUS(genome, params.train_regions, params.test_regions, params.vocabulary)
        GODWIT_PRETRAIN(GODWIT_CORPUS.out.train)
        model = GODWIT_PRETRAIN.out.model
    }

    emit:
    model
}

// Sets, fine-tuned models and their figures, of the tasks that have input.
workflow TASKS {
    take:
    genome // [meta, fasta]
    model  // [meta, folder]; without a folder meta.model is its name

    main:
    sites = params.sites ? Channel.fromPath(params.sites, checkIfExists: true) : Channel.empty()
    peaks = params.peaks ? Channel.fromPath(params.peaks.tokenize(','), checkIfExists: true).collect().map { [it] } : Channel.empty()
    GODWIT_PROMOTERS(genome.combine(sites).map { meta, fasta, bed -> [[id: 'promoters', task: 'promoter', set: 'promoters.tsv.gz'], fasta, bed] })
    GODWIT_PROFILES(genome.combine(peaks).map { meta, fasta, beds -> [[id: 'profiles', task: 'profiles', set: 'profiles'], fasta, beds] })
    sets = GODWIT_PROMOTERS.out.set.mix(GODWIT_PROFILES.out.set)
    begun = model.map { meta, folder -> [meta.model, folder] }
    GODWIT_FINETUNE(sets.combine(begun).map { meta, set, name, folder -> [meta + [model: name], set, folder] }
        .combine(genome.map { meta, fasta -> fasta }))
    GODWIT_EVAL(GODWIT_FINETUNE.out.model.map { meta, folder -> [meta.subMap('id', 'task', 'set'), folder] }.join(sets).combine(genome.map { meta, fasta -> fasta }))

    emit:
    models = GODWIT_FINETUNE.out.model
    tables = GODWIT_EVAL.out.tables.map { meta, table, targets, curves -> [table, targets, curves] }
}

// Variants, or every change of a region.
workflow VARIANTS {
    take:
    genome // [meta, fasta]

    main:
    if (params.vcf) {
        vcf = Channel.value(file(params.vcf, checkIfExists: true))
    } else {
        GODWIT_MUTATE(genome.map { meta, fasta -> [[id: 'changes'], fasta] }, params.region)
        vcf = GODWIT_MUTATE.out.vcf.map { meta, file -> file }
    }

    emit:
    vcf
}

// Scattered and gathered.
workflow SCORE {
    take:
    genome   // [meta, fasta]
    variants // file
    model    // [meta, folder]; without a folder meta.model is its name

    main:
    shards = Channel.of(1..params.shards).map { [it, params.shards] }
    genes = Channel.value([params.genes ? file(params.genes, checkIfExists: true) : []])
    GODWIT_SCORE(variants.combine(model).map { vcf, meta, folder -> [[id: 'scored', model: meta.model], vcf, folder] }
        .combine(genome.map { meta, fasta -> fasta }).combine(genes).combine(shards))
    parts = GODWIT_SCORE.out.bcf.map { meta, bcf, csi -> [groupKey(meta, params.shards), bcf, csi] }.groupTuple()
    BCFTOOLS_CONCAT(parts.map { meta, bcf, csi -> [meta.target, bcf, csi] })

    emit:
    vcf = BCFTOOLS_CONCAT.out.vcf
}

// The same by a model of splicing, which another program's weights become.
workflow SPLICE {
    take:
    genome   // [meta, fasta]
    variants // file

    main:
    GODWIT_CONVERT(Channel.of([[id: 'splice'], file(params.splice_weights, checkIfExists: true), params.splice_program]))
    shards = Channel.of(1..params.shards).map { [it, params.shards] }
    genes = Channel.of(file(params.splice_genes, checkIfExists: true))
    GODWIT_SPLICE(variants.map { [[id: 'spliced'], it] }.combine(GODWIT_CONVERT.out.model.map { meta, folder -> folder })
        .combine(genome.map { meta, fasta -> fasta }).combine(genes).combine(shards))
    parts = GODWIT_SPLICE.out.bcf.map { meta, bcf, csi -> [groupKey(meta, params.shards), bcf, csi] }.groupTuple()
    CONCAT_SPLICED(parts.map { meta, bcf, csi -> [meta.target, bcf, csi] })

    emit:
    vcf = CONCAT_SPLICED.out.vcf
}

workflow {
    checkParameters()
    genome = Channel.value([[id: 'pretrained'], file(params.genome, checkIfExists: true)])
    PRETRAIN(genome)
    TASKS(genome, PRETRAIN.out.model)
    scoring = params.score_model == 'pretrained'
        ? PRETRAIN.out.model
        : TASKS.out.models.filter { meta, folder -> meta.id == params.score_model }
    results = PRETRAIN.out.model.filter { meta, folder -> folder }.map { meta, folder -> folder }
        .mix(TASKS.out.models.map { meta, folder -> folder }, TASKS.out.tables.flatten())
    if (params.vcf || params.region) {
        VARIANTS(genome)
        SCORE(genome, VARIANTS.out.vcf, scoring)
        results = results.mix(SCORE.out.vcf.map { meta, vcf, csi -> vcf })
    }
    if (params.splice_weights) SPLICE(genome, VARIANTS.out.vcf)
    if (params.explain_regions) {
        regions = Channel.value(file(params.explain_regions, checkIfExists: true))
        GODWIT_EXPLAIN(scoring.map { meta, folder -> [[id: 'explained', model: meta.model], folder] }
            .combine(genome.map { meta, fasta -> fasta }).combine(regions))
    }
    // Of regions alone there is no report.
    if (!params.model || params.vcf || params.region || params.sites || params.peaks)
        GODWIT_REPORT(results.collect().map { [[id: 'report'], it] })
}
