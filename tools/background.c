// SPDX-License-Identifier: MIT
// godwit background: what a model says of the variants of a population, for `godwit score --background`.
#include "score/score.h"
#include "tools/cli.h"
#include "tools/inference.h"

typedef struct {
    const char *model, *fasta, *chr_map, *output, *regions, *regions_file, *targets, *targets_file, *sites, *include,
        *exclude;
    int64_t window, batch_tokens;
    gw_inference_arguments inference;
} background_arguments;

static const background_arguments defaults = {0};

#define FIELD(name) offsetof(background_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "fine-tuned or pretrained model", .required = true},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome: plain or BGZF FASTA", .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output),
     "table to write (standard output); BGZF where it ends in .gz"},
    {GW_OPTION_STRING, 'r', "regions", "LIST", FIELD(regions),
     "records that overlap chr, chr:beg-end, ... (1-based; needs an index)"},
    {GW_OPTION_STRING, 'R', "regions-file", "BED", FIELD(regions_file), "the same from a file"},
    {GW_OPTION_STRING, 't', "targets", "[^]LIST", FIELD(targets), "records whose POS lies inside; with ^, outside"},
    {GW_OPTION_STRING, 'T', "targets-file", "[^]BED", FIELD(targets_file), "the same from a file"},
    {GW_OPTION_STRING, 'i', "include", "EXPR", FIELD(include),
     "records for which an expression holds, as of godwit score"},
    {GW_OPTION_STRING, 'e', "exclude", "EXPR", FIELD(exclude), "records for which it does not hold"},
    {GW_OPTION_STRING, 0, "sites", "BED", FIELD(sites), "promoter models: TSSs in whose windows variants are scored"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(chr_map), "TSV: another name, contig name in the genome"},
    {GW_OPTION_INT, 0, "window", "BP", FIELD(window), "as of godwit score", .min = 0, .max = 1e8},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(batch_tokens),
     "tokens computed at a time (0: 8192, or the longest input)", .min = 0, .max = 1e8},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static gw_status collect(const background_arguments *a, const char *input, gw_model *model, gw_genome *genome) {
    gw_background *background = NULL;
    const gw_score_options score = {
        .input = input,
        .format = 'v',
        .regions = a->regions,
        .regions_file = a->regions_file,
        .targets = a->targets,
        .targets_file = a->targets_file,
        .include_if = a->include,
        .exclude_if = a->exclude,
        .tag = "GW",
        .sites = a->sites,
        .window = a->window,
        .batch_tokens = a->batch_tokens,
        .pad_to = a->inference.pad_to,
        .version = GW_VERSION,
        .command = gw_command_line(),
        .model_folder = a->model,
        .collect = &background,
    };
    gw_status status = gw_score(model, genome, &score);
    if (status == GW_OK && gw_background_alleles(background) == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s has no allele that can be scored, so that there is no background", input);
    if (status == GW_OK) status = gw_background_write(background, a->output);
    gw_background_free(background);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const background_arguments *a = arguments;
    (void)count;
    if (a->include && a->exclude) return gw_usage_error("-i and -e: one of them");
    GW_TRY(gw_device_apply(a->inference.device));
    gw_model *model = NULL;
    gw_genome *genome = NULL;
    gw_status status = gw_model_load(a->model, &model);
    if (status == GW_OK) status = gw_inference_apply(&a->inference, model);
    if (status == GW_OK) status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && a->chr_map) status = gw_genome_read_aliases(genome, a->chr_map);
    if (status == GW_OK) status = collect(a, operands[0], model, genome);
    gw_genome_close(genome);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_background = {
    .name = "background",
    .group = "Variants",
    .summary = "what a model says of many variants, to set others against",
    .usage = "-m FOLDER -f ref.fa [options] in.vcf > background.tsv",
    .description = "Scores the alleles of a VCF or BCF, such as the common variants of a population, and keeps how "
                   "their effects are distributed: a row a profile with mean and standard deviation of p(ALT) - "
                   "p(REF), and counts of |difference| x |logit difference| in bins, 16 an octave; the first row "
                   "counts each allele's largest |difference|. A pretrained model counts as one profile, LLR. `godwit "
                   "score --background` makes e-values, z and percentiles of it; it takes only a background of the "
                   "same weights and window.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit background -m model -f ref.fa -o common.tsv.gz 1000G.common.bcf\n"
                "godwit score -m model -f ref.fa --background common.tsv.gz in.vcf",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
