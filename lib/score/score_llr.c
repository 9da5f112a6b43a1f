// SPDX-License-Identifier: MIT
// Each term of S is a piece: a window with some tokens masked, whose first masked token is asked about. Pieces fill
// batches in order; a piece seen lately (REF and ALT of a single base, the three ALTs of a site, a record that comes
// again) is asked about a further token instead of being run again. Terms are added in order at the end, so that a sum
// does not depend on when its terms were computed.
#include "score/score_llr.h"

#include "base/log.h"
#include "base/memory.h"
#include "model/network.h"
#include "score/output_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOKENS = 8192, MOST_PIECES = 512 };

// What a piece is asked, log2 p(token) + 2 bases, to be added to the bits of an allele with the sign.
typedef struct {
    int64_t entry; // of the cache
    int32_t token;
    bool waits;   // the entry is of the batch
    int64_t slot; // allele x phases + phase
    double sign, bits;
} term;

struct gw_llr_scorer {
    gw_model *model;
    gw_genome *genome;
    gw_network *network;
    gw_encoder *encoder;
    int32_t mask; // [MASK]
    int64_t window, phases;
    double *bits; // [slots] sums of the run
    int64_t bits_capacity;
    char *windows;       // [4][W]: REF, ALT, and their reverse complements
    int32_t *strings[2]; // tokens of REF and ALT with special ones
    int64_t capacities[2], lengths[2];
    gw_batch batch;             // of pieces; the masked token asked about is a row of each
    int64_t entry[MOST_PIECES]; // of the batch's pieces
    // the run
    gw_output_cache *cache; // logits of the tokens asked about
    term *terms;
    int64_t term_count, term_capacity, answered; // [0, answered) are
};

gw_status gw_llr_scorer_new(gw_model *model, gw_genome *genome, const gw_llr_options *asked, gw_llr_scorer **out) {
    *out = NULL;
    gw_llr_scorer *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->model = model;
    s->genome = genome;
    s->window = asked->window;
    s->phases = asked->phases > 0 ? asked->phases : 1;
    int64_t budget = asked->batch_tokens > 0 ? asked->batch_tokens : DEFAULT_TOKENS;
    if (budget < gw_config_longest(&model->config)) budget = gw_config_longest(&model->config);
    s->windows = gw_alloc(4, s->window);
    const gw_network_options options = {
        .tokens = budget, .sequences = MOST_PIECES, .masked = MOST_PIECES, .output_rows = GW_OUTPUT_MASKED};
    gw_status status = s->windows ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_rows_make(&s->batch.of[GW_ROWS_TOKENS], budget, MOST_PIECES, GW_WITH_TOKEN);
    if (status == GW_OK) status = gw_rows_make(&s->batch.of[GW_ROWS_MASKED], MOST_PIECES, 0, GW_WITH_ROW);
    s->batch.of[GW_ROWS_TOKENS].pad_to = asked->pad_to;
    if (status == GW_OK) status = gw_tokenizer_need(model->tokenizer, GW_SPECIAL_MASK, &s->mask);
    if (status == GW_OK) status = gw_network_new(model, &options, &s->network);
    if (status == GW_OK) status = gw_encoder_new(model->tokenizer, &s->encoder);
    if (status == GW_OK)
        status =
            gw_output_cache_new(gw_config_longest(&model->config), model->config.vocabulary, MOST_PIECES, &s->cache);
    if (status == GW_OK) *out = s;
    else gw_llr_scorer_free(s);
    return status;
}

void gw_llr_scorer_free(gw_llr_scorer *scorer) {
    if (!scorer) return;
    gw_network_free(scorer->network);
    gw_encoder_free(scorer->encoder);
    free(scorer->windows);
    free(scorer->strings[0]);
    free(scorer->strings[1]);
    gw_batch_free(&scorer->batch);
    free(scorer->terms);
    free(scorer->bits);
    gw_output_cache_free(scorer->cache);
    free(scorer);
}

// log2 of the softmax of z[vocabulary] is (z - base) / ln 2 with base = ln sum exp z.
static double log_sum_exp(const float *z, int64_t vocabulary) {
    double largest = (double)z[0], sum = 0;
    for (int64_t v = 1; v < vocabulary; v++)
        if ((double)z[v] > largest) largest = (double)z[v];
    for (int64_t v = 0; v < vocabulary; v++) sum += exp((double)z[v] - largest);
    return largest + log(sum);
}

