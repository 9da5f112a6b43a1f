// SPDX-License-Identifier: MIT
// Constraints as counts of patterns, and the searches over edits that do not increase them.
#include "score/design.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "seq/genome/genome.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

// ---- constraints

static const char bases_of[] = "ACGT";
static const char letters[] = "ACGTURYSWKMBDHVN";
static const uint8_t masks[] = {1, 2, 4, 8, 8, 5, 10, 6, 9, 12, 3, 14, 13, 11, 7, 15}; // bits of A, C, G, T

enum { MOST_SITE = 64 };

typedef struct {
    uint8_t mask[MOST_SITE];
    int64_t length;
} pattern;

typedef struct {
    const gw_design_options *options;
    gw_target *target;
    int64_t length;
    const char *start;
    pattern *patterns;
    int64_t pattern_count, reach;
    double *value; // [length][4] of the last saturation
    int64_t saturations;
} designer;

gw_status gw_design_check(const gw_design_options *o) {
    for (int i = 0; i < o->forbid.count; i++) {
        const char *site = o->forbid.items[i];
        if (!*site || strlen(site) > MOST_SITE)
            return gw_fail(GW_ERR_USAGE, "--forbid: a site has 1 to %d letters, not %zu", MOST_SITE, strlen(site));
        for (const char *c = site; *c; c++)
            if (!strchr(letters, toupper((unsigned char)*c)))
                return gw_fail(GW_ERR_USAGE, "--forbid %s: '%c' is not a letter of IUPAC's code", site, *c);
    }
    if (o->gc[0] > o->gc[1])
        return gw_fail(GW_ERR_USAGE, "--gc %g-%g: the range ends before it begins", 100 * o->gc[0], 100 * o->gc[1]);
    return GW_OK;
}

// Each site and its reverse complement, where that is another; and runs of a letter that are one too long.
static gw_status read_patterns(designer *d) {
    const gw_design_options *o = d->options;
    d->patterns = gw_alloc(2 * o->forbid.count + 4, sizeof *d->patterns);
    if (!d->patterns) return GW_ERR_MEMORY;
    for (int i = 0; i < o->forbid.count; i++) {
        pattern p = {.length = (int64_t)strlen(o->forbid.items[i])}, back = p;
        for (int64_t k = 0; k < p.length; k++) {
            const uint8_t m = masks[strchr(letters, toupper((unsigned char)o->forbid.items[i][k])) - letters];
            p.mask[k] = m;
            back.mask[p.length - 1 - k] = (uint8_t)((m & 1) << 3 | (m & 2) << 1 | (m & 4) >> 1 | (m & 8) >> 3);
        }
        d->patterns[d->pattern_count++] = p;
        if (memcmp(p.mask, back.mask, sizeof p.mask) != 0) d->patterns[d->pattern_count++] = back;
    }
    for (int b = 0; b < 4 && o->homopolymer > 0; b++) {
        pattern p = {.length = gw_min(o->homopolymer + 1, MOST_SITE)};
        memset(p.mask, 1 << b, (size_t)p.length);
        d->patterns[d->pattern_count++] = p;
    }
    return GW_OK;
}

static int base_of(char base) {
    const char *at = strchr(bases_of, base);
    return at && base ? (int)(at - bases_of) : -1;
}

// Places of [from, to) at which a pattern begins.
static int64_t matches(const designer *d, const char *bases, int64_t from, int64_t to) {
    int64_t count = 0;
    for (int64_t p = 0; p < d->pattern_count; p++) {
        const pattern *of = &d->patterns[p];
        const int64_t end = gw_min(to, d->length - of->length + 1);
        for (int64_t at = gw_max(0, from - of->length + 1); at < end; at++) {
            int64_t k = 0;
            while (k < of->length && base_of(bases[at + k]) >= 0 && (of->mask[k] >> base_of(bases[at + k]) & 1)) k++;
            count += k == of->length;
        }
    }
    return count;
}

