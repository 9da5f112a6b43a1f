// SPDX-License-Identifier: MIT
// Delta scores: comparison of rows of REF and ALT; the windows of a chunk's alleles; and the text of the results. Near
// REF windows in a gene are one stretch, so that neighbours share the network's work; each ALT has its own window.
#include "score/splice_scorer.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/family.h"
#include "network/base_network.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int64_t gw_scored_classes(const gw_config *config) {
    return gw_family_of(config->family)->scoring.change ? 2 : config->labels;
}

static float *copy_rows(const gw_splice_rows *of, int64_t from, int64_t to, float *out) {
    const int64_t count = to > from ? (to - from) * of->classes : 0;
    memcpy(out, of->alt + from * of->classes, (size_t)count * sizeof *out);
    return out + count;
}

void gw_splice_align(const gw_splice_rows *of, float *aligned) {
    const int64_t r = of->ref_length, a = of->alt_length, all = of->rows - r + a, end = of->distance + a;
    if (a > r) {
        const int64_t last = of->distance + r - 1; // takes the maximum of the rows from there on, class by class
        float *joined = copy_rows(of, 0, last, aligned), *behind = copy_rows(of, last, last + 1, joined);
        for (int64_t row = last + 1; row < end; row++)
            for (int64_t c = 0; c < of->classes; c++) {
                const float value = of->alt[row * of->classes + c];
                if (value > joined[c]) joined[c] = value;
            }
        copy_rows(of, end, all, behind);
        return;
    }
    // Where more than D bases are deleted, and the rows of REF reach no further than D, those of ALT end before POS.
    const int64_t before = gw_min(end, all), gone = (r - a) * of->classes;
    float *at = copy_rows(of, 0, before, aligned);
    memset(at, 0, (size_t)gone * sizeof *at);
    copy_rows(of, before, all, at + gone);
}

// Values i, n + i, 2 n + i and 3 n + i are of the i-th of n gains and losses.
void gw_splice_delta(const gw_splice_rows *of, const float *aligned, float *values) {
    const int64_t n = gw_gains_and_losses(of->classes);
    for (int64_t i = 0; i < n; i++) {
        const int64_t class = 1 + i / 2;
        const bool gain = i % 2 == 0;
        for (int64_t row = 0; row < of->rows; row++) {
            const float ref = of->ref[row * of->classes + class], alt = aligned[row * of->classes + class];
            const float difference = gain ? alt - ref : ref - alt;
            if (row > 0 && !(difference > values[i])) continue;
            values[i] = difference;
            values[n + i] = (float)(row - of->distance);
            values[2 * n + i] = ref;
            values[3 * n + i] = alt;
        }
    }
}

void gw_splice_mask(int64_t boundary, float values[GW_SPLICE_VALUES]) {
    for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++) {
        const bool there = (int64_t)values[GW_SPLICE_GAINS_AND_LOSSES + i] == boundary, gain = i % 2 == 0;
        if (there == gain) values[i] *= 0;
    }
}

// ---- the windows of a chunk

// Rows of a gene's reference: [begin, end) of its contig.
typedef struct {
    int64_t gene, begin, end;
    int64_t bases, rows; // places in the scorer's memory
} stretch;

// An allele in a gene.
typedef struct {
    int64_t allele, slot, gene;
    int64_t begin, end;  // of REF's rows
    int64_t stretch;     // that holds them
    int64_t bases, rows; // of ALT's window
} pair;

struct gw_splice_scorer {
    gw_model *model;
    gw_genome *genome;
    const gw_gene_models *genes;
    const gw_score_options *options;
    gw_base_network *network;
    const gw_family_scoring *scoring; // of the model's family
    bool *boundary;                   // [rows of an allele] for that
    int64_t boundary_capacity;
    int64_t flank, classes, scored, longest_allele; // scored: gw_scored_classes()
    int64_t most_rows, most_gap;                    // of a stretch; of rows between two pairs of one
    pair *pairs;
    int64_t pair_count, pair_capacity;
    stretch *stretches;
    int64_t stretch_count, stretch_capacity;
    pair **order; // [pairs] by gene and place
    int64_t order_capacity;
    gw_labelling_window *windows;
    int64_t window_count, window_capacity;
    char *bases; // of all windows
    int64_t base_count, base_capacity;
    float *rows; // of all windows, and behind them the aligned ones of an allele
    int64_t row_count, row_capacity;
};