// What the logits of its entry say to a term.
static gw_status answer(const gw_llr_scorer *s, term *q) {
    const float *logits = gw_output_cache_get(s->cache, q->entry);
    const double log_p = (double)logits[q->token] - log_sum_exp(logits, s->model->config.vocabulary);
    if (!isfinite(log_p)) return gw_fail(GW_ERR_RANGE, "the model's output for a masked token is not a finite number");
    q->bits = log_p / M_LN2 + 2.0 * gw_tokenizer_bases(s->model->tokenizer, q->token);
    return GW_OK;
}

static gw_status flush(gw_llr_scorer *s) {
    const int64_t pieces = s->batch.of[GW_ROWS_TOKENS].sequences;
    if (pieces == 0) return GW_OK;
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_network_forward(s->network, &s->batch, NULL));
    const int64_t vocabulary = s->model->config.vocabulary;
    const float *logits = gw_network_mlm_logits(s->network);
    if (!logits) return GW_ERR_IO;
    for (int64_t p = 0; p < pieces; p++) gw_output_cache_set(s->cache, s->entry[p], logits + p * vocabulary);
    for (; s->answered < s->term_count; s->answered++)
        if (s->terms[s->answered].waits) GW_TRY(answer(s, &s->terms[s->answered]));
    gw_batch_clear(&s->batch);
    return GW_OK;
}

// Asks for the token at `at` of string `side` with the tokens [at, masked_end) masked.
static gw_status ask(gw_llr_scorer *s, int side, int64_t at, int64_t masked_end, int64_t slot) {
    const int64_t count = s->lengths[side];
    gw_rows *stream = &s->batch.of[GW_ROWS_TOKENS], *masked = &s->batch.of[GW_ROWS_MASKED];
    if (!gw_rows_fit(stream, count)) GW_TRY(flush(s));
    int32_t *position = stream->token + stream->count;
    memcpy(position, s->strings[side], (size_t)count * sizeof *position);
    for (int64_t i = at; i < masked_end; i++) position[i] = s->mask;
    const gw_output_key key = {.tokens = position, .count = count, .asked = at};
    GW_TRY(gw_reserve(&s->terms, &s->term_capacity, s->term_count + 1, sizeof *s->terms));
    term *q = &s->terms[s->term_count++];
    *q = (term){.entry = gw_output_cache_find(s->cache, key),
                .token = s->strings[side][at],
                .slot = slot,
                .sign = side == 0 ? -0.5 : 0.5};
    if (q->entry >= 0 && gw_output_cache_get(s->cache, q->entry)) return answer(s, q);
    q->waits = true;
    if (q->entry >= 0) return GW_OK;
    s->entry[stream->sequences] = q->entry = gw_output_cache_add(s->cache, key);
    masked->row[masked->count++] = (int32_t)(stream->count + at);
    stream->count += count;
    gw_rows_end_sequence(stream);
    return GW_OK;
}

static gw_status encode_side(gw_llr_scorer *s, int side, const char *bases) {
    const int32_t *tokens, *segments;
    int64_t count;
    GW_TRY(gw_encode_with_specials(s->encoder, bases, s->window, NULL, 0, &tokens, &segments, &count));
    GW_TRY(gw_reserve(&s->strings[side], &s->capacities[side], count, sizeof(int32_t)));
    memcpy(s->strings[side], tokens, (size_t)count * sizeof *tokens);
    s->lengths[side] = count;
    return GW_OK;
}

// Asks for all terms of one strand; special tokens are part of the common prefix and suffix.
static gw_status ask_strand(gw_llr_scorer *s, int64_t slot) {
    const int32_t *ref = s->strings[0], *alt = s->strings[1];
    int64_t end[2] = {s->lengths[0], s->lengths[1]}, begin = 0;
    while (begin < end[0] && begin < end[1] && ref[begin] == alt[begin]) begin++;
    while (end[0] > begin && end[1] > begin && ref[end[0] - 1] == alt[end[1] - 1]) end[0]--, end[1]--;
    for (int side = 0; side < 2; side++)
        for (int64_t at = begin; at < end[side]; at++) GW_TRY(ask(s, side, at, end[side], slot));
    return GW_OK;
}

