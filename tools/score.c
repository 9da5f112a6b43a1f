// SPDX-License-Identifier: MIT
// godwit score: writes variant effects as INFO keys of a VCF or BCF.
#include "base/log.h"
#include "base/parse.h"
#include "file/input.h"
#include "network/base_network.h"
#include "score/constructs.h"
#include "score/score_alleles.h"
#include "score/score_output.h"
#include "score/splice_scorer.h"
#include "seq/genes/genes.h"
#include "seq/track/track.h"
#include "seq/vcf/variant_text.h"
#include "tools/cli/common.h"
#include "tools/cli/paths.h"
#include "tools/score_map.h"
#include "tools/shared_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    gw_variant_arguments of;
    const char *shard;
    gw_string_list maps;
    const char *mark;
    bool verbose;
} score_arguments;

static const score_arguments defaults = {
    .of.score = {
        .tag = "GW", .phases = 1, .distance = GW_SPLICE_DISTANCE, .digits = 2, .memory = GW_SPLICE_MEMORY / 1000000}};

#define FIELD(name) offsetof(score_arguments, name)
#define SCORE(name) FIELD(of.score.name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input"},
    GW_OPTION_ROWS_VARIANTS(FIELD(of)),
    {GW_OPTION_LETTER, 0, "check-ref", "DO", SCORE(check_ref),
     "where REF differs from the reference: e stop, w GW_STATUS=REFMISMATCH, x leave the record out, s score as "
     "swapped where the reference has ALT (w, but stop where it differs in more than a quarter of 20 alleles or more)",
     .choices = "e|w|x|s", .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "constructs", "TABLE", SCORE(constructs),
     "models of windows: instead of a file a table of sequences with their changes, no genome "
     "(docs/reference/expression.md)",
     .models = GW_MODEL_LABELLED},
    {GW_OPTION_STRING, 0, "flank5", "BASES", SCORE(flank5), "bases before each sequence of --constructs",
     .of = GW_OF_CONSTRUCTS, .models = GW_MODEL_LABELLED},
    {GW_OPTION_STRING, 0, "flank3", "BASES", SCORE(flank3), "bases behind it", .of = GW_OF_CONSTRUCTS,
     .models = GW_MODEL_LABELLED},
    {GW_OPTION_STRING, 0, "shard", "I/N", FIELD(shard),
     "the I-th of N equal parts of the records; slurm: by the task of a job array", .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "variants", "LIST", SCORE(variants),
     "variants instead of a file: chr17:43045711:G:A, chr17:g.43045711G>A, NM_007294.4:c.68-7T>A and rpoB:p.S531L (of "
     "--genes), A2717506C (a genome of one contig), or names that --ids explains, ...",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "variants-file", "FILE", SCORE(variants_file),
     "a text file of such variants; lines that begin with # are comments", .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 0, "strict", NULL, SCORE(strict),
     "score nothing where one of --variants or --variants-file cannot be read; without it the others are scored",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "ids", "FILE", SCORE(ids),
     "VCF or BCF of known variants, in whose ID column the names of --variants are looked up (rs80357410)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 'g', "genes", "FILE", SCORE(genes),
     "GFF3, GTF or SGD's table: name the genes that an allele overlaps (GW_GENE); gene:NAME in -r; genes and "
     "transcripts of --variants; models of tracks: signals around their start sites (GW_TSS); models of splicing: "
     "SpliceAI's table of genes and exons, or the canonical transcripts of GFF3 or GTF",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 0, "consequence", NULL, SCORE(consequence),
     "write what alleles do to the transcripts of --genes (GW_BCSQ), in the terms and layout of bcftools csq",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "motifs", "FILE", SCORE(motifs),
     "motifs in MEME's text format: write whose sites an allele makes or breaks, with the change of log odds "
     "(GW_MOTIFS)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_REAL, 0, "motif-p-value", "P", SCORE(motif_p_value),
     "sites of --motifs have a p-value below this (0: 1e-4)", .min = 0, .max = 1, .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 0, "all-snvs", NULL, SCORE(all_snvs),
     "instead of a file every single-base change of the regions of -r and -R, into an indexed file for --known",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "known", "FILE", SCORE(known),
     "take the scores that an indexed table has and compute the others; GW_SOURCE says which: a file of this command "
     "(model and options must be the same), a VCF of SpliceAI's scores, or a TSV such as CADD's "
     "(docs/reference/scores.md)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "known-columns", "LIST", SCORE(known_columns),
     "columns of that TSV, REF,ALT,SCORE or the score's alone, by name or number (REF,ALT and SCORE, PHRED or AVI); "
     "of a VCF the INFO key of the score",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_STRING, 'o', "output", "FILE", SCORE(output),
     "variant file to write: .vcf, .vcf.gz or .bcf (standard output, but with --table)", .writes = true},
    {GW_OPTION_STRING, 0, "table", "FILE", SCORE(table),
     "table to write, a row for each allele and a column for each number: .tsv, .tsv.gz or .parquet; no variant file "
     "then, unless -o names one",
     .writes = true, .endings = GW_ROWS_ENDINGS, .of = GW_OF_VARIANTS},
    {GW_OPTION_LETTER, 'O', "output-type", "TYPE", SCORE(format),
     "VCF, BGZF-compressed VCF, uncompressed or compressed BCF (by the name)", .choices = "v|z|u|b",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_CHOICE, 0, "write-index", "[=FMT]", SCORE(index), "index the output too; csi where no format is given",
     .choices = "csi|tbi", .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "tag", "X", SCORE(tag), "prefix of the INFO keys", .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 0, "overwrite", NULL, SCORE(overwrite), "replace keys that are there already",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "scores", "LIST", SCORE(scores),
     "of diff, logit, log2fc, effect, mean, llr, evalue, z, percentile, context, jsd, embedding (by the model: "
     "diff,logit,mean or llr)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "background", "FILE", SCORE(background),
     "made by godwit background; adds evalue, z and percentile where --scores is not given (the model's own, "
     "background.tsv in its folder)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_CHOICE, 0, "tail", "TAIL", SCORE(tail),
     "alleles that an e-value counts: as low or lower a log-likelihood ratio, or as large an effect (by the model: "
     "pretrained lower, fine-tuned two)",
     .choices = "lower|two", .of = GW_OF_VARIANTS},
    {GW_OPTION_INT, 0, "top", "K", SCORE(top), "list the K profiles of the largest difference too (GW_TOPS)", .min = 0,
     .max = 1e6, .of = GW_OF_VARIANTS, .models = GW_MODEL_WINDOWS},
    {GW_OPTION_FLAG, 0, "shifts", NULL, SCORE(shifts),
     "score insertions and deletions at their leftmost and rightmost place too (GW_LEFT, GW_RIGHT)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_LETTER, 0, "strand", "STRAND", SCORE(strand),
     "models of numbers that read one strand: that of the genome to read, such as the gene's whose promoter they know "
     "(+)",
     .choices = "+|-", .of = GW_OF_VARIANTS, .models = GW_MODEL_NUMBERS},
    {GW_OPTION_FLAG, 0, "haplotypes", NULL, SCORE(haplotypes),
     "score what the variants of one haplotype (GT, PS) do together, as far as they lie within a quarter of the window "
     "(GW_HAP, GW_HAP_SCORE, GW_HAP_X)",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "sample", "NAME", SCORE(sample), "whose haplotypes (the only sample)", .of = GW_OF_VARIANTS},
    {GW_OPTION_INT, 0, "indel-null", "N", SCORE(indel_null),
     "set insertions and deletions against N neutral ones of the same length and kind within 50 kb, outside the genes "
     "of --genes (GW_NULL_Z, GW_NULL_PCT); each takes as long as the one itself",
     .min = GW_NULL_LEAST, .max = 1000, .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 0, "vep", NULL, SCORE(vep),
     "one key instead, GW_CSQ, with all values joined by | as Ensembl VEP writes them", .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 0, "raw", NULL, SCORE(raw),
     "write the top profile's probabilities too; models of splicing: those of REF and ALT at each score's place",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "profiles", "X.npy", SCORE(profiles),
     "every profile of every allele, with X.rows.tsv and X.profiles.tsv", .writes = true, .endings = "npy",
     .of = GW_OF_VARIANTS, .models = GW_MODEL_WINDOWS},
    {GW_OPTION_STRING, 0, "reasons", "FILE", SCORE(reasons),
     "table of the alleles without a score, and of the variants that cannot be read", .writes = true,
     .endings = GW_TABLE_ENDINGS, .of = GW_OF_VARIANTS},
    {GW_OPTION_LIST, 0, "map", "FILE", FIELD(maps),
     "all single-base changes as a picture (.png, .svg), a table (.tsv) or a track of means (.bw, .bedgraph); may be "
     "repeated",
     .writes = true, .endings = "svg|png|tsv|tsv.gz|bw|bigwig|bedgraph|bedgraph.gz", .of = GW_OF_VARIANTS},
    {GW_OPTION_STRING, 0, "mark", "BED", FIELD(mark), "regions to mark, with their names, above the pictures of --map",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_GROUP, .help = "Scoring"},
    {GW_OPTION_INT, 0, "phases", "K", SCORE(phases),
     "average over K windows shifted by 0, 1, -1, 2 ... bp, whose tokens begin elsewhere; GW_SD is their spread",
     .min = 1, .max = 16, .of = GW_OF_VARIANTS},
    {GW_OPTION_INT, 0, "share-windows", "BP", SCORE(share),
     "models of single bases, pretrained: single-base changes at least BP apart share a window, faster, less exact "
     "(0: none do)",
     .min = 0, .max = 1e6, .of = GW_OF_VARIANTS, .models = GW_MODEL_PRETRAINED},
    {GW_OPTION_INT, 'D', "distance", "BP", SCORE(distance), "models of splicing: score sites up to so far from POS",
     .min = 1, .max = 10000, .of = GW_OF_VARIANTS, .models = GW_MODEL_SPLICING},
    {GW_OPTION_FLAG, 0, "anywhere", NULL, SCORE(anywhere),
     "models of splicing: score variants that lie in no gene too, on both strands, whose entries are called + and - "
     "(so without --genes)",
     .of = GW_OF_VARIANTS, .models = GW_MODEL_SPLICING},
    {GW_OPTION_NAMED, 'M', "mask", "MASK", SCORE(mask),
     "models of splicing: 1 makes gains at annotated sites and losses elsewhere 0", .choices = "0|1",
     .of = GW_OF_VARIANTS, .models = GW_MODEL_SPLICING},
    {GW_OPTION_INT, 0, "digits", "N", SCORE(digits), "models of splicing: digits of scores", .min = 0, .max = 9,
     .of = GW_OF_VARIANTS, .models = GW_MODEL_SPLICING},
    {GW_OPTION_INT, 0, "memory", "MB", SCORE(memory),
     "memory for what variants share of the reference; models of splicing: one window always fits", .min = 1,
     .max = 1e9, .of = GW_OF_VARIANTS},
    {GW_OPTION_CHOICE, 0, "approximate", "HOW", SCORE(approximate),
     "fine-tuned models: gradient: changes of single bases by the gradient of REF's score, one pass forward and one "
     "back for all of a window (docs/reference/scores.md)",
     .choices = "gradient", .of = GW_OF_VARIANTS, .models = GW_MODEL_LABELLED},
    {GW_OPTION_INT, 0, "around", "BP", SCORE(around),
     "models of tracks: sum the rows within BP around the variant, not all that are predicted", .min = 1, .max = 1e9,
     .of = GW_OF_VARIANTS, .models = GW_MODEL_TRACKS},
    {GW_OPTION_INT, 0, "around-tss", "BP", SCORE(around_tss),
     "models of tracks, with --genes: sum the rows within BP around a gene's start site (384: three of Enformer's)",
     .min = 1, .max = 1e9, .of = GW_OF_VARIANTS, .models = GW_MODEL_TRACKS},
    {GW_OPTION_FLAG, 0, "plain", NULL, SCORE(plain), "compute every window as a whole, to compare",
     .of = GW_OF_VARIANTS},
    {GW_OPTION_FLAG, 'v', "verbose", NULL, FIELD(verbose), "say what share of the windows is computed"},
    GW_OPTION_ROWS_SCORED_WINDOWS(FIELD(of)),
    {.help = NULL},
};