// Alleles are computed as far as they differ from REF's stretch, whatever their length. Where windows are computed
// whole, a gap narrower than two flanks costs less than a window more. Attention reads windows as wide as those that it
// was trained on: alleles of one place share REF's, and no others.
static gw_status make(gw_splice_scorer *s) {
    const bool attends = s->model->config.layers > 0;
    const int64_t positions = gw_config_longest(&s->model->config), window = gw_splice_scorer_window(s);
    gw_frame frame;
    GW_TRY(gw_base_frame(s->model, &frame));
    const int64_t left = positions - gw_frame_tokens(&frame) - window, spare = attends ? left : left / 2;
    const int64_t longest = gw_max(gw_min(spare, s->longest_allele), 1);
    const gw_base_network_options options = {.tokens = s->options->batch_tokens,
                                             .longest = window + (attends ? 1 : 2) * longest,
                                             .flank = s->flank,
                                             .memory = s->options->plain        ? 0
                                                       : s->options->memory > 0 ? s->options->memory
                                                                                : GW_SPLICE_MEMORY};
    GW_TRY(gw_base_network_new(s->model, &options, &s->network));
    if (gw_base_network_shifts(s->network)) {
        s->most_rows = gw_base_network_most(s->network) - 2 * s->flank;
        return gw_base_network_gap(s->network, &s->most_gap);
    }
    const int64_t tokens = gw_base_network_tokens(s->network);
    s->longest_allele = longest;
    s->most_rows = gw_min(tokens, positions) - 2 * s->flank;
    s->most_gap = 2 * s->flank;
    if (attends) s->most_rows = 2 * s->options->distance + 1;
    return GW_OK;
}

gw_status gw_splice_scorer_new(gw_model *model, gw_genome *genome, const gw_gene_models *genes,
                               const gw_score_options *options, gw_splice_scorer **out) {
    gw_splice_scorer *s = gw_alloc(1, sizeof *s);
    *out = NULL;
    if (!s) return GW_ERR_MEMORY;
    // Attention has beside the rows that are read as much as the windows of training have.
    const int64_t least = gw_base_flank(model), spare = model->config.window - (2 * options->distance + 1);
    s->model = model;
    s->genome = genome;
    s->genes = genes;
    s->options = options;
    s->flank = model->config.layers > 0 ? gw_max(spare / 2, least) : least;
    s->scoring = &gw_family_of(model->config.family)->scoring;
    s->classes = model->config.labels;
    s->scored = gw_scored_classes(&model->config);
    s->longest_allele = GW_SPLICE_LONGEST_ALLELE;
    const gw_status status = make(s);
    if (status == GW_OK) *out = s;
    else gw_splice_scorer_free(s);
    return status;
}

void gw_splice_scorer_free(gw_splice_scorer *scorer) {
    if (!scorer) return;
    gw_base_network_free(scorer->network);
    free(scorer->pairs);
    free(scorer->stretches);
    free(scorer->order);
    free(scorer->windows);
    free(scorer->bases);
    free(scorer->rows);
    free(scorer->boundary);
    free(scorer);
}

int64_t gw_splice_scorer_window(const gw_splice_scorer *scorer) {
    return 2 * (scorer->options->distance + scorer->flank) + 1;
}

int64_t gw_splice_scorer_values(const gw_splice_scorer *scorer) {
    return scorer->genes->deepest * gw_delta_values(scorer->scored);
}

// Pairs each allele with the genes at its position, and says what becomes of it.
static gw_status settle_alleles(gw_splice_scorer *s, gw_allele *alleles, int64_t count) {
    const int64_t distance = s->options->distance, around = distance + s->flank;
    s->pair_count = 0;
    for (int64_t i = 0; i < count; i++) {
        const gw_variant *v = &alleles[i].variant;
        if (alleles[i].status != GW_ALLELE_PASS) continue;
        if (v->ref_length > s->longest_allele || v->alt_length > s->longest_allele) {
            alleles[i].status = GW_ALLELE_TOOLONG;
            continue;
        }
        // Whether REF is so long that rows behind POS would say nothing of what follows it.
        const int64_t r = v->ref_length;
        const bool far = r > 2 * distance || r > around + 1 || (v->alt_length > 1 && r > distance + 1);
        const int64_t rows = s->scoring->rows_from ? s->scoring->rows_from(distance, r) : distance + (far ? r : 1);
        const int64_t begin = v->position - distance, end = v->position + rows;
        int64_t slot = 0, last = -1;
        for (int64_t gene = -1; (gene = gw_gene_models_next(s->genes, v->contig, v->position, gene)) >= 0; slot++) {
            GW_TRY(gw_reserve(&s->pairs, &s->pair_capacity, s->pair_count + 1, sizeof *s->pairs));
            s->pairs[s->pair_count++] = (pair){.allele = i, .slot = slot, .gene = gene, .begin = begin, .end = end};
            last = gene;
        }
        const bool padded = v->position < around || v->position + around >= gw_genome_length(s->genome, v->contig);
        alleles[i].status = slot == 0                                        ? GW_ALLELE_NOGENE
                            : r > 1 && v->alt_length > 1                     ? GW_ALLELE_COMPLEX
                            : far                                            ? GW_ALLELE_LONG
                            : padded                                         ? GW_ALLELE_PADDED
                            : s->genes->count > 0 && last >= s->genes->count ? GW_ALLELE_OUTSIDE
                                                                             : GW_ALLELE_PASS;
    }
    return GW_OK;
}