// Cuts the windows of a phase: REF and ALT, then their reverse complements. TOOLONG where the tokens of either strand
// are more than the positions.
static gw_status cut_windows(gw_llr_scorer *s, gw_allele *allele, int64_t phase) {
    char *ref = s->windows, *alt = ref + s->window;
    gw_allele_status status;
    GW_TRY(gw_variant_windows(s->genome, &allele->variant, s->window, gw_phase_shift(phase), ref, alt, &status));
    if (status != GW_ALLELE_PASS) {
        allele->status = status;
        return GW_OK;
    }
    gw_reverse_complement(ref, s->window, alt + s->window);
    gw_reverse_complement(alt, s->window, alt + 2 * s->window);
    for (int w = 0; w < 4; w++) {
        GW_TRY(encode_side(s, w % 2, s->windows + w * s->window));
        if (s->lengths[w % 2] > gw_config_longest(&s->model->config)) allele->status = GW_ALLELE_TOOLONG;
    }
    return GW_OK;
}

static gw_status ask_phase(gw_llr_scorer *s, int64_t slot) {
    for (int strand = 0; strand < 2; strand++) {
        for (int side = 0; side < 2; side++) GW_TRY(encode_side(s, side, s->windows + (2 * strand + side) * s->window));
        GW_TRY(ask_strand(s, slot));
    }
    return GW_OK;
}

// All windows must do before anything is asked.
static gw_status add_allele(gw_llr_scorer *s, gw_allele *allele, int64_t index) {
    bool n_rich = false;
    for (int64_t phase = s->phases - 1; phase >= 0 && allele->status == GW_ALLELE_PASS; phase--) {
        GW_TRY(cut_windows(s, allele, phase));
        n_rich = n_rich || gw_window_is_n_rich(s->windows, s->window) ||
                 gw_window_is_n_rich(s->windows + s->window, s->window);
    }
    if (allele->status != GW_ALLELE_PASS) return GW_OK;
    for (int64_t phase = 0; phase < s->phases; phase++) {
        if (phase > 0) GW_TRY(cut_windows(s, allele, phase)); // the first are still there
        GW_TRY(ask_phase(s, index * s->phases + phase));
    }
    if (n_rich) allele->status = GW_ALLELE_NRICH;
    return GW_OK;
}

// Mean of the phases, and their standard deviation.
static void take_bits(const gw_llr_scorer *s, gw_allele *allele, const double *bits) {
    double mean = 0, squares = 0;
    for (int64_t p = 0; p < s->phases; p++) mean += bits[p] / (double)s->phases;
    for (int64_t p = 0; p < s->phases; p++) squares += (bits[p] - mean) * (bits[p] - mean);
    allele->bits = (float)mean;
    allele->spread = s->phases > 1 ? (float)sqrt(squares / (double)(s->phases - 1)) : NAN;
}

static gw_status sum_terms(gw_llr_scorer *s, gw_allele *alleles, int64_t count) {
    GW_TRY(gw_reserve(&s->bits, &s->bits_capacity, count * s->phases, sizeof *s->bits));
    for (int64_t i = 0; i < count * s->phases; i++) s->bits[i] = 0; // of one without terms: REF = ALT
    for (int64_t i = 0; i < s->term_count; i++) s->bits[s->terms[i].slot] += s->terms[i].sign * s->terms[i].bits;
    for (int64_t i = 0; i < count; i++) take_bits(s, &alleles[i], s->bits + i * s->phases);
    return GW_OK;
}

gw_status gw_llr_scorer_run(gw_llr_scorer *s, gw_allele *alleles, int64_t count) {
    gw_batch_clear(&s->batch);
    s->term_count = s->answered = 0;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count; i++)
        if (alleles[i].status == GW_ALLELE_PASS) status = add_allele(s, &alleles[i], i);
    if (status == GW_OK) status = flush(s);
    if (status == GW_OK) status = sum_terms(s, alleles, count);
    else gw_output_cache_clear(s->cache); // what was still to come will not
    return status;
}
