// SPDX-License-Identifier: MIT
// Each allele is written out twice, as REF and as ALT, with the same flanks. Signals of either are matched with
// positions in the other. Windows are made for both; a REF window is computed once for all alleles of a chunk that
// share it.
#include "score/polya_scorer.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/softmax.h"
#include "model/family.h"
#include "network/base_network.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNAL = GW_SIGNAL_BASES, LONGEST_ALLELE = 10000, CLASSES = 2 };
// So many alleles with one window of REF are computed as far as they differ from it.
enum { ALIKE = 3 };

// A signal of an allele. Places count from the first base that differs.
typedef struct {
    int64_t allele;
    char strand;
    int64_t at[2];     // of its first base in the order of the genome, in REF and in ALT
    int64_t window[2]; // of the scorer's
} pair;

// A window, whose bases lie in the scorer's memory in the order of the genome.
typedef struct {
    int contig;
    int64_t begin; // of REF's in the contig
    char strand;
    int64_t users; // alleles of REF's
    int64_t ref;   // of ALT's the window of REF, of REF's -1
    double odds;
} window;

static bool same_base(char a, char b) {
    return toupper((unsigned char)a) == toupper((unsigned char)b);
}

// The variant without any base that both alleles have. Files keep one before an insertion or deletion.
static gw_variant bare(gw_variant v) {
    for (; v.ref_length > 0 && v.alt_length > 0 && same_base(*v.ref, *v.alt); v.position++) {
        v.ref++, v.alt++;
        v.ref_length--, v.alt_length--;
    }
    for (; v.ref_length > 0 && v.alt_length > 0; v.ref_length--, v.alt_length--)
        if (!same_base(v.ref[v.ref_length - 1], v.alt[v.alt_length - 1])) break;
    return v;
}

// The bases of one allele.
typedef struct {
    char *bases;
    int64_t capacity, length, changed; // flank, so many changed ones, flank
} side;

struct gw_polya_scorer {
    gw_model *model;
    gw_genome *genome;
    const gw_signal_scoring *scoring;
    const float *places; // [window + 1] that are added to logits
    gw_base_network *network;
    int64_t flank; // of a side
    side of[2];    // REF and ALT
    pair *pairs;
    int64_t pair_count, pair_capacity;
    window *windows;
    int64_t window_count, window_capacity;
    char *bases; // [windows][window]
    int64_t base_capacity;
    float *rows; // [windows][window][CLASSES]
    int64_t row_capacity;
    gw_labelling_window *asked;
    int64_t asked_capacity;
};

gw_status gw_polya_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                              gw_polya_scorer **out) {
    gw_polya_scorer *s = gw_alloc(1, sizeof *s);
    *out = NULL;
    if (!s) return GW_ERR_MEMORY;
    s->model = model;
    s->genome = genome;
    s->scoring = gw_family_of(model->config.family)->scoring.signals;
    s->places = model->parameters.weight + gw_model_role(model, GW_ROLE_PLACES, 0, false)->offset;
    // A signal whose window holds the variant begins within a window of it, and its window ends within two.
    s->flank = 2 * s->scoring->window;
    const gw_base_network_options network = {.tokens = options->batch_tokens,
                                             .longest = s->scoring->window,
                                             .logits = true,
                                             .memory = options->plain        ? 0
                                                       : options->memory > 0 ? options->memory
                                                                             : INT64_C(100000000)};
    const gw_status status = gw_base_network_new(model, &network, &s->network);
    if (status == GW_OK) *out = s;
    else gw_polya_scorer_free(s);
    return status;
}

void gw_polya_scorer_free(gw_polya_scorer *scorer) {
    if (!scorer) return;
    gw_base_network_free(scorer->network);
    for (int i = 0; i < 2; i++) free(scorer->of[i].bases);
    free(scorer->pairs);
    free(scorer->windows);
    free(scorer->bases);
    free(scorer->rows);
    free(scorer->asked);
    free(scorer);
}

int64_t gw_polya_scorer_window(const gw_polya_scorer *scorer) {
    return scorer->scoring->window;
}

// ---- signals of both alleles

