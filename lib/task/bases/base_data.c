// SPDX-License-Identifier: MIT
// Labels of bases as a kind of data: what a model says of sets of them, and of regions of a genome.
#include "label/base_classes.h"
#include "network/base_network.h"
#include "seq/genes/genes.h"
#include "task/bases/evaluate_bases.h"
#include "task/bases/predict_bases.h"
#include "task/data_kind.h"
#include "task/trained_on.h"

static gw_status check_model(gw_model *const *models, int count) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "labels of bases are of one model at a time, which may have members");
    if (gw_model_labels_bases(models[0])) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "the model cannot label single bases: it has %lld classes, of 2 to %d",
                   (long long)models[0]->config.labels, GW_BASE_CLASSES + 1);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *o) {
    if (o->negatives.count > 0 || o->without.count > 0 || o->per_target || o->curves || o->groups || o->within ||
        o->scatter || o->missing || o->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(GW_ERR_USAGE, "labels of bases take of the options for labelled sets --split and --orfs alone");
    GW_TRY(check_model(models, count));
    return gw_eval_bases(models[0], o);
}

static gw_status write_regions(gw_model *model, gw_genome *genome, const gw_predict_options *o) {
    gw_regions regions = {0};
    gw_status status = o->aliases ? gw_genome_read_aliases(genome, o->aliases) : GW_OK;
    if (status == GW_OK && o->regions) status = gw_regions_parse_genes(&regions, genome, o->regions, o->genes);
    if (status == GW_OK && o->regions_file) status = gw_regions_read_bed(&regions, genome, o->regions_file);
    const gw_predict_bases_options options = {.regions = o->regions || o->regions_file ? &regions : NULL,
                                              .output = o->output,
                                              .least = o->least,
                                              .tracks = o->bigwig ? o->bigwig : o->bedgraph,
                                              .suffix = o->bigwig ? ".bw" : ".bedgraph.gz",
                                              .batch_tokens = o->in.tokens};
    if (status == GW_OK) status = gw_write_bases(model, genome, &options);
    gw_regions_free(&regions);
    return status;
}

// Of regions, or of the whole genome.
static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    gw_genome *genome;
    GW_TRY(check_model(models, count));
    if (!o->in.fasta || o->in.sets.count > 0)
        return gw_fail(GW_ERR_USAGE, "labels of bases are of a genome: give -f ref.fa, and regions by -r or -R");
    if (o->step > 1 || (o->genes && !gw_regions_name_genes(o->regions)) || o->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(GW_ERR_USAGE, "labels of bases have a value for each base of both strands: no --step, --genes, "
                                     "--both-strands or --one-strand");
    if (o->bigwig && (o->bedgraph || o->output))
        return gw_fail(GW_ERR_USAGE, "--bigwig, --bedgraph and -o exclude each other");
    GW_TRY(gw_genome_open(o->in.fasta, &genome));
    gw_status status = gw_trained_on_check(o->in.models.items[0], models[0], genome);
    if (status == GW_OK) status = write_regions(models[0], genome, o);
    gw_genome_close(genome);
    return status;
}

const gw_data_kind gw_data_bases = {.evaluate = evaluate, .predict = predict};
