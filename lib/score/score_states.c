// SPDX-License-Identifier: MIT
// Four windows for each allele, REF and ALT on both strands, in batches of a few alleles. Mean states are kept until
// the allele's last window has run.
#include "score/score_states.h"

#include "base/memory.h"
#include "base/number.h"
#include "network/forward.h"
#include "network/token_batch.h"
#include "text/tokenizer.h"

#include <math.h>
#include <stdlib.h>

enum { WINDOWS = 4, MOST_ALLELES = 64 };

typedef struct {
    int64_t first, end; // tokens of a sequence
} site;

struct gw_state_scorer {
    gw_model *model;
    gw_genome *genome;
    int64_t window, width;
    gw_token_batch batch;
    gw_forward forward;
    char *bases;              // [3][W]: REF, ALT, one of them turned
    gw_token_strings strings; // of an allele's windows
    // of the alleles at hand
    site sites[MOST_ALLELES * WINDOWS];
    float *states; // [MOST_ALLELES][WINDOWS][width]
    int64_t queued, ran;
};

// The mean of each of the batch's sequences over its site.
static gw_status take_states(void *scorer, const gw_losses *losses) {
    (void)losses;
    gw_state_scorer *s = scorer;
    const gw_rows *stream = &s->batch.batch.of[GW_ROWS_TOKENS];
    const float *hidden = gw_network_hidden(s->forward.network);
    if (!hidden) return GW_ERR_IO;
    for (int64_t i = 0; i < stream->sequences; i++, s->ran++) {
        const int64_t first = s->sites[s->ran].first, count = s->sites[s->ran].end - first;
        const float *rows = hidden + (stream->start[i] + first) * s->width;
        float *state = s->states + s->ran * s->width;
        for (int64_t c = 0; c < s->width; c++) {
            double sum = 0;
            for (int64_t t = 0; t < count; t++) sum += (double)rows[t * s->width + c];
            state[c] = (float)(sum / (double)count);
        }
        GW_TRY(gw_check_outputs(state, s->width));
    }
    return GW_OK;
}

gw_status gw_state_scorer_new(gw_model *model, gw_genome *genome, int64_t window, int64_t batch_tokens,
                              gw_state_scorer **out) {
    gw_state_scorer *s = gw_alloc(1, sizeof *s);
    *out = s;
    if (!s) return GW_ERR_MEMORY;
    s->model = model;
    s->genome = genome;
    s->window = window;
    s->width = model->config.width;
    s->bases = gw_alloc(3, window);
    s->states = gw_alloc(MOST_ALLELES * WINDOWS, s->width * (int64_t)sizeof *s->states);
    if (!s->bases || !s->states) return GW_ERR_MEMORY;
    const gw_config *config = &model->config;
    const int64_t longest = gw_config_longest(config), tokens = gw_forward_tokens(batch_tokens, longest);
    const gw_network_options options = {.tokens = tokens,
                                        .sequences = GW_FORWARD_SEQUENCES,
                                        .output_rows = GW_OUTPUT_ALL,
                                        .layers = config->layers == 0 ? -1 : (int)config->layers};
    GW_TRY(gw_token_batch_make(&s->batch, model->tokenizer, tokens, GW_FORWARD_SEQUENCES, longest));
    GW_TRY(gw_forward_make(&s->forward, model, &options, &s->batch.batch, s));
    s->forward.ran = take_states;
    return GW_OK;
}

void gw_state_scorer_free(gw_state_scorer *scorer) {
    if (!scorer) return;
    gw_forward_free(&scorer->forward);
    gw_token_batch_free(&scorer->batch);
    gw_token_strings_free(&scorer->strings);
    free(scorer->bases);
    free(scorer->states);
    free(scorer);
}

// The tokens that hold a base of [begin, end), of a window that they cover; false where they do not.
static bool find_site(const gw_state_scorer *s, gw_token_string tokens, int64_t begin, int64_t end, site *out) {
    int64_t at = 0;
    *out = (site){-1, 0};
    for (int64_t i = 0; i < tokens.count; i++) {
        const bool unknown = tokens.token[i] == gw_tokenizer_special(s->model->tokenizer, GW_SPECIAL_UNK);
        const int64_t next = at + (unknown ? 1 : gw_tokenizer_bases(s->model->tokenizer, tokens.token[i]));
        if (next > begin && out->first < 0) out->first = i;
        if (at < end) out->end = i + 1;
        at = next;
    }
    return at == s->window && out->first >= 0 && tokens.count + gw_frame_tokens(&s->batch.frame) <= s->batch.positions;
}