static int by_place(const void *a, const void *b) {
    const pair *x = *(pair *const *)a, *y = *(pair *const *)b;
    if (x->gene != y->gene) return x->gene < y->gene ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return 0;
}

// Joins the rows of pairs into stretches.
static gw_status find_stretches(gw_splice_scorer *s) {
    GW_TRY(gw_reserve(&s->order, &s->order_capacity, s->pair_count, sizeof *s->order));
    for (int64_t i = 0; i < s->pair_count; i++) s->order[i] = &s->pairs[i];
    qsort(s->order, (size_t)s->pair_count, sizeof *s->order, by_place);
    s->stretch_count = 0;
    for (int64_t i = 0; i < s->pair_count; i++) {
        pair *p = s->order[i];
        stretch *last = s->stretch_count > 0 ? &s->stretches[s->stretch_count - 1] : NULL;
        const bool joins = last && last->gene == p->gene && p->begin <= last->end + s->most_gap &&
                           p->end - last->begin <= s->most_rows;
        if (!joins) {
            GW_TRY(gw_reserve(&s->stretches, &s->stretch_capacity, s->stretch_count + 1, sizeof *s->stretches));
            last = &s->stretches[s->stretch_count++];
            *last = (stretch){.gene = p->gene, .begin = p->begin, .end = p->end};
        }
        if (p->end > last->end) last->end = p->end;
        p->stretch = s->stretch_count - 1;
    }
    return GW_OK;
}

// Bases [begin, end) of a gene, N beyond its ends, or beyond those of its contig, or where else the family says.
static gw_status fetch(const gw_splice_scorer *s, int64_t gene, int64_t begin, int64_t end, char *out) {
    const gw_gene_model *of = &s->genes->items[gene];
    int64_t least = of->begin, most = of->end;
    if (s->scoring->read) s->scoring->read(gw_genome_length(s->genome, of->contig), &least, &most);
    return gw_base_fetch(s->genome, of->contig, begin, end, least, most, out);
}

static gw_status add_window(gw_splice_scorer *s, int64_t length, int64_t *bases, int64_t *rows) {
    *bases = s->base_count;
    *rows = s->row_count;
    s->base_count += length;
    s->row_count += (length - 2 * s->flank) * s->classes;
    return gw_reserve(&s->bases, &s->base_capacity, s->base_count, 1);
}

static gw_labelling_window window_of(const gw_splice_scorer *s, int64_t gene, int64_t bases, int64_t rows,
                                     int64_t length) {
    return (gw_labelling_window){.bases = s->bases + bases,
                                 .length = length,
                                 .strand = s->genes->items[gene].strand,
                                 .rows = s->rows + rows,
                                 .ref = -1};
}

// All windows of the chunk, REF's first.
static gw_status cut_windows(gw_splice_scorer *s, const gw_allele *alleles) {
    s->base_count = s->row_count = s->window_count = 0;
    int64_t most = 0;
    for (int64_t i = 0; i < s->stretch_count; i++) {
        stretch *of = &s->stretches[i];
        const int64_t begin = of->begin - s->flank, end = of->end + s->flank;
        GW_TRY(add_window(s, end - begin, &of->bases, &of->rows));
        GW_TRY(fetch(s, of->gene, begin, end, s->bases + of->bases));
    }
    for (int64_t i = 0; i < s->pair_count; i++) {
        pair *of = &s->pairs[i];
        const gw_variant *v = &alleles[of->allele].variant;
        const int64_t begin = of->begin - s->flank, end = of->end + s->flank, behind = v->position + v->ref_length;
        GW_TRY(add_window(s, end - begin - v->ref_length + v->alt_length, &of->bases, &of->rows));
        char *bases = s->bases + of->bases, *alt = bases + v->position - begin;
        GW_TRY(fetch(s, of->gene, begin, v->position, bases));
        memcpy(alt, v->alt, (size_t)v->alt_length);
        gw_normalise_bases(alt, v->alt_length);
        GW_TRY(fetch(s, of->gene, behind, end, alt + v->alt_length));
        most = gw_max(most, of->end - of->begin);
    }
    GW_TRY(gw_reserve(&s->rows, &s->row_capacity, s->row_count + most * s->classes, sizeof *s->rows));
    GW_TRY(gw_reserve(&s->windows, &s->window_capacity, s->stretch_count + s->pair_count, sizeof *s->windows));
    for (int64_t i = 0; i < s->stretch_count; i++) {
        const stretch *of = &s->stretches[i];
        s->windows[s->window_count++] = window_of(s, of->gene, of->bases, of->rows, of->end - of->begin + 2 * s->flank);
    }
    for (int64_t i = 0; i < s->pair_count; i++) {
        const pair *of = &s->pairs[i];
        const gw_variant *v = &alleles[of->allele].variant;
        const int64_t span = of->end - of->begin + 2 * s->flank;
        gw_labelling_window window = window_of(s, of->gene, of->bases, of->rows, span - v->ref_length + v->alt_length);
        window.ref = of->stretch;
        window.offset = of->begin - s->stretches[of->stretch].begin;
        window.span = span;
        s->windows[s->window_count++] = window;
    }
    return GW_OK;
}

