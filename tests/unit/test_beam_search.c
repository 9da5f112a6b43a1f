// SPDX-License-Identifier: MIT
// Google's rule of beam search against a plain statement of it, on random logits that depend on the whole text so far:
// 2 M continuations a step, M finished texts, all steps made, unfinished ones only where none has ended.
// tests/oracle/generate_oracle.py holds the other rule to transformers.
#include "language/beam_search.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 10, MOST_BEAMS = 6, MOST_VOCABULARY = 24, CASES = 300, START = 2, END = 1 };

// A text and the sum of log p, or its score.
typedef struct {
    int32_t token[MOST_STEPS];
    int length;
    double score;
} text;

typedef struct {
    uint64_t seed;
    int vocabulary, beams, steps;
    double alpha, end; // end: added to the end token's logit
} subject;

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

static float logit(const subject *s, const text *so_far, int v) {
    uint64_t hash = mix(s->seed + 1);
    for (int i = 0; i < so_far->length; i++) hash = mix(hash * 31 + (uint64_t)so_far->token[i] + 7);
    const double u = (double)(mix(hash * 131 + (uint64_t)v) >> 11) / 9007199254740992.0;
    return (float)(4 * u - 2 + (v == END ? s->end : 0));
}

static void log_softmax(const subject *s, const text *so_far, double *out) {
    double sum = 0;
    for (int v = 0; v < s->vocabulary; v++) sum += exp((double)logit(s, so_far, v));
    for (int v = 0; v < s->vocabulary; v++) out[v] = (double)logit(s, so_far, v) - log(sum);
}

static int better(const void *a, const void *b) {
    const double x = ((const text *)a)->score, y = ((const text *)b)->score;
    return (x < y) - (x > y);
}

static double normed(const subject *s, double sum, int length) {
    return sum / pow((5.0 + length) / 6.0, s->alpha);
}

static text plain_search(const subject *s) {
    static text next[MOST_BEAMS * MOST_VOCABULARY], done[3 * MOST_BEAMS];
    text alive[MOST_BEAMS] = {{{0}, 0, 0}};
    int living = 1, ended = 0;
    for (int step = 0; step < s->steps; step++) {
        int count = 0;
        for (int b = 0; b < living; b++) {
            double log_p[MOST_VOCABULARY];
            log_softmax(s, &alive[b], log_p);
            for (int v = 0; v < s->vocabulary; v++) {
                next[count] = alive[b];
                next[count].token[next[count].length++] = v;
                next[count++].score += log_p[v];
            }
        }
        qsort(next, (size_t)count, sizeof *next, better);
        living = 0;
        for (int c = 0; c < count && c < 2 * s->beams; c++) {
            if (next[c].token[step] != END) {
                if (living < s->beams) alive[living++] = next[c];
                continue;
            }
            done[ended] = next[c];
            done[ended++].score = normed(s, next[c].score, step + 1);
        }
        qsort(done, (size_t)ended, sizeof *done, better);
        if (ended > s->beams) ended = s->beams;
    }
    text best = ended > 0 ? done[0] : alive[0]; // whose score is the sum
    if (ended > 0) best.length--;               // without the end
    return best;
}

static text searched(const subject *s) {
    const gw_beam_options options = {.rule = GW_BEAM_GOOGLE,
                                     .beams = s->beams,
                                     .length_penalty = s->alpha,
                                     .max_length = s->steps + 1,
                                     .start = START,
                                     .end = END,
                                     .forced_end = -1};
    gw_beam_search *search;
    text before[MOST_BEAMS] = {{{0}, 0, 0}}, now[MOST_BEAMS], best = {{0}, 0, 0};
    float logits[MOST_BEAMS * MOST_VOCABULARY];
    const gw_beam_row *rows;
    int64_t count;
    cr_assert_eq(gw_beam_search_new(&options, &search), GW_OK);
    gw_beam_search_begin(search, 0);
    while ((count = gw_beam_search_rows(search, &rows)) > 0) {
        for (int64_t r = 0; r < count; r++) {
            now[r] = before[rows[r].parent < 0 ? 0 : rows[r].parent];
            if (rows[r].parent >= 0) now[r].token[now[r].length++] = rows[r].token;
            for (int v = 0; v < s->vocabulary; v++) logits[r * s->vocabulary + v] = logit(s, &now[r], v);
        }
        memcpy(before, now, sizeof before);
        cr_assert_eq(gw_beam_search_step(search, logits, s->vocabulary), GW_OK, "%s", gw_message());
    }
    const int32_t *tokens;
    best.length = (int)gw_beam_search_best(search, &tokens, &best.score);
    memcpy(best.token, tokens, (size_t)best.length * sizeof *tokens);
    gw_beam_search_free(search);
    return best;
}

Test(beam_search, google) {
    static const double alphas[] = {0, 0.7, 0.8, 2}, ends[] = {-8, -1, 0, 2};
    int finished = 0;
    for (int c = 0; c < CASES; c++) {
        const subject s = {.seed = (uint64_t)c,
                           .vocabulary = 5 + c % (MOST_VOCABULARY - 4),
                           .beams = 1 + c % MOST_BEAMS,
                           .steps = 1 + c / 3 % MOST_STEPS,
                           .alpha = alphas[c % 4],
                           .end = ends[c / 4 % 4]};
        const text want = plain_search(&s), found = searched(&s);
        finished += want.length < s.steps;
        cr_assert_eq(found.length, want.length, "case %d: %d tokens, expected %d", c, found.length, want.length);
        cr_assert_eq(memcmp(found.token, want.token, (size_t)want.length * sizeof *want.token), 0, "case %d", c);
        cr_assert_float_eq(found.score, want.score, 1e-5 * fmax(1, fabs(want.score)), "case %d: %g, expected %g", c,
                           found.score, want.score);
    }
    cr_assert(finished > CASES / 4 && finished < CASES, "%d of %d texts ended", finished, CASES);
}
