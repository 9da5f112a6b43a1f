// SPDX-License-Identifier: MIT
// Targets are rows of max_length tokens; rows before and after a step are stored together. Continuations of all
// unfinished targets compete in one list of the best.
#include "language/beam_search.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double score; // sum of log p; of a finished target divided by its length's penalty
    int32_t *tokens;
    int64_t length;
} target;

typedef struct {
    double score;
    int32_t parent, token;
} continuation;

struct gw_beam_search {
    gw_beam_options options;
    int64_t vocabulary; // of the last step
    int32_t *memory;
    target *alive, *next, *finished; // [beams] each
    int64_t alive_count, finished_count;
    gw_beam_row *rows;  // [beams] of `alive`
    continuation *best; // [2 beams] best first
    int64_t best_count;
    double *sum;          // [beams] ln sum_v exp(logit_v)
    float *scores;        // [vocabulary] of a row, with what is not allowed at -infinity
    continuation *likely; // [vocabulary] for sampling
};

static void place_targets(gw_beam_search *s, target **list, int64_t part) {
    const int64_t beams = s->options.beams, length = s->options.max_length;
    for (int64_t i = 0; i < beams; i++) (*list)[i].tokens = s->memory + (part * beams + i) * length;
}

gw_status gw_beam_search_new(const gw_beam_options *options, gw_beam_search **out) {
    *out = NULL;
    if (options->beams < 1 || options->max_length < 2)
        return gw_fail(GW_ERR_RANGE, "a search of %lld beams for targets of %lld tokens, expected 1 and 2 or more",
                       (long long)options->beams, (long long)options->max_length);
    gw_beam_search *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    const int64_t beams = options->beams;
    s->options = *options;
    s->memory = gw_alloc(3 * beams * s->options.max_length, sizeof *s->memory);
    s->alive = gw_alloc(beams, sizeof *s->alive);
    s->next = gw_alloc(beams, sizeof *s->next);
    s->finished = gw_alloc(beams, sizeof *s->finished);
    s->rows = gw_alloc(beams, sizeof *s->rows);
    s->best = gw_alloc(2 * beams, sizeof *s->best);
    s->sum = gw_alloc(beams, sizeof *s->sum);
    if (!s->memory || !s->alive || !s->next || !s->finished || !s->rows || !s->best || !s->sum) {
        gw_beam_search_free(s);
        return GW_ERR_MEMORY;
    }
    place_targets(s, &s->alive, 0);
    place_targets(s, &s->next, 1);
    place_targets(s, &s->finished, 2);
    gw_beam_search_begin(s, options->number);
    *out = s;
    return GW_OK;
}

void gw_beam_search_free(gw_beam_search *s) {
    if (!s) return;
    free(s->memory);
    free(s->alive);
    free(s->next);
    free(s->finished);
    free(s->rows);
    free(s->best);
    free(s->sum);
    free(s->scores);
    free(s->likely);
    free(s);
}

void gw_beam_search_begin(gw_beam_search *s, uint64_t number) {
    s->options.number = number;
    s->alive_count = 1;
    s->finished_count = 0;
    s->alive[0].score = 0;
    s->alive[0].length = 1;
    s->alive[0].tokens[0] = s->options.start;
    s->rows[0] = (gw_beam_row){-1, s->options.start};
}

int64_t gw_beam_search_rows(const gw_beam_search *s, const gw_beam_row **rows) {
    *rows = s->rows;
    return s->alive_count;
}