// Which of a pair's rows are boundaries of exons.
static gw_status mark_boundaries(gw_splice_scorer *s, const pair *of) {
    const gw_gene_model *gene = &s->genes->items[of->gene];
    const int64_t rows = of->end - of->begin;
    GW_TRY(gw_reserve(&s->boundary, &s->boundary_capacity, rows, sizeof *s->boundary));
    memset(s->boundary, 0, (size_t)rows * sizeof *s->boundary);
    for (int64_t i = 0; i < gene->boundary_count; i++)
        if (gene->boundaries[i] >= of->begin && gene->boundaries[i] < of->end)
            s->boundary[gene->boundaries[i] - of->begin] = true;
    return GW_OK;
}

static gw_status score_pair(gw_splice_scorer *s, const pair *of, gw_allele *allele, float *values) {
    const stretch *ref = &s->stretches[of->stretch];
    const gw_variant *v = &allele->variant;
    const gw_splice_rows rows = {.distance = s->options->distance,
                                 .ref_length = v->ref_length,
                                 .alt_length = v->alt_length,
                                 .classes = s->classes,
                                 .ref = s->rows + ref->rows + (of->begin - ref->begin) * s->classes,
                                 .alt = s->rows + of->rows,
                                 .rows = of->end - of->begin};
    float *aligned = s->rows + s->row_count;
    gw_splice_align(&rows, aligned);
    if (s->scoring->change) {
        if (s->options->mask) GW_TRY(mark_boundaries(s, of));
        const gw_base_rows answered = {.config = &s->model->config,
                                       .ref = rows.ref,
                                       .alt = aligned,
                                       .rows = rows.rows,
                                       .at = rows.distance,
                                       .boundary = s->options->mask ? s->boundary : NULL};
        s->scoring->change(&answered, values);
    } else {
        gw_splice_delta(&rows, aligned, values);
        const int64_t boundary = gw_gene_model_boundary(&s->genes->items[of->gene], v->position);
        if (s->options->mask) gw_splice_mask(boundary, values);
    }
    const int64_t scores = gw_gains_and_losses(s->scored);
    for (int64_t i = 0; i < scores; i++) { // the largest of all genes; the first of equal ones
        if (!(of->slot == 0 && i == 0) && !(values[i] > allele->difference)) continue;
        allele->difference = values[i];
        allele->shift = (int32_t)values[scores + i];
    }
    return GW_OK;
}

gw_status gw_splice_scorer_run(gw_splice_scorer *s, gw_allele *alleles, int64_t count, float *values) {
    const int64_t each = gw_splice_scorer_values(s);
    for (int64_t i = 0; i < count * each; i++) values[i] = NAN;
    GW_TRY(settle_alleles(s, alleles, count));
    if (s->pair_count == 0) return GW_OK;
    GW_TRY(find_stretches(s));
    GW_TRY(cut_windows(s, alleles));
    GW_TRY(gw_base_network_run(s->network, s->windows, s->window_count));
    for (int64_t i = 0; i < s->pair_count; i++) {
        const pair *of = &s->pairs[i];
        GW_TRY(score_pair(s, of, &alleles[of->allele],
                          values + of->allele * each + of->slot * gw_delta_values(s->scored)));
    }
    return GW_OK;
}

// ---- what is found as text

const char *gw_splice_key(const gw_model *model) {
    const gw_stem *stem = &model->config.stem;
    if (!gw_model_splices(model)) return "GW_BASES";
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_LEAKY_UNIT) return "OpenSpliceAI";
    return "SpliceAI";
}

