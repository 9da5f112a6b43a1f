// SPDX-License-Identifier: MIT
// godwit explain: contributions of a region's bases to a prediction, as tracks, arrays, letters and seqlets.
#include "score/explain.h"
#include "score/seqlets.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "file/lines.h"
#include "motif/match.h"
#include "seq/genes/genes.h"
#include "task/trained_on.h"
#include "tools/picture/picture.h"
#include "tools/shared_options.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *fasta, *output, *chr_map, *genes, *format, *references, *motifs;
    gw_region_choice choice;
    gw_explain_options of;
    gw_seqlet_options seqlets;
    double motif_p;
    int64_t pictures, memory;
    bool plain;
    gw_inference_arguments inference;
} explain_arguments;

static const explain_arguments defaults = {.of = {.references = 20, .seed = 1},
                                           .seqlets = {0.01, 4, 25},
                                           .motif_p = 1e-3,
                                           .pictures = 20,
                                           .memory = 2000,
                                           .format = "both"};

#define FIELD(name) offsetof(explain_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "fine-tuned or pretrained model", .required = true},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta),
     "genome of the regions; without any, sequences: each record is a region", .required = true},
    {GW_OPTION_STRING, 'r', "regions", "LIST", FIELD(choice.regions),
     "regions chr:beg-end, comma separated (1-based); gene:NAME of --genes"},
    {GW_OPTION_STRING, 'R', "regions-file", "BED", FIELD(choice.regions_file), "regions from a file"},
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes), "GFF3, GTF or SGD's table, for gene:NAME in -r"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(chr_map), "TSV: another name, contig name in the genome"},
    {GW_OPTION_STRING, 'o', "output", "FOLDER", FIELD(output), "folder to write", .required = true, .writes = true},
    {GW_OPTION_GROUP, .help = "Explanation"},
    {GW_OPTION_STRING, 't', "target", "NAME", FIELD(of.target.name),
     "label or track that is explained, by its name or its number from 0; of profiles also counts"},
    {GW_OPTION_NAMED, 0, "method", "NAME", FIELD(of.method),
     "ism: every single-base change; gradient: gradient times input; shap: DeepLIFT with shuffled references",
     .choices = GW_EXPLAIN_METHODS},
    {GW_OPTION_INT, 0, "references", "N", FIELD(of.references), "shap: references with shuffled dinucleotides",
     .min = 1, .max = 100000},
    {GW_OPTION_STRING, 0, "references-file", "FILE", FIELD(references),
     "shap: FASTA of references as long as the window, in place of shuffled ones"},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.seed), "shap: seed of the shuffles", .min = 0, .max = 9e15},
    {GW_OPTION_INT, 0, "window", "N", FIELD(of.window),
     "pretrained models: bp of the window around a base (0: the smaller of 1000 and what fits)", .min = 0,
     .max = INT32_MAX},
    {GW_OPTION_GROUP, .help = "Seqlets"},
    {GW_OPTION_REAL, 0, "seqlet-p", "P", FIELD(seqlets.threshold),
     "stretches of high contribution have p below this (0: none are called)", .min = 0, .max = 1},
    {GW_OPTION_INT, 0, "seqlet-shortest", "N", FIELD(seqlets.shortest), "bases of a seqlet at least", .min = 1,
     .max = 1000},
    {GW_OPTION_INT, 0, "seqlet-longest", "N", FIELD(seqlets.longest), "bases of a seqlet at most", .min = 1,
     .max = 1000},
    {GW_OPTION_STRING, 0, "motifs", "FILE", FIELD(motifs),
     "motifs in MEME's text format, such as JASPAR's: name each seqlet by the motif that it is most like"},
    {GW_OPTION_REAL, 0, "motif-p", "P", FIELD(motif_p), "names have a p-value of Tomtom below this", .min = 0,
     .max = 1},
    {GW_OPTION_GROUP, .help = "Pictures"},
    {GW_OPTION_INT, 0, "pictures", "N", FIELD(pictures), "draw the first N regions as letters", .min = 0,
     .max = 100000},
    {GW_OPTION_CHOICE, 0, "picture-type", "TYPE", FIELD(format), "file type of pictures", .choices = "svg|png|both"},
    {GW_OPTION_GROUP, .help = "Computing"},
    {GW_OPTION_INT, 0, "memory", "MB", FIELD(memory), "memory for what changed windows share", .min = 1, .max = 1e9},
    {GW_OPTION_FLAG, 0, "plain", NULL, FIELD(plain), "compute every changed window as a whole"},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.target.batch_tokens), "tokens computed at a time (0: the default)",
     .min = 0, .max = 1e8},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