// The codon changes that make a change of a protein, whose records stand next to each other: the one with the largest
// score so far.
typedef struct {
    gw_string id, best; // the protein's change, the codon's; empty: none
    int64_t codons;
    float value;
} codon_choice;

typedef struct {
    bool bits, maps;
    gw_score_map map;
    codon_choice choice;
} each_allele;

static gw_status end_choice(const each_allele *e) {
    const codon_choice *c = &e->choice;
    if (c->codons > 1 && c->best.length > 0)
        gw_note("%s: %lld codons make it; %s, %+.3f, is that of %s", c->id.data, (long long)c->codons,
                e->bits ? "the highest GW_LLR" : "the largest GW_DIFF", (double)c->value, c->best.data);
    return gw_string_status(&c->best);
}

static gw_status add_allele(void *context, const gw_vcf_record *record, const gw_allele *allele,
                            gw_consequences *consequences) {
    each_allele *e = context;
    codon_choice *c = &e->choice;
    const float value = e->bits ? allele->bits : allele->difference;
    if (e->maps) GW_TRY(gw_score_map_add(&e->map, record, allele, consequences));
    if (!gw_variant_text_is_of_protein(record->id)) return GW_OK;
    if (c->id.length == 0 || strcmp(c->id.data, record->id) != 0) {
        GW_TRY(end_choice(e));
        gw_string_clear(&c->id);
        gw_string_clear(&c->best);
        gw_string_puts(&c->id, record->id);
        GW_TRY(gw_string_status(&c->id));
        c->codons = 0;
    }
    c->codons++;
    if (!gw_allele_is_scored(allele->status)) return GW_OK;
    if (c->best.length > 0 && !(e->bits ? value > c->value : fabsf(value) > fabsf(c->value))) return GW_OK;
    c->value = value;
    gw_string_clear(&c->best);
    gw_string_printf(&c->best, "%s:%lld:%s:%s", record->contig, (long long)record->position + 1, record->ref,
                     record->alt[0]);
    return gw_string_status(&c->best);
}