static void append_names(gw_string *out, const gw_config *config, const char *const (*ends)[2]) {
    const char *name = gw_family_of(config->family)->scoring.name;
    for (int64_t c = 1; c < gw_scored_classes(config); c++)
        for (int loss = 0; loss < 2; loss++) {
            gw_string_putc(out, '|');
            gw_percent_encode(out, name ? name : config->label_names[c]);
            gw_string_puts(out, (*ends)[loss]);
        }
}

void gw_base_description(const gw_config *config, bool probabilities, gw_string *out) {
    static const char *const ends[2][2][2] = {{{"_GAIN", "_LOSS"}, {"_GAIN_AT", "_LOSS_AT"}},
                                              {{"_GAIN_REF", "_LOSS_REF"}, {"_GAIN_ALT", "_LOSS_ALT"}}};
    gw_string_puts(out, probabilities
                            ? "Probabilities of REF and ALT at the places of gains and losses. "
                            : "Gains and losses of each class of bases, ALT - REF, and their places from POS. ");
    gw_string_puts(out, "Format: ALLELE|SYMBOL");
    for (int half = 0; half < 2; half++) append_names(out, config, &ends[probabilities][half]);
}

static void append_numbers(gw_string *out, const float *values, int64_t count, int digits) {
    for (int64_t i = 0; i < count; i++) gw_string_printf(out, "|%.*f", digits, (double)values[i]);
}

// Gene by gene in the table's order.
void gw_splice_entries(const gw_splice_entry_options *options, const gw_vcf_record *record, int alt,
                       const gw_allele *allele, const float *values, int64_t start, gw_string *out) {
    const int64_t scores = gw_gains_and_losses(options->classes);
    const gw_variant *v = &allele->variant;
    if (!gw_allele_is_scored(allele->status)) return;
    for (int64_t gene = -1; (gene = gw_gene_models_next(options->genes, v->contig, v->position, gene)) >= 0;
         values += gw_delta_values(options->classes)) {
        if (out->length > start) gw_string_putc(out, ',');
        gw_percent_encode(out, record->alt[alt]);
        gw_string_putc(out, '|');
        gw_percent_encode(out, options->genes->items[gene].name);
        if (options->probabilities) append_numbers(out, values + 2 * scores, 2 * scores, options->digits);
        else append_numbers(out, values, scores, options->digits);
        for (int64_t i = scores; !options->probabilities && i < 2 * scores; i++)
            gw_string_printf(out, "|%lld", (long long)((int64_t)values[i] + v->position - record->position));
    }
}

// ---- exact values, word by word in the order of a table of fields

const char gw_allele_values_key[] = "GW_VALUES";

enum { DIGITS = 8 };
static const size_t fields[] = {offsetof(gw_allele, difference), offsetof(gw_allele, shift)};
enum { FIELDS = sizeof fields / sizeof *fields };

static void append_word(const void *from, gw_string *out) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    gw_string_printf(out, "%08x", (unsigned)word);
}

void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out) {
    gw_string_printf(out, "%s|", gw_allele_status_name(allele->status));
    for (int i = 0; i < FIELDS; i++) append_word((const char *)allele + fields[i], out);
    for (int64_t i = 0; i < count; i++) append_word(&raw[i], out);
}

static void parse_word(const char *text, void *to) {
    static const char digits[] = "0123456789abcdef";
    uint32_t word = 0;
    for (int i = 0; i < DIGITS; i++) word = word << 4 | (uint32_t)(strchr(digits, text[i]) - digits);
    memcpy(to, &word, sizeof word);
}

bool gw_allele_values_parse(const char *text, int64_t count, gw_allele *allele, float *raw) {
    const size_t name = strcspn(text, "|"), words = (size_t)(FIELDS + count) * DIGITS;
    const char *at = text + name + 1;
    int status = text[name] ? 0 : GW_ALLELE_STATUSES;
    for (; status < GW_ALLELE_STATUSES; status++) {
        const char *known = gw_allele_status_name((gw_allele_status)status);
        if (strlen(known) == name && memcmp(known, text, name) == 0) break;
    }
    allele->status = (gw_allele_status)status;
    if (status == GW_ALLELE_STATUSES || strlen(at) != words || strspn(at, "0123456789abcdef") != words) return false;
    for (int i = 0; i < FIELDS; i++, at += DIGITS) parse_word(at, (char *)allele + fields[i]);
    for (int64_t i = 0; i < count; i++, at += DIGITS) parse_word(at, &raw[i]);
    return true;
}