// Bases by which a count of G and C misses the range.
static int64_t gc_misses(const designer *d, int64_t gc) {
    const double *range = d->options->gc, all = (double)d->length;
    if (range[0] == 0 && range[1] == 0) return 0;
    const int64_t least = (int64_t)ceil(range[0] * all - 1e-9), most = (int64_t)floor(range[1] * all + 1e-9);
    return gw_max(0, gw_max(least - gc, gc - most));
}

static bool is_gc(char base) {
    return base == 'G' || base == 'C';
}

static int64_t count_gc(const char *bases, int64_t length) {
    int64_t count = 0;
    for (int64_t i = 0; i < length; i++) count += is_gc(bases[i]);
    return count;
}

// Places at which a sequence breaks the constraints.
static int64_t breaks(const designer *d, const char *bases) {
    return matches(d, bases, 0, d->length) + gc_misses(d, count_gc(bases, d->length));
}

// ---- sequences and their edits

typedef struct {
    char *bases;
    double value, gain; // gain: what the goal makes of the value
    int64_t breaks, away;
    gw_design_step *steps;
    int64_t step_count;
} state;

// A sequence with one edit, or as it is (at -1).
typedef struct {
    int64_t parent, at, breaks;
    int base;
    double value, gain;
    int64_t order;
} edit;

static double gain_of(const designer *d, double value) {
    const gw_design_options *o = d->options;
    const double off = value - o->value;
    return o->goal == GW_DESIGN_MAX ? value : o->goal == GW_DESIGN_MIN ? -value : -off * off;
}

static void free_state(state *s) {
    free(s->bases);
    free(s->steps);
    *s = (state){0};
}

static gw_status saturate(designer *d, const char *bases, double *value) {
    d->saturations++;
    return gw_target_saturate(d->target, bases, d->length, 0, d->length, value, d->value);
}

// A parent's edits that are allowed, by base and then by place; at most 3 length.
static int64_t list_edits(const designer *d, state *parent, int64_t index, edit *out) {
    const int64_t gc = count_gc(parent->bases, d->length);
    int64_t count = 0;
    for (int b = 0; b < 4; b++)
        for (int64_t at = 0; at < d->length; at++) {
            const char own = parent->bases[at], base = bases_of[b];
            if (own == base || own == 'N' || (d->options->kept && d->options->kept[at])) continue;
            const int64_t away = parent->away + (base != d->start[at]) - (own != d->start[at]);
            if (away > d->options->edits) continue;
            int64_t broken = parent->breaks;
            broken -= matches(d, parent->bases, at, at + 1) + gc_misses(d, gc);
            parent->bases[at] = base;
            broken += matches(d, parent->bases, at, at + 1) + gc_misses(d, gc + is_gc(base) - is_gc(own));
            parent->bases[at] = own;
            if (broken > parent->breaks) continue;
            const double value = d->value[4 * at + b];
            out[count] = (edit){index, at, broken, b, value, gain_of(d, value), count};
            count++;
        }
    return count;
}

static gw_status make_state(const designer *d, const state *parent, const edit *e, state *out) {
    *out = (state){.value = e->value, .gain = e->gain, .breaks = e->breaks, .away = parent->away};
    out->bases = gw_strndup(parent->bases, (size_t)d->length);
    out->steps = gw_alloc(parent->step_count + 1, sizeof *out->steps);
    if (!out->bases || !out->steps) return GW_ERR_MEMORY;
    if (parent->step_count > 0) memcpy(out->steps, parent->steps, (size_t)parent->step_count * sizeof *out->steps);
    out->step_count = parent->step_count;
    if (e->at < 0) return GW_OK;
    out->away += (bases_of[e->base] != d->start[e->at]) - (parent->bases[e->at] != d->start[e->at]);
    out->bases[e->at] = bases_of[e->base];
    out->steps[out->step_count++] = (gw_design_step){{e->at, bases_of[e->base]}, e->value};
    return GW_OK;
}