// Tokens and sites of an allele's windows: REF and ALT, then both turned. *known is false where one will not do.
static gw_status encode_allele(gw_state_scorer *s, const gw_variant *v, site sites[WINDOWS], bool *known) {
    char *side[2] = {s->bases, s->bases + s->window}, *turned = s->bases + 2 * s->window;
    const int64_t at = (s->window - 1) / 2, length[2] = {v->ref_length, v->alt_length};
    gw_allele_status status;
    gw_token_strings_cut(&s->strings, 0);
    GW_TRY(gw_variant_windows(s->genome, v, s->window, 0, side[0], side[1], &status));
    *known = status == GW_ALLELE_PASS;
    for (int i = 0; *known && i < WINDOWS; i++) {
        const bool turns = i >= 2;
        const int64_t end = at + length[i % 2];
        const int32_t *tokens;
        int64_t count;
        if (turns) gw_reverse_complement(side[i % 2], s->window, turned);
        GW_TRY(gw_encode(s->batch.encoder, turns ? turned : side[i], s->window, &tokens, &count));
        GW_TRY(gw_token_strings_add(&s->strings, tokens, count));
        *known = find_site(s, gw_token_strings_at(&s->strings, i), turns ? s->window - end : at,
                           turns ? s->window - at : end, &sites[i]);
    }
    return GW_OK;
}

static void compare(const gw_state_scorer *s, int64_t first, gw_allele *allele) {
    double distance = 0, cosine = 0;
    for (int strand = 0; strand < 2; strand++) {
        const float *ref = s->states + (first + 2 * strand) * s->width, *alt = ref + s->width;
        double apart = 0, dot = 0, refs = 0, alts = 0;
        for (int64_t c = 0; c < s->width; c++) {
            const double r = (double)ref[c], a = (double)alt[c];
            apart += (a - r) * (a - r);
            dot += a * r;
            refs += r * r;
            alts += a * a;
        }
        distance += sqrt(apart) / 2;
        cosine += dot / sqrt(refs * alts) / 2;
    }
    allele->distance = (float)distance;
    allele->cosine = (float)cosine;
}

static gw_status run_some(gw_state_scorer *s, gw_allele *alleles, int64_t count) {
    gw_allele *waiting[MOST_ALLELES];
    int64_t waits = 0;
    s->queued = s->ran = 0;
    for (int64_t i = 0; i < count; i++) {
        site sites[WINDOWS];
        bool known;
        if (!gw_allele_is_scored(alleles[i].status) || alleles[i].neutral) continue;
        GW_TRY(encode_allele(s, &alleles[i].variant, sites, &known));
        for (int w = 0; known && w < WINDOWS; w++) { // its windows as sequences of the batch
            const gw_token_string tokens = gw_token_strings_at(&s->strings, w);
            const int64_t begins = s->batch.frame.begins;
            GW_TRY(gw_forward_reserve(&s->forward, tokens.count + gw_frame_tokens(&s->batch.frame), 0));
            if (!gw_token_batch_add_tokens(&s->batch, tokens.token, tokens.count))
                return gw_fail(GW_ERR_RANGE, "a window of %lld tokens does not fit a batch", (long long)tokens.count);
            s->sites[s->queued++] = (site){begins + sites[w].first, begins + sites[w].end};
        }
        if (known) waiting[waits++] = &alleles[i];
    }
    GW_TRY(gw_forward_run(&s->forward));
    for (int64_t i = 0; i < waits; i++) compare(s, WINDOWS * i, waiting[i]);
    return GW_OK;
}

gw_status gw_state_scorer_run(gw_state_scorer *s, gw_allele *alleles, int64_t count) {
    for (int64_t i = 0; i < count; i += MOST_ALLELES) {
        const gw_status status = run_some(s, alleles + i, gw_min(count - i, MOST_ALLELES));
        if (status == GW_OK) continue;
        gw_forward_reset(&s->forward);
        return status;
    }
    return GW_OK;
}