typedef struct {
    const explain_arguments *of;
    gw_model *model;
    gw_genome *genome;
    gw_regions regions;
    gw_explainer *explainer;
    gw_explained *list;
    int64_t count;
    gw_seqlets seqlets;
    gw_motifs motifs;      // that seqlets are named by
    gw_motif_match *named; // [seqlets] motif -1: none is like it; NULL: nothing is named
} explaining;

static gw_status read_regions(explaining *x) {
    const explain_arguments *a = x->of;
    if (!a->choice.regions && !a->choice.regions_file) {
        for (int c = 0; c < gw_genome_contigs(x->genome); c++)
            GW_TRY(gw_regions_add(&x->regions,
                                  (gw_region){.contig = c, .end = gw_genome_length(x->genome, c), .strand = '.'}));
    } else {
        if (a->choice.regions) GW_TRY(gw_regions_parse_genes(&x->regions, x->genome, a->choice.regions, a->genes));
        if (a->choice.regions_file) GW_TRY(gw_regions_read_bed(&x->regions, x->genome, a->choice.regions_file));
    }
    if (x->regions.count > 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s has no region", a->choice.regions_file ? a->choice.regions_file : a->fasta);
}

// All of them together make the null.
static gw_status find_seqlets(explaining *x) {
    const gw_seqlet_options *o = &x->of->seqlets;
    if (o->shortest > o->longest)
        return gw_fail(GW_ERR_USAGE, "--seqlet-shortest is %lld, more than --seqlet-longest, %lld",
                       (long long)o->shortest, (long long)o->longest);
    const float **values = gw_alloc(x->count, sizeof *values);
    int64_t *lengths = gw_alloc(x->count, sizeof *lengths);
    gw_status status = values && lengths ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < x->count; i++) {
        values[i] = x->list[i].contribution;
        lengths[i] = x->list[i].region.end - x->list[i].region.begin;
    }
    if (status == GW_OK && o->threshold > 0) status = gw_seqlets_find(values, lengths, x->count, o, &x->seqlets);
    free(values);
    free(lengths);
    return status;
}

// The best match of each: its bases, each with its contribution over the largest one, as columns of probabilities.
static gw_status name_seqlets(explaining *x) {
    if (!x->of->motifs || x->seqlets.count == 0) return GW_OK;
    gw_motif_match *matches = gw_alloc(x->motifs.count, sizeof *matches);
    double(*query)[4] = gw_alloc(GW_MOTIF_WIDEST, sizeof *query);
    x->named = gw_alloc(x->seqlets.count, sizeof *x->named);
    gw_status status = matches && query && x->named ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < x->seqlets.count; i++) {
        const gw_seqlet *s = &x->seqlets.items[i];
        const gw_explained *e = &x->list[s->sequence];
        const int64_t width = gw_min(s->end - s->begin, GW_MOTIF_WIDEST);
        double most = 0;
        for (int64_t k = 0; k < width; k++) most = fmax(most, fabs((double)e->contribution[s->begin + k]));
        for (int64_t k = 0; k < width; k++)
            for (int b = 0; b < 4; b++) {
                const double value = (double)e->contribution[s->begin + k] / (s->sum < 0 ? -most : most);
                query[k][b] = e->bases[s->begin + k] == "ACGT"[b] ? value : 0;
            }
        status = gw_motif_match_all(&x->motifs, (const double(*)[4])query, (int)width, matches);
        if (status == GW_OK) x->named[i] = matches[0];
        if (status == GW_OK && !(matches[0].p_value < x->of->motif_p)) x->named[i].motif = -1;
    }
    free(query);
    free(matches);
    return status;
}