int64_t gw_polya_match(const gw_polya_place *of) {
    const int64_t longer = of->other_to - of->to, at = of->at, end = at + SIGNAL;
    if (end <= 0) return at; // the bases before the variant are both alleles'
    if (at >= of->to) return at + longer;
    // It overlaps the changed bases. Read on the strand, bases before it are held in place, if there is a choice.
    const bool forward = of->strand == '+';
    const int64_t held = forward ? at : at + longer, other = forward ? at + longer : at;
    if (of->has(of->context, held)) return held;
    if (of->has(of->context, other)) return other;
    // A signal that begins among the changed bases stands at the same one of the other allele's, or behind the last.
    if (forward) return at < 0 ? at : gw_min(at, of->other_to);
    const int64_t behind = of->to - end; // changed bases that are read before it
    return behind < 0 ? held : of->other_to - gw_min(behind, of->other_to) - SIGNAL;
}

static bool is_signal(const gw_signal_scoring *scoring, const char *bases, char strand) {
    char turned[SIGNAL];
    if (strand == '-') {
        gw_reverse_complement(bases, SIGNAL, turned);
        bases = turned;
    }
    for (int i = 0; scoring->signals[i]; i++)
        if (memcmp(bases, scoring->signals[i], SIGNAL) == 0) return true;
    return false;
}

typedef struct {
    const gw_polya_scorer *s;
    const side *of;
    char strand;
} looked_in;

static bool has_signal(const void *context, int64_t at) {
    const looked_in *in = context;
    return is_signal(in->s->scoring, in->of->bases + in->s->flank + at, in->strand);
}

static gw_status lay_out(gw_polya_scorer *s, const gw_variant *v) {
    const int64_t end = gw_genome_length(s->genome, v->contig), behind = v->position + v->ref_length;
    for (int i = 0; i < 2; i++) {
        side *of = &s->of[i];
        of->changed = i ? v->alt_length : v->ref_length;
        of->length = 2 * s->flank + of->changed;
        GW_TRY(gw_reserve(&of->bases, &of->capacity, of->length, 1));
        char *at = of->bases;
        GW_TRY(gw_base_fetch(s->genome, v->contig, v->position - s->flank, v->position, 0, end, at));
        at += s->flank;
        if (i == 0) GW_TRY(gw_base_fetch(s->genome, v->contig, v->position, behind, 0, end, at));
        else {
            memcpy(at, v->alt, (size_t)of->changed);
            gw_normalise_bases(at, of->changed);
        }
        GW_TRY(gw_base_fetch(s->genome, v->contig, behind, behind + s->flank, 0, end, at + of->changed));
    }
    return GW_OK;
}

// From the first base of a signal, in the order of the genome, to that of its window.
static int64_t window_offset(const gw_polya_scorer *s, char strand) {
    return strand == '+' ? -s->scoring->at : SIGNAL + s->scoring->at - s->scoring->window;
}

static const char *window_bases(const gw_polya_scorer *s, int i, const pair *p) {
    return s->of[i].bases + s->flank + p->at[i] + window_offset(s, p->strand);
}

// Index of the window, whose bases are copied; REF's may be one that is there.
static gw_status add_window(gw_polya_scorer *s, const window *of, const char *bases, int64_t *index) {
    const int64_t length = s->scoring->window;
    for (*index = s->window_count - 1; of->ref < 0 && *index >= 0; --*index) {
        window *known = &s->windows[*index];
        if (known->ref >= 0 || known->contig != of->contig || known->begin != of->begin || known->strand != of->strand)
            continue;
        known->users++;
        return GW_OK;
    }
    *index = s->window_count;
    GW_TRY(gw_reserve(&s->windows, &s->window_capacity, s->window_count + 1, sizeof *s->windows));
    GW_TRY(gw_reserve(&s->bases, &s->base_capacity, (s->window_count + 1) * length, 1));
    s->windows[s->window_count] = *of;
    s->windows[s->window_count].users = 1;
    memcpy(s->bases + s->window_count++ * length, bases, (size_t)length);
    return GW_OK;
}

static gw_status add_pair(gw_polya_scorer *s, const gw_variant *v, pair p, int64_t first) {
    const char *bases[2] = {window_bases(s, 0, &p), window_bases(s, 1, &p)};
    if (memcmp(bases[0], bases[1], (size_t)s->scoring->window) == 0) return GW_OK;
    for (int64_t i = first; i < s->pair_count; i++) {
        const pair *known = &s->pairs[i];
        if (known->strand == p.strand && known->at[0] == p.at[0] && known->at[1] == p.at[1]) return GW_OK;
    }
    const window ref = {.contig = v->contig,
                        .begin = v->position + p.at[0] + window_offset(s, p.strand),
                        .strand = p.strand,
                        .ref = -1};
    GW_TRY(add_window(s, &ref, bases[0], &p.window[0]));
    const window alt = {.contig = v->contig, .strand = p.strand, .ref = p.window[0]};
    GW_TRY(add_window(s, &alt, bases[1], &p.window[1]));
    GW_TRY(gw_reserve(&s->pairs, &s->pair_capacity, s->pair_count + 1, sizeof *s->pairs));
    s->pairs[s->pair_count++] = p;
    return GW_OK;
}