static gw_status environment(const char *name, int64_t *value) {
    const char *text = getenv(name);
    if (!text)
        return gw_fail(GW_ERR_USAGE, "--shard slurm: %s is not set, so that this is not a task of a job array", name);
    const gw_status status = gw_parse_int(text, 0, INT32_MAX, value);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", name);
}

// --shard's two numbers; of "slurm" the tasks of a job array in the order of their numbers, which are min, min + step
// ...
static gw_status parse_shard(const char *text, int64_t *shard, int64_t *shards) {
    *shard = *shards = 0;
    if (!text) return GW_OK;
    if (strcmp(text, "slurm") != 0) {
        if (gw_parse_part(text, shard, shards) == GW_OK) return GW_OK;
        char fault[256];
        snprintf(fault, sizeof fault, "%s", gw_message());
        return gw_fail(GW_ERR_USAGE, "--shard: %s", fault);
    }
    int64_t id, first, step = 1;
    GW_TRY(environment("SLURM_ARRAY_TASK_ID", &id));
    GW_TRY(environment("SLURM_ARRAY_TASK_MIN", &first));
    GW_TRY(environment("SLURM_ARRAY_TASK_COUNT", shards));
    if (getenv("SLURM_ARRAY_TASK_STEP")) GW_TRY(environment("SLURM_ARRAY_TASK_STEP", &step));
    *shard = step > 0 && id >= first && (id - first) % step == 0 ? (id - first) / step + 1 : 0;
    if (*shard >= 1 && *shard <= *shards) return GW_OK;
    return gw_fail(GW_ERR_USAGE, "--shard slurm needs an array of evenly spaced numbers, such as --array=1-%lld",
                   (long long)*shards);
}