static const gw_motif *name_of(const explaining *x, int64_t seqlet) {
    return x->named && x->named[seqlet].motif >= 0 ? &x->motifs.items[x->named[seqlet].motif] : NULL;
}

// BED6 with the sum of contributions, p and the bases; then the motif, and p of its match.
static gw_status write_seqlets(const explaining *x) {
    gw_text_writer *out;
    gw_string line = {0};
    char *path = gw_join_path(x->of->output, "seqlets.bed");
    if (!path) return GW_ERR_MEMORY;
    gw_status status = gw_writer_open(path, &out);
    free(path);
    GW_TRY(status);
    for (int64_t i = 0; status == GW_OK && i < x->seqlets.count; i++) {
        const gw_seqlet *s = &x->seqlets.items[i];
        const gw_explained *e = &x->list[s->sequence];
        const gw_motif *motif = name_of(x, i);
        gw_string_clear(&line);
        gw_string_printf(&line, "%s\t%lld\t%lld\t", gw_genome_name(x->genome, e->region.contig),
                         (long long)(e->region.begin + s->begin), (long long)(e->region.begin + s->end));
        if (motif) gw_string_printf(&line, "%s", motif->name[0] ? motif->name : motif->id);
        else gw_string_printf(&line, "seqlet%lld", (long long)i + 1);
        gw_string_printf(&line, "\t%lld\t%c\t%.6g\t%.4g\t%.*s",
                         (long long)(s->p > 0 ? fmin(1000, -100 * log10(s->p)) : 1000),
                         !motif                ? '.'
                         : x->named[i].reverse ? '-'
                                               : '+',
                         s->sum, s->p, (int)(s->end - s->begin), e->bases + s->begin);
        if (x->named) {
            gw_string_printf(&line, "\t%s\t", motif ? motif->id : ".");
            if (motif) gw_string_printf(&line, "%.3g", x->named[i].p_value);
            else gw_string_puts(&line, ".");
        }
        gw_string_putc(&line, '\n');
        status = gw_string_status(&line);
        if (status == GW_OK) status = gw_writer_write(out, line.data, line.length);
    }
    gw_string_free(&line);
    return gw_writers_close(status, out, NULL);
}

// "chrII_1001_1080" or the region's name, of letters, digits, '.', '-' and '_'.
static gw_status picture_path(const explaining *x, const gw_explained *e, int64_t index, const char *ending,
                              char **out) {
    const gw_region *r = &e->region;
    char *name = r->name && r->name[0] && strcmp(r->name, ".") != 0
                     ? gw_strprintf("%lld_%s.%s", (long long)index + 1, r->name, ending)
                     : gw_strprintf("%lld_%s_%lld_%lld.%s", (long long)index + 1, gw_genome_name(x->genome, r->contig),
                                    (long long)r->begin + 1, (long long)r->end, ending);
    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(".-_", *c)) *c = '_';
    *out = name ? gw_join_path(x->of->output, name) : NULL;
    free(name);
    return *out ? GW_OK : GW_ERR_MEMORY;
}

