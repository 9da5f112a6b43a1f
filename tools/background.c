// SPDX-License-Identifier: MIT
// godwit background: scores of a model for the variants of a population, for `godwit score --background`.
#include "base/log.h"
#include "score/score_output.h"
#include "score/splice_scorer.h"
#include "tools/shared_options.h"

static const gw_variant_arguments defaults = {
    .score = {.tag = "GW", .format = 'v', .version = GW_VERSION, .distance = GW_SPLICE_DISTANCE}};

#define SCORE(name) offsetof(gw_variant_arguments, score.name)

static const gw_option options[] = {
    GW_OPTION_ROWS_VARIANTS(0),
    {GW_OPTION_STRING, 'o', "output", "FILE", SCORE(output),
     "table to write (standard output); BGZF where it ends in .gz", .writes = true, .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_STRING, 0, "name", "TEXT", SCORE(name),
     "name of these variants for headers and reports: 'common variants of the 1000 Genomes'"},
    {GW_OPTION_STRING, 0, "places", "BED", SCORE(places),
     "models of tracks: also keep the signals that are predicted at these places, such as the peaks of the cell type, "
     "for GW_AAQ: BED (middles) or narrowPeak (summits); without variants these alone",
     .models = GW_MODEL_TRACKS},
    {GW_OPTION_INT, 0, "around", "BP", SCORE(around),
     "models of tracks: sum the rows within BP around the variant, as godwit score does", .min = 1, .max = 1e9,
     .models = GW_MODEL_TRACKS},
    {GW_OPTION_STRING, 0, "outside", "FILE", SCORE(outside),
     "leave out records that overlap a gene of this GFF3, GTF or table of SGD's"},
    {GW_OPTION_CHOICE, 0, "by", "WHAT", SCORE(by),
     "pretrained models: also keep the mean of single-base changes to each base between each two bases on either side, "
     "for godwit score --scores context",
     .choices = "context", .models = GW_MODEL_PRETRAINED},
    {GW_OPTION_STRING, 'g', "genes", "FILE", SCORE(genes),
     "models of splicing: score in these genes, as godwit score does; without it on both strands"},
    {GW_OPTION_INT, 'D', "distance", "BP", SCORE(distance), "models of splicing: score sites up to so far from POS",
     .min = 1, .max = 10000, .models = GW_MODEL_SPLICING},
    {GW_OPTION_NAMED, 'M', "mask", "MASK", SCORE(mask),
     "models of splicing: 1 makes gains at annotated sites and losses elsewhere 0", .choices = "0|1",
     .models = GW_MODEL_SPLICING},
    GW_OPTION_ROWS_SCORED_WINDOWS(0),
    {.help = NULL},
};

static gw_status collect(gw_variant_arguments *a, gw_model *model, gw_genome *genome) {
    gw_background *background = NULL;
    const char *input = a->score.input;
    a->score.command = gw_command_line();
    a->score.collect = &background;
    gw_status status = gw_score(model, genome, &a->score);
    if (input && status == GW_OK && gw_background_alleles(background) == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s has no allele that can be scored, and a background needs alleles", input);
    if (input && status == GW_OK && gw_background_alleles(background) < GW_BACKGROUND_LEAST)
        gw_warn("%s has %lld alleles that can be scored: with fewer than %d, godwit score writes no e-values, z or "
                "percentiles",
                input, (long long)gw_background_alleles(background), GW_BACKGROUND_LEAST);
    if (status == GW_OK) status = gw_background_write(background, a->score.output);
    gw_background_free(background);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    gw_variant_arguments *a = arguments;
    a->score.input = count > 0 ? operands[0] : NULL;
    if (!a->score.input && !a->score.places)
        return gw_fail(GW_ERR_USAGE, "an input file is missing, or places of a model of tracks (--places)");
    gw_model *model;
    gw_genome *genome;
    a->score.weights_md5 = gw_weights_md5_begin(a->score.model_folder);
    gw_status status = gw_variants_open(a, &model, &genome);
    if (status == GW_OK) status = collect(a, model, genome);
    gw_weights_md5_end(a->score.weights_md5);
    gw_genome_close(genome);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_background = {
    .common = "model|fasta|regions|regions-file|include|output|name|outside|genes|window|dtype|device",
    .model_kinds = gw_variants_model_kinds,
    .name = "background",
    .group = "Variants",
    .summary = "scores of many variants, to compare others with",
    .usage = "-m FOLDER -f ref.fa [options] in.vcf > background.tsv",
    .description =
        "Scores the alleles of a VCF or BCF, such as the common variants of a population, and keeps how "
        "their effects are distributed: a row a profile with mean and standard deviation of p(ALT) - "
        "p(REF), and counts of |difference| x |logit difference| in bins, 16 an octave; the first row "
        "counts each allele's largest |difference|. A pretrained model counts as one profile, LLR; its last "
        "row counts the ratios below 0. `godwit "
        "score --background` makes e-values, z and percentiles of it; it takes only a background of the "
        "same weights and window.\n\n"
        "A model of splicing, or of other labels of bases, has the first row alone, of each allele's largest "
        "gain or loss. Of a model of tracks it counts the largest change of a track; with --places a row a track has "
        "the signals at these places, and variants may be left out. A file background.tsv in the model's folder is "
        "taken without being asked for.\n\n" GW_INFERENCE_HELP,
    .examples =
        "godwit background -m model -f ref.fa -o common.tsv.gz 1000G.common.bcf\n"
        "godwit score -m model -f ref.fa --background common.tsv.gz in.vcf\n"
        "godwit background -m human-splice -f GRCh38.fa -g genes.tsv -i 'INFO/AF>=0.05' --name 'common variants' "
        "-o background.tsv 1000G.vcf.gz\n"
        "godwit background -m chrombpnet -f GRCh38.fa --places peaks.narrowPeak -o peaks.tsv.gz",
    GW_COMMAND_TAKES(0, 1),
    .run = run,
};