static gw_status score(score_arguments *a, gw_model *model, gw_genome *genome) {
    // Shards have the header of one run, so that they can be put together.
    static const gw_option_name places[] = {{'o', "output"}, {0, "table"}, {0, "shard"}, {0, NULL}};
    gw_score_options *o = &a->of.score;
    char version[64];
    gw_regions sites = {0}; // of --mark
    each_allele each = {.bits = model->config.labels == 0,
                        .maps = a->maps.count > 0,
                        .map = {.key = gw_model_reads_signals(model)          ? "POLYA"
                                       : gw_config_has_tracks(&model->config) ? "LFC"
                                       : gw_model_labels_bases(model) ? gw_model_splices(model) ? "SPLICE" : "DELTA"
                                       : model->config.labels == 0    ? "LLR"
                                                                      : "DIFF",
                                .numbers = gw_config_has_numbers(&model->config),
                                .sites = &sites}};
    if (!(o->command = gw_command_line_without(places))) return GW_ERR_MEMORY;
    snprintf(version, sizeof version, "%s+htslib-%s", GW_VERSION, gw_htslib_version());
    o->version = version;
    o->each = a->maps.count > 0 || o->variants || o->variants_file ? add_allele : NULL;
    o->context = &each;
    gw_status status = a->mark ? gw_regions_read_bed(&sites, genome, a->mark) : GW_OK;
    if (status == GW_OK) status = gw_score(model, genome, o);
    if (status == GW_OK) status = end_choice(&each);
    for (int i = 0; status == GW_OK && i < a->maps.count; i++)
        status = gw_score_map_write(&each.map, genome, a->maps.items[i]);
    gw_regions_free(&sites);
    gw_score_map_free(&each.map);
    gw_string_free(&each.choice.id);
    gw_string_free(&each.choice.best);
    return status;
}