static gw_status draw(const explaining *x, const gw_explained *e, int64_t index, const char *ending) {
    static const char *const methods[] = {"saturation", "gradient times input", "DeepLIFT/SHAP"};
    const gw_region *r = &e->region;
    const char *contig = gw_genome_name(x->genome, r->contig);
    gw_string title = {0}, x_label = {0}, y_label = {0};
    char *path = NULL;
    gw_string_printf(&title, "%s:%lld-%lld: contributions to %s (%s)", contig, (long long)r->begin + 1,
                     (long long)r->end, gw_explainer_target(x->explainer), methods[x->of->of.method]);
    gw_string_printf(&x_label, "position on %s (bp)", contig);
    gw_string_puts(&y_label, gw_explainer_unit(x->explainer));
    gw_picture_span *spans = gw_alloc(x->seqlets.count + 1, sizeof *spans);
    int64_t span_count = 0;
    for (int64_t i = 0; spans && i < x->seqlets.count; i++)
        if (x->seqlets.items[i].sequence == index)
            spans[span_count++] = (gw_picture_span){name_of(x, i) ? name_of(x, i)->name : NULL,
                                                    (double)(r->begin + x->seqlets.items[i].begin) + 1,
                                                    (double)(r->begin + x->seqlets.items[i].end) + 1};
    const gw_picture_logo logo = {.title = title.data,
                                  .x_label = x_label.data,
                                  .y_label = y_label.data,
                                  .bases = e->bases,
                                  .value = e->contribution,
                                  .count = r->end - r->begin,
                                  .first = (double)r->begin + 1,
                                  .spans = spans,
                                  .span_count = span_count};
    gw_status status = spans ? GW_OK : GW_ERR_MEMORY;
    status = gw_first_failure(status, gw_first_failure(gw_string_status(&title), gw_string_status(&x_label)));
    if (status == GW_OK) status = picture_path(x, e, index, ending, &path);
    if (status == GW_OK) status = gw_picture_letters(path, &logo);
    free(path);
    free(spans);
    gw_string_free(&title);
    gw_string_free(&x_label);
    gw_string_free(&y_label);
    return status;
}

static gw_status draw_all(const explaining *x) {
    int64_t long_ones = 0;
    for (int64_t i = 0; i < x->count && i < x->of->pictures; i++) {
        const gw_explained *e = &x->list[i];
        const bool both = strcmp(x->of->format, "both") == 0;
        if (e->region.end - e->region.begin > GW_MOST_LOGO) long_ones++;
        else {
            GW_TRY(draw(x, e, i, both ? "svg" : x->of->format));
            if (both) GW_TRY(draw(x, e, i, "png"));
        }
    }
    if (long_ones > 0) gw_note("%lld regions of more than %d bases are not drawn", (long long)long_ones, GW_MOST_LOGO);
    if (x->count > x->of->pictures)
        gw_note("the first %lld of %lld regions are drawn (--pictures)", (long long)x->of->pictures,
                (long long)x->count);
    return GW_OK;
}

// A line for each region: where it is, and what the model has for it.
static gw_status write_table(const explaining *x) {
    gw_text_writer *out;
    char *path = gw_join_path(x->of->output, "regions.tsv");
    if (!path) return GW_ERR_MEMORY;
    gw_status status = gw_writer_open(path, &out);
    free(path);
    GW_TRY(status);
    status =
        gw_writer_printf(out, "contig\tbegin\tend\tstrand\tname\t%s\tlargest\tat\n", gw_explainer_target(x->explainer));
    for (int64_t i = 0; status == GW_OK && i < x->count; i++) {
        const gw_explained *e = &x->list[i];
        const gw_region *r = &e->region;
        int64_t top = -1;
        for (int64_t k = 0; k < r->end - r->begin; k++)
            if (isfinite(e->contribution[k]) && (top < 0 || fabsf(e->contribution[k]) > fabsf(e->contribution[top])))
                top = k;
        char value[32] = ".";
        if (isfinite(e->value)) snprintf(value, sizeof value, "%.7g", e->value);
        status = gw_writer_printf(out, "%s\t%lld\t%lld\t%c\t%s\t%s\t%.7g\t%lld\n", gw_genome_name(x->genome, r->contig),
                                  (long long)r->begin, (long long)r->end, r->strand ? r->strand : '.',
                                  r->name ? r->name : ".", value, top < 0 ? 0.0 : (double)e->contribution[top],
                                  (long long)(r->begin + top + 1));
    }
    return gw_writers_close(status, out, NULL);
}