// log p of what may follow the target.
static gw_status take_scores(gw_beam_search *s, const target *t, const float *logits) {
    const gw_beam_options *o = &s->options;
    float largest = -INFINITY;
    double sum = 0;
    for (int64_t v = 0; v < s->vocabulary; v++) largest = logits[v] > largest ? logits[v] : largest;
    for (int64_t v = 0; v < s->vocabulary; v++) sum += (double)expf(logits[v] - largest);
    if (!isfinite(sum) || !isfinite((double)largest))
        return gw_fail(GW_ERR_RANGE, "a logit of token %lld of a target is not a number", (long long)t->length);
    const float shift = largest + (float)log(sum);
    for (int64_t v = 0; v < s->vocabulary; v++) s->scores[v] = logits[v] - shift;

    // Not allowed are tokens that would end a sequence of n tokens that the target has.
    const int64_t n = o->no_repeat_ngram, before = n - 1;
    for (int64_t i = 0; n > 0 && t->length >= n && i + before < t->length; i++)
        if (memcmp(t->tokens + i, t->tokens + t->length - before, (size_t)before * sizeof *t->tokens) == 0)
            s->scores[t->tokens[i + before]] = -INFINITY;
    if (t->length < o->min_length) s->scores[o->end] = -INFINITY;
    // Where the end is forced nothing else is allowed, and it costs nothing.
    if (o->forced_end >= 0 && t->length + 1 == o->max_length)
        for (int64_t v = 0; v < s->vocabulary; v++) s->scores[v] = v == o->forced_end ? 0 : -INFINITY;
    return GW_OK;
}

// Into the list of the best, where earlier ones stay before equal ones.
static void add_continuation(gw_beam_search *s, continuation c) {
    const int64_t most = 2 * s->options.beams;
    if (s->best_count == most && !(c.score > s->best[most - 1].score)) return;
    if (s->best_count < most) s->best_count++;
    int64_t at = s->best_count - 1;
    for (; at > 0 && c.score > s->best[at - 1].score; at--) s->best[at] = s->best[at - 1];
    s->best[at] = c;
}

static gw_status find_best(gw_beam_search *s, const float *logits) {
    s->best_count = 0;
    for (int32_t row = 0; row < s->alive_count; row++) {
        const target *t = &s->alive[row];
        GW_TRY(take_scores(s, t, logits + row * s->vocabulary));
        for (int32_t v = 0; v < s->vocabulary; v++)
            if (s->scores[v] > -INFINITY) add_continuation(s, (continuation){t->score + (double)s->scores[v], row, v});
    }
    return GW_OK;
}

static double penalty(const gw_beam_options *o, int64_t generated) {
    const double length = o->rule == GW_BEAM_HF ? (double)generated : (5 + (double)generated) / 6;
    return pow(length, o->length_penalty);
}

static void copy_target(const gw_beam_search *s, continuation c, target *to) {
    const target *from = &s->alive[c.parent];
    memcpy(to->tokens, from->tokens, (size_t)from->length * sizeof *to->tokens);
    to->tokens[from->length] = c.token;
    to->length = from->length + 1;
    to->score = c.score;
}

// Into the finished ones, best first, where it is among the M best.
static void finish(gw_beam_search *s, continuation c) {
    const int64_t beams = s->options.beams;
    const double score = c.score / penalty(&s->options, s->alive[c.parent].length);
    if (s->finished_count == beams && !(score > s->finished[beams - 1].score)) return;
    if (s->finished_count < beams) s->finished_count++;
    int64_t at = s->finished_count - 1;
    const target freed = s->finished[at];
    for (; at > 0 && score > s->finished[at - 1].score; at--) s->finished[at] = s->finished[at - 1];
    s->finished[at] = freed;
    copy_target(s, c, &s->finished[at]);
    s->finished[at].score = score;
}

// What the continuations make of the targets. Under hf a target that reached max_length has ended.
static void go_on(gw_beam_search *s) {
    const gw_beam_options *o = &s->options;
    int64_t count = 0;
    for (int64_t i = 0; i < s->best_count; i++) {
        const continuation c = s->best[i];
        const bool full = s->alive[c.parent].length + 1 == o->max_length;
        const bool ends = c.token == o->end || (full && o->rule == GW_BEAM_HF);
        if (ends && (i < o->beams || o->rule == GW_BEAM_GOOGLE)) finish(s, c);
        if (ends || count == o->beams) continue;
        s->rows[count] = (gw_beam_row){c.parent, c.token};
        copy_target(s, c, &s->next[count++]);
    }
    target *const before = s->alive;
    s->alive = s->next;
    s->next = before;
    s->alive_count = count;
}