static unsigned kind(const void *arguments) {
    return ((const score_arguments *)arguments)->of.score.constructs ? GW_OF_CONSTRUCTS : 0; // none: all have use
}

static void name_kinds(unsigned kinds, char *text, size_t size) {
    snprintf(text, size, "%s", kinds & GW_OF_CONSTRUCTS ? "--constructs" : "variants, not with --constructs");
}

static gw_status score_constructs(const score_arguments *a) {
    gw_model *model;
    GW_TRY(gw_score_options_check(&a->of.score, NULL));
    GW_TRY(gw_check_ending(a->of.score.output, GW_TABLE_ENDINGS));
    GW_TRY(gw_device_apply(a->of.inference.device));
    GW_TRY(gw_model_load(a->of.score.model_folder, &model));
    gw_status status = gw_inference_apply(&a->of.inference, model);
    if (status == GW_OK) status = gw_score_constructs(model, &a->of.score);
    gw_model_free(model);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    score_arguments *a = arguments;
    gw_score_options *o = &a->of.score;
    gw_string named = {0};
    if (a->verbose) gw_terminal_say_details();
    o->input = count > 0 ? operands[0] : NULL;
    if (o->constructs) return score_constructs(a);
    if (o->format && o->table && !o->output)
        return gw_fail(GW_ERR_USAGE, "-O is the format of the variant file: with --table, name this file with -o");
    if (!o->format) GW_TRY(gw_check_ending(o->output, GW_VCF_ENDINGS "|bcf"));
    // What the options leave open: the format by the name, and the index, which a file of --all-snvs has anyway. Memory
    // is given in MB.
    o->memory *= 1000000;
    if (!o->format) o->format = gw_vcf_format_of(o->output);
    const bool choose_index = o->index ? !o->index[0] : o->all_snvs;
    if (choose_index) o->index = o->all_snvs && o->format == 'z' ? "tbi" : "csi";
    GW_TRY(parse_shard(a->shard, &o->shard, &o->shards));
    if (!o->input && !o->variants && !o->variants_file && !o->all_snvs && isatty(STDIN_FILENO))
        return gw_fail(GW_ERR_USAGE, "an input file is missing");
    if (o->table && o->output && strcmp(o->table, o->output) == 0)
        return gw_fail(GW_ERR_USAGE, "-o and --table name the same file, %s", o->table);
    if (a->mark && a->maps.count == 0) return gw_fail(GW_ERR_USAGE, "--mark is for the pictures of --map");
    for (int i = 0; i < a->maps.count; i++)
        if (gw_track_is_named(a->maps.items[i])) GW_TRY(gw_track_check(a->maps.items[i]));
    gw_model *model;
    gw_genome *genome;
    o->weights_md5 = gw_weights_md5_begin(o->model_folder);
    gw_status status = gw_variants_open(&a->of, &model, &genome);
    if (status == GW_OK) status = gw_place_genes(&o->regions, o->genes, genome, &named);
    if (status == GW_OK) status = score(a, model, genome);
    gw_weights_md5_end(o->weights_md5);
    gw_string_free(&named);
    gw_genome_close(genome);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_score = {
    .name = "score",
    .group = "Variants",
    .summary = "effects of variants by a model, as INFO keys of a VCF or BCF",
    .usage = "-m FOLDER -f ref.fa [options] [in.vcf]",
    .description =
        "All records come back in order with everything kept; from VCF to VCF only INFO changes. Each ALT gets a "
        "value, or '.' and a reason in GW_STATUS. A fine-tuned model writes GW_DIFF, p(ALT) - p(REF) of the profile "
        "that changes most, and keys beside it. A pretrained model writes GW_LLR, the log-likelihood ratio of ALT "
        "to REF in bits.\n\n"
        "Keys of a fine-tuned model: GW_DIFF = p(ALT) - p(REF) of the profile that changes most, GW_LOGIT the "
        "difference of its logits, GW_TOPI and GW_TOP the index and name of this profile, GW_MEAN the mean size of "
        "the differences over all profiles; with --raw also GW_PREF and GW_PALT. --scores chooses: log2fc is log2 "
        "p(ALT)/p(REF) of the top profile (GW_LOG2FC), effect its |difference| x |logit difference| (GW_EFFECT). "
        "Against a --background of other variants evalue is the share of them with an effect at least as large in "
        "this profile (GW_EVALUE), z the difference in standard deviations from their mean (GW_Z), percentile the "
        "per cent of them whose largest difference is smaller (GW_PCT). Probabilities are averaged over both "
        "strands first. A model of measured numbers gives GW_DIFF in the unit of the number and GW_LOGIT in "
        "standard deviations of the training numbers, on the forward strand unless it was trained on both. A "
        "promoter model scores the windows of --sites, on each TSS's strand, and keeps the largest difference.\n\n"
        "Key of a pretrained model: GW_LLR, the log-likelihood ratio of ALT to REF in bits under the masked "
        "language model, the mean of both strands. Each token that differs costs a run of the window. Single-base "
        "changes cost few runs; an insertion or deletion costs as many as tokens follow it in the window, so a "
        "smaller --window is much faster. GW_EVALUE is the share of the background's alleles whose ratio is as low "
        "or lower: it is small if ALT is less likely. --tail two counts ratios of this size of either sign. "
        "--scores context, against a background made --by context, is the ratio of a single-base change less the "
        "mean of changes to the same base between the same two bases on either side (GW_CTX). A background of fewer "
        "than 100 alleles gives missing values.\n\n"
        "A model of splicing scores in the genes of --genes, or without them on both strands. OpenSpliceAI "
        "(SpliceAI for a network with ReLU) has an entry of each allele and gene (or strand) in the layout of those "
        "tools. GW_SPLICE is the largest of these scores and GW_SPLICE_AT its place. Against a background GW_PCT is "
        "the per cent of alleles whose largest score is smaller. COMPLEX, LONG, PADDED and OUTSIDE mark alleles "
        "that those tools do not score. NOGENE means that no gene holds the allele (docs/reference/splicing.md).\n\n"
        "A model of polyadenylation scores both strands: GW_POLYA is the change of the log odds of cleavage behind "
        "the signal that changes most, GW_POLYA_AT its place, and GW_POLYA_SIGNALS has an entry of each signal. "
        "NOSIGNAL means that no signal is near (docs/reference/scores.md).\n\n"
        "<DEL>, <DUP> (in tandem) and <INV> with a length in SVLEN or END are scored as bases.\n\n"
        "Unscored: NOALT (ALT is '.'; the record is unchanged), SPANNING ('*'), SYMBOLIC (another symbol), NOLENGTH "
        "(<DEL>, <DUP>, <INV> without SVLEN and END), BREAKEND, NOCONTIG, REFMISMATCH, ABSENT (only N in the "
        "reference under REF), AMBIGUOUS (a letter other than A, C, G, T), TOOLONG (an allele longer than a quarter "
        "of the window), EDGE (the window leaves the contig), NOSITE (no TSS's window covers it), NOTSNV "
        "(--approximate: not one base for another). NRICH is scored: more than half of a window is N. SWAPPED is "
        "scored by --check-ref s: REF and ALT are exchanged, and so is the sign. GW_SITE names the TSS that gave a "
        "promoter model's value. GW_GENE, with --genes, names the genes that the trimmed REF overlaps, scored or "
        "not.\n\n"
        "GW_BCSQ, with --genes and --consequence, has an entry for each transcript and allele, record by record, in "
        "the layout of bcftools csq --local-csq: "
        "consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change. Some alleles have no entry "
        "(docs/reference/scores.md).\n\n"
        "--constructs: a table with the columns sequence and change (POS:REF:ALT in that sequence, from 1, several "
        "between commas) or changed (the whole changed sequence). It comes back with GW_STATUS and, for each label, "
        "LABEL.ref, LABEL.alt and LABEL.diff. --flank5 and --flank3 stand on either side of every sequence.\n\n"
        "--variants and --variants-file: variants that can be read are scored, and warnings name the others; with "
        "--strict nothing is scored then. A change of a protein (rpoB:p.S531L) has a record for each codon that "
        "makes it, named by INFO/CODON. A line on stderr names the one with the highest GW_LLR or the largest "
        "GW_DIFF.\n\n"
        "-r gene:BRCA1 stands for the bases of that gene's transcripts in --genes.\n\n"
        "##contig lines that records need and the header lacks are added.\n\n"
        "--table: the columns CHROM, POS, ID, REF and ALT, then one for each INFO key, empty (in Parquet null) if a "
        "value is missing. A model of splicing has a row for each allele and gene, with the columns SYMBOL, DS_AG "
        "... DP_DL. Alleles without a score, and records without an ALT, have a row with the reason in GW_STATUS "
        "(docs/reference/formats.md).\n\n"
        "With -o FILE the scores are kept in FILE.journal until FILE is complete (without -o, but with --table, in "
        "that table's journal). The same command continues a stopped or killed run. With --shard each run writes a "
        "part of one file, and bcftools concat joins the parts in the order of their numbers. Their header is that "
        "of one run: it does not name -o, --table and --shard.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit score -m human-splice -f GRCh38.fa -o scored.vcf.gz in.vcf.gz\n"
                "godwit score -m model -f ref.fa -o scored.vcf.gz --write-index in.vcf.gz\n"
                "godwit score -m ecoli -f genome.fa -g genome.gff --variants-file list.txt -o scored.vcf\n"
                "godwit score -m human-splice -f GRCh38.fa --table scores.tsv in.vcf.gz\n"
                "godwit score -m model -f ref.fa --shard 3/10 -o part.03.bcf in.bcf\n"
                "godwit score -m model -f ref.fa --variants 'chr17:43045711:G:A,chr17:g.43045712_43045714del'\n"
                "godwit mutate -f ref.fa -r chr1:1001-1200 | godwit score -m model -f ref.fa --map map.png - > all.vcf",
    GW_COMMAND_TAKES(0, 1),
    .outputs_together = true,
    .run = run,
    .kind = kind,
    .name_kinds = name_kinds,
    .model_kinds = gw_variants_model_kinds,
    .common = "model|fasta|regions|regions-file|include|variants|genes|output|table|output-type|"
              "write-index|scores|map|window|dtype|device",
};