// The pairs of an allele: signals of REF, then those of ALT.
static gw_status find_pairs(gw_polya_scorer *s, int64_t allele, const gw_variant *v) {
    const int64_t first = s->pair_count, length = s->scoring->window;
    GW_TRY(lay_out(s, v));
    for (int strand = 0; strand < 2; strand++)
        for (int i = 0; i < 2; i++) {
            const side *of = &s->of[i], *other = &s->of[1 - i];
            const looked_in in = {s, other, strand ? '-' : '+'};
            gw_polya_place place = {
                .to = of->changed, .other_to = other->changed, .strand = in.strand, .has = has_signal, .context = &in};
            for (place.at = -length; place.at <= of->changed + length - SIGNAL; place.at++) {
                pair p = {.allele = allele, .strand = in.strand};
                if (!is_signal(s->scoring, of->bases + s->flank + place.at, in.strand)) continue;
                p.at[i] = place.at;
                p.at[1 - i] = gw_polya_match(&place);
                GW_TRY(add_pair(s, v, p, first));
            }
        }
    return GW_OK;
}

// ---- windows and scores

static gw_status run_windows(gw_polya_scorer *s) {
    const int64_t length = s->scoring->window;
    GW_TRY(gw_reserve(&s->rows, &s->row_capacity, s->window_count * length * CLASSES, sizeof *s->rows));
    GW_TRY(gw_reserve(&s->asked, &s->asked_capacity, s->window_count, sizeof *s->asked));
    for (int64_t i = 0; i < s->window_count; i++) {
        const window *w = &s->windows[i];
        const bool alike = w->ref >= 0 && s->windows[w->ref].users >= ALIKE;
        s->asked[i] = (gw_labelling_window){.bases = s->bases + i * length,
                                            .length = length,
                                            .strand = w->strand,
                                            .rows = s->rows + i * length * CLASSES,
                                            .ref = alike ? w->ref : -1,
                                            .span = length};
    }
    return gw_base_network_run(s->network, s->asked, s->window_count);
}

// The log odds of a window: places count in the direction of its strand, and the last one's logit is 0.
static double odds_of(const gw_polya_scorer *s, int64_t index) {
    const gw_signal_scoring *of = s->scoring;
    const float *rows = s->rows + index * of->window * CLASSES;
    const bool turned = s->windows[index].strand == '-';
    double most = -INFINITY, inside = 0, outside = 0;
    for (int sums = 0; sums < 2; sums++) // the largest logit first
        for (int64_t place = 0; place <= of->window; place++) {
            const int64_t row = turned ? of->window - 1 - place : place;
            const double logit = place < of->window ? (double)rows[row * CLASSES + 1] : 0;
            const double z = logit + (double)s->places[place];
            if (!sums) most = fmax(most, z);
            else if (place >= of->from && place < of->to) inside += exp(z - most);
            else outside += exp(z - most);
        }
    return log(inside) - log(outside);
}

static float number_of(const char *bases, char strand) {
    char turned[SIGNAL];
    int number = 0;
    if (strand == '-') {
        gw_reverse_complement(bases, SIGNAL, turned);
        bases = turned;
    }
    for (int i = 0; i < SIGNAL; i++) {
        const char *letter = strchr("ACGT", bases[i]);
        number = 5 * number + (letter ? (int)(letter - "ACGT") : 4);
    }
    return (float)number;
}

static void write_bases(float number, char bases[GW_POLYA_BASES]) {
    bases[SIGNAL] = 0;
    for (int i = SIGNAL - 1, rest = (int)number; i >= 0; i--, rest /= 5) bases[i] = "ACGTN"[rest % 5];
}

bool gw_polya_bases(const float *values, char ref[GW_POLYA_BASES], char alt[GW_POLYA_BASES]) {
    if (isnan(values[0])) return false;
    write_bases(values[3], ref);
    write_bases(values[4], alt);
    return true;
}