static bool can_improve(const gw_beam_search *s) {
    const gw_beam_options *o = &s->options;
    const target *best = &s->alive[0];
    if (o->rule == GW_BEAM_GOOGLE) return best->length < o->max_length;
    if (s->finished_count < o->beams) return true;
    return best->score / penalty(o, best->length - 1) > s->finished[o->beams - 1].score;
}

// Google's rule where no target has ended: the best of those that have not.
static void end_search(gw_beam_search *s) {
    if (s->finished_count == 0 && s->alive_count > 0) {
        const target freed = s->finished[0];
        s->finished[s->finished_count++] = s->alive[0];
        s->alive[0] = freed;
    }
    s->alive_count = 0;
}

// p of the tokens that are left, likeliest first; their number.
static int by_score(const void *a, const void *b) {
    const continuation *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return (x->token > y->token) - (x->token < y->token);
}

static int64_t list_likely(gw_beam_search *s, double *total) {
    float largest = -INFINITY;
    int64_t count = 0, kept = 0;
    double sum = 0;
    for (int64_t v = 0; v < s->vocabulary; v++) largest = s->scores[v] > largest ? s->scores[v] : largest;
    for (int32_t v = 0; v < s->vocabulary; v++) {
        const double p = exp((double)(s->scores[v] - largest) / s->options.temperature);
        if (p > 0) s->likely[count++] = (continuation){p, 0, v};
        sum += p;
    }
    qsort(s->likely, (size_t)count, sizeof *s->likely, by_score);
    for (*total = 0; kept < count && (kept == 0 || *total < s->options.top_p * sum); kept++)
        *total += s->likely[kept].score;
    return kept;
}

// The likeliest token, or a draw.
static int32_t choose(gw_beam_search *s, const target *t) {
    int32_t best = 0;
    if (!s->options.sample) {
        for (int32_t v = 1; v < s->vocabulary; v++) best = s->scores[v] > s->scores[best] ? v : best;
        return best;
    }
    double total;
    const int64_t count = list_likely(s, &total);
    gw_random random = gw_random_at(s->options.seed, GW_SITE_GENERATE, s->options.number, (uint32_t)t->length);
    double left = gw_random_uniform(&random) * total;
    for (int64_t i = 0; i + 1 < count; i++) {
        left -= s->likely[i].score;
        if (left < 0) return s->likely[i].token;
    }
    return s->likely[count - 1].token;
}

static gw_status step_alone(gw_beam_search *s, const float *logits) {
    target *t = &s->alive[0];
    GW_TRY(take_scores(s, t, logits));
    const int32_t token = choose(s, t);
    t->score += (double)s->scores[token];
    t->tokens[t->length++] = token;
    s->rows[0] = (gw_beam_row){0, token};
    if (token == s->options.end || t->length == s->options.max_length) end_search(s);
    return GW_OK;
}

gw_status gw_beam_search_step(gw_beam_search *s, const float *logits, int64_t vocabulary) {
    if (s->vocabulary != vocabulary) {
        free(s->scores);
        free(s->likely);
        s->scores = gw_alloc(vocabulary, sizeof *s->scores);
        s->likely = s->options.sample ? gw_alloc(vocabulary, sizeof *s->likely) : NULL;
        s->vocabulary = s->scores && (s->likely || !s->options.sample) ? vocabulary : 0;
        if (s->vocabulary == 0) return GW_ERR_MEMORY;
    }
    if (s->options.beams == 1 && s->options.rule == GW_BEAM_HF) return step_alone(s, logits);
    GW_TRY(find_best(s, logits));
    if (s->best_count == 0) end_search(s); // nothing is allowed to follow
    else go_on(s);
    if (s->alive_count == 0 || !can_improve(s)) end_search(s);
    return GW_OK;
}

int64_t gw_beam_search_best(const gw_beam_search *s, const int32_t **tokens, double *score) {
    const target *t = &s->finished[0];
    *tokens = t->tokens + 1;
    *score = t->score;
    const bool ended = t->length > 1 && t->tokens[t->length - 1] == s->options.end;
    return s->finished_count > 0 ? t->length - 1 - ended : 0;
}