static gw_status explain_all(explaining *x) {
    const explain_arguments *a = x->of;
    if (a->motifs) GW_TRY(gw_motifs_read(a->motifs, &x->motifs));
    GW_TRY(read_regions(x));
    GW_TRY(gw_explainer_new(x->model, x->genome, &a->of, &x->explainer));
    x->list = gw_alloc(x->regions.count, sizeof *x->list);
    if (!x->list) return GW_ERR_MEMORY;
    for (x->count = 0; x->count < x->regions.count;) {
        const int64_t i = x->count++;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_explain_region(x->explainer, &x->regions.items[i], &x->list[i]));
        gw_progress("explain", x->count, x->regions.count, "regions", NULL);
    }
    gw_progress_end();
    GW_TRY(gw_make_directory(a->output));
    GW_TRY(gw_explained_write(x->list, x->count, x->genome, a->output));
    GW_TRY(write_table(x));
    GW_TRY(find_seqlets(x));
    GW_TRY(name_seqlets(x));
    GW_TRY(write_seqlets(x));
    return draw_all(x);
}

static gw_status run(void *arguments, char **operands, int count) {
    explain_arguments *a = arguments;
    explaining x = {.of = a};
    gw_status status = GW_OK;
    (void)operands, (void)count;
    a->of.target.memory = a->plain ? 0 : a->memory * 1000000;
    a->of.records = !a->choice.regions && !a->choice.regions_file;
    GW_TRY(gw_device_apply(a->inference.device));
    GW_TRY_GOTO(status, gw_model_load(a->model, &x.model), done);
    GW_TRY_GOTO(status, gw_target_choose(x.model, a->of.target.name), done);
    GW_TRY_GOTO(status, gw_inference_apply(&a->inference, x.model), done);
    GW_TRY_GOTO(status, gw_genome_open(a->fasta, &x.genome), done);
    if (a->chr_map) GW_TRY_GOTO(status, gw_genome_read_aliases(x.genome, a->chr_map), done);
    if (!a->of.records) GW_TRY_GOTO(status, gw_trained_on_check(a->model, x.model, x.genome), done);
    if (a->references) GW_TRY_GOTO(status, gw_genome_open(a->references, &a->of.given), done);
    GW_TRY_GOTO(status, explain_all(&x), done);
done:
    for (int64_t i = 0; i < x.count; i++) gw_explained_free(&x.list[i]);
    free(x.list);
    gw_seqlets_free(&x.seqlets);
    gw_motifs_free(&x.motifs);
    free(x.named);
    gw_explainer_free(x.explainer);
    gw_regions_free(&x.regions);
    gw_genome_close(a->of.given);
    gw_genome_close(x.genome);
    gw_model_free(x.model);
    return status;
}

const gw_command gw_command_explain = {
    .name = "explain",
    .group = "Variants",
    .summary = "which bases of a region carry a prediction",
    .usage = "-m FOLDER (-f ref.fa -R regions.bed | -f sequences.fa) [--target NAME] -o FOLDER [options]",
    .description =
        "Writes a folder: contributions.bedgraph.gz and contributions.bw, the contribution of each base; ohe.npz and "
        "shap.npz, bases and hypothetical contributions as tf-modiscolite reads them; regions.tsv, what the model has "
        "for each region, and its base of the largest contribution; seqlets.bed, stretches of high contribution with "
        "their sum, p and bases, and with --motifs the known motif that each is most like; and pictures of the first "
        "regions, letters scaled "
        "by their contribution.\n\n"
        "The contribution of a base is what the model has with it, less the mean over the four bases that could stand "
        "there. ism computes every single-base change exactly, as `score` computes variants.\n\n"
        "Targets: a label (its logit, mean of the strands that the model reads), a measured number, a track, or of "
        "profiles counts or a strand. Labels of bases, such as donor, are those of the region's middle base. Of "
        "pretrained models the log-likelihood ratios of the bases are explained, without --target.\n\n"
        "A region is read within the window that the model was trained on, the region in its middle, or its start "
        "site where the model has one. It may not be longer. Bases N have no contribution.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit explain -m yeast-expression -t complex -f promoters.fa -o out\n"
                "godwit explain -m yeast-starts -t counts -f R64-1-1.fa.gz -r chrII:278200-278400 -o gal10",
    GW_COMMAND_TAKES(0, 0),
    .outputs_together = true,
    .run = run,
    .common =
        "model|fasta|regions|regions-file|genes|output|target|method|references|window|seqlet-p|motifs|pictures|dtype",
};