static gw_allele_status status_of(const gw_polya_scorer *s, const gw_variant *v, const pair *p) {
    const int64_t length = s->scoring->window, begin = s->windows[p->window[0]].begin;
    for (int i = 0; i < 2; i++)
        if (gw_window_is_n_rich(s->bases + p->window[i] * length, length)) return GW_ALLELE_NRICH;
    return begin < 0 || begin + length > gw_genome_length(s->genome, v->contig) ? GW_ALLELE_PADDED : GW_ALLELE_PASS;
}

// By how much the share of RNA that is cleaved behind a signal changes.
static double change_of(const float fields[GW_POLYA_FIELDS]) {
    return fabs(gw_logistic((double)fields[6]) - gw_logistic((double)fields[5]));
}

// Puts a pair in its place among the allele's, and drops the smallest where they are too many.
static void keep_pair(gw_polya_scorer *s, const pair *p, gw_allele *allele, float *values) {
    const gw_variant *v = &allele->variant;
    const double odds[2] = {s->windows[p->window[0]].odds, s->windows[p->window[1]].odds};
    // The base of REF that is read first.
    const int64_t first = bare(*v).position - v->position + p->at[0] + (p->strand == '+' ? 0 : SIGNAL - 1);
    const int64_t offset = -window_offset(s, p->strand), length = s->scoring->window;
    const float found[GW_POLYA_FIELDS] = {(float)(odds[1] - odds[0]),
                                          p->strand == '+' ? 1 : -1,
                                          (float)first,
                                          number_of(s->bases + p->window[0] * length + offset, p->strand),
                                          number_of(s->bases + p->window[1] * length + offset, p->strand),
                                          (float)odds[0],
                                          (float)odds[1]};
    int k = 0; // NaN: a free place
    while (k < GW_POLYA_SIGNALS && change_of(found) <= change_of(values + k * GW_POLYA_FIELDS)) k++;
    if (k == GW_POLYA_SIGNALS) return;
    float *at = values + k * GW_POLYA_FIELDS;
    memmove(at + GW_POLYA_FIELDS, at, (size_t)((GW_POLYA_SIGNALS - 1 - k) * GW_POLYA_FIELDS) * sizeof *at);
    memcpy(at, found, sizeof found);
    if (k > 0) return;
    allele->difference = found[0];
    allele->shift = (int32_t)first;
    allele->status = status_of(s, v, p);
}

gw_status gw_polya_scorer_run(gw_polya_scorer *s, gw_allele *alleles, int64_t count, float *values) {
    s->pair_count = s->window_count = 0;
    for (int64_t i = 0; i < count * GW_POLYA_VALUES; i++) values[i] = NAN;
    for (int64_t i = 0; i < count; i++) {
        const gw_variant v = bare(alleles[i].variant);
        if (alleles[i].status != GW_ALLELE_PASS) continue;
        const bool fits = v.ref_length <= LONGEST_ALLELE && v.alt_length <= LONGEST_ALLELE;
        alleles[i].status = fits ? GW_ALLELE_NOSIGNAL : GW_ALLELE_TOOLONG;
        if (fits) GW_TRY(find_pairs(s, i, &v));
    }
    GW_TRY(run_windows(s));
    for (int64_t i = 0; i < s->window_count; i++) s->windows[i].odds = odds_of(s, i);
    for (int64_t i = 0; i < s->pair_count; i++) {
        const pair *p = &s->pairs[i];
        keep_pair(s, p, &alleles[p->allele], values + p->allele * GW_POLYA_VALUES);
    }
    return GW_OK;
}

// ---- what is found as text

void gw_polya_entries(const gw_vcf_record *record, const gw_allele *alleles, const float *values, int digits,
                      gw_string *out) {
    const int64_t before = out->length;
    for (int alt = 0; alt < record->alts; alt++) {
        if (!gw_allele_is_scored(alleles[alt].status)) continue;
        for (int k = 0; k < GW_POLYA_SIGNALS; k++) {
            const float *of = values + alt * GW_POLYA_VALUES + k * GW_POLYA_FIELDS;
            char bases[2][GW_POLYA_BASES];
            if (!gw_polya_bases(of, bases[0], bases[1])) break;
            if (out->length > before) gw_string_putc(out, ',');
            gw_percent_encode(out, record->alt[alt]);
            gw_string_printf(out, "|%c|%lld|%s|%s|%.*f|%.*f|%.*f", of[1] > 0 ? '+' : '-',
                             (long long)((int64_t)of[2] + alleles[alt].variant.position - record->position), bases[0],
                             bases[1], digits, (double)of[5], digits, (double)of[6], digits, (double)of[0]);
        }
    }
}