// Fewer breaks first, then the larger gain, then the earlier.
static int by_worth(const void *a, const void *b) {
    const edit *x = a, *y = b;
    if (x->breaks != y->breaks) return x->breaks < y->breaks ? -1 : 1;
    if (x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// ---- searches

// The best of the states and of their edits, `width` at most; greedy is a beam of one. *done: the search ends.
static gw_status step_beam(designer *d, state *beam, int64_t *count, int64_t width, bool *done) {
    edit *edits = gw_alloc(*count * (3 * d->length + 1), sizeof *edits);
    state *next = gw_alloc(width, sizeof *next);
    int64_t edit_count = 0, kept = 0;
    gw_status status = edits && next ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < *count; i++) {
        double value;
        status = saturate(d, beam[i].bases, &value);
        edits[edit_count++] = (edit){i, -1, beam[i].breaks, 0, beam[i].value, beam[i].gain, -1};
        edit_count += list_edits(d, &beam[i], i, edits + edit_count);
    }
    if (status == GW_OK) qsort(edits, (size_t)edit_count, sizeof *edits, by_worth);
    for (int64_t e = 0; status == GW_OK && e < edit_count && kept < width; e++) {
        bool known = false;
        status = make_state(d, &beam[edits[e].parent], &edits[e], &next[kept]);
        for (int64_t k = 0; status == GW_OK && k < kept && !known; k++)
            known = memcmp(next[k].bases, next[kept].bases, (size_t)d->length) == 0;
        if (known) free_state(&next[kept]);
        else kept += status == GW_OK;
    }
    if (status == GW_OK) {
        const bool mended = next[0].breaks < beam[0].breaks;
        *done = !mended && next[0].gain - beam[0].gain <= d->options->tolerance;
        for (int64_t i = 0; i < *count; i++) free_state(&beam[i]);
        for (int64_t i = 0; i < kept; i++) beam[i] = next[i];
        *count = kept;
    }
    free(edits);
    free(next);
    return status;
}

static gw_status anneal(designer *d, state *best) {
    const gw_design_options *o = d->options;
    edit *edits = gw_alloc(3 * d->length, sizeof *edits);
    state now = {0};
    const edit none = {.at = -1, .breaks = best->breaks, .value = best->value, .gain = best->gain};
    gw_status status = edits ? make_state(d, best, &none, &now) : GW_ERR_MEMORY;
    gw_random random = gw_random_at(o->seed, GW_SITE_DESIGN, 0, 0);
    double temperature = o->temperature;
    for (int64_t step = 0; status == GW_OK && step < o->steps; step++) {
        double value, all = 0, most = 0, size = 0;
        status = saturate(d, now.bases, &value);
        const int64_t count = status == GW_OK ? list_edits(d, &now, 0, edits) : 0;
        for (int64_t i = 0; i < count; i++) size += fabs(edits[i].gain - now.gain) / (double)count;
        if (temperature <= 0) temperature = size > 0 ? size : 1;
        const double t = temperature * pow(0.01, (double)step / (double)gw_max(o->steps - 1, 1));
        for (int64_t i = 0; i < count; i++) most = fmax(most, (edits[i].gain - now.gain) / t);
        int64_t fewest = now.breaks; // while some are broken, what mends them alone is drawn from
        for (int64_t i = 0; i < count; i++) fewest = gw_min(fewest, edits[i].breaks);
        for (int64_t i = 0; i < count; i++)
            if (edits[i].breaks == fewest) all += exp((edits[i].gain - now.gain) / t - most);
        const double stays = fewest == now.breaks ? exp(-most) : 0;
        double drawn = (double)gw_random_uniform(&random) * (all + stays);
        int64_t chosen = -1;
        for (int64_t i = 0; i < count && drawn >= 0 && all > 0; i++) {
            if (edits[i].breaks != fewest) continue;
            drawn -= exp((edits[i].gain - now.gain) / t - most);
            if (drawn < 0) chosen = i;
        }
        if (chosen < 0) continue;
        state next;
        status = make_state(d, &now, &edits[chosen], &next);
        free_state(&now);
        now = next;
        if (status != GW_OK || now.breaks > best->breaks || (now.breaks == best->breaks && now.gain <= best->gain))
            continue;
        const edit as_it_is = {.at = -1, .breaks = now.breaks, .value = now.value, .gain = now.gain};
        free_state(best);
        status = make_state(d, &now, &as_it_is, best);
    }
    free_state(&now);
    free(edits);
    return status;
}

// The differences from the start, in their order.
static void list_differences(const designer *d, state *s) {
    s->step_count = 0;
    for (int64_t i = 0; i < d->length; i++)
        if (s->bases[i] != d->start[i]) s->step_count++;
    gw_design_step *steps = gw_alloc(s->step_count + 1, sizeof *steps);
    int64_t count = 0;
    for (int64_t i = 0; steps && i < d->length; i++)
        if (s->bases[i] != d->start[i]) steps[count++] = (gw_design_step){{i, s->bases[i]}, NAN};
    free(s->steps);
    s->steps = steps;
    s->step_count = count;
}

static gw_status search(designer *d, gw_design *out) {
    const gw_design_options *o = d->options;
    const int64_t width = o->search == GW_DESIGN_BEAM ? gw_max(o->beam, 1) : 1;
    state *beam = gw_alloc(width, sizeof *beam);
    int64_t count = 1;
    bool done = false;
    if (!beam) return GW_ERR_MEMORY;
    gw_status status = gw_target_run(d->target, d->start, d->length, NULL, 0, &out->first);
    const state none = {.bases = (char *)d->start};
    const edit start = {.at = -1, .value = out->first, .gain = gain_of(d, out->first), .breaks = breaks(d, d->start)};
    if (status == GW_OK) status = make_state(d, &none, &start, &beam[0]);
    if (status == GW_OK && o->search == GW_DESIGN_ANNEAL) status = anneal(d, &beam[0]);
    for (int64_t step = 0; o->search != GW_DESIGN_ANNEAL && status == GW_OK && step < o->edits && !done; step++)
        status = step_beam(d, beam, &count, width, &done);
    if (status == GW_OK && beam[0].breaks > 0)
        status =
            gw_fail(GW_ERR_MISMATCH,
                    "the constraints cannot be met: after %lld edits %lld sites, homopolymers or stretches of GC still "
                    "violate them",
                    (long long)beam[0].away, (long long)beam[0].breaks);
    if (status == GW_OK) {
        if (o->search == GW_DESIGN_ANNEAL) list_differences(d, &beam[0]);
        *out = (gw_design){.bases = beam[0].bases,
                           .first = out->first,
                           .value = beam[0].value,
                           .steps = beam[0].steps,
                           .step_count = beam[0].step_count,
                           .saturations = d->saturations};
        beam[0] = (state){0};
    }
    for (int64_t i = 0; i < count; i++) free_state(&beam[i]);
    free(beam);
    return status;
}

gw_status gw_design_run(gw_target *target, const char *bases, int64_t length, const gw_design_options *options,
                        gw_design *out) {
    designer d = {.options = options, .target = target, .length = length, .start = bases};
    *out = (gw_design){0};
    GW_TRY(gw_design_check(options));
    d.value = gw_alloc(4 * length, sizeof *d.value);
    gw_status status = d.value ? read_patterns(&d) : GW_ERR_MEMORY;
    if (status == GW_OK) status = search(&d, out);
    free(d.patterns);
    free(d.value);
    return status;
}

void gw_design_free(gw_design *design) {
    free(design->bases);
    free(design->steps);
    *design = (gw_design){0};
}
