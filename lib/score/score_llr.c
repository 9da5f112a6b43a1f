// SPDX-License-Identifier: MIT
// Log-likelihood ratios. Each term of S is a piece: a window with some masked tokens, and a question about the first
// masked token. Pieces fill batches in order, independent of alleles and records. If a piece was seen recently (REF and
// ALT of a single base, the three ALTs of a site, a repeated record), it does not run again, but answers a further
// question. Terms are added in order at the end, so that a sum does not depend on when its terms were computed.
#include "score/score_llr.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/softmax.h"
#include "model/family.h"
#include "network/forward.h"
#include "text/tokenizer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STRINGS = 4 };
// What an allele changes around it: the bases beside it, one masked at a time, as the model expects them with REF and
// with ALT. Their shares of A, C, G and T are [2 strands][2 sides][NEIGHBOURS][4].
enum { NEIGHBOURS_A_SIDE = 32, NEIGHBOURS = 2 * NEIGHBOURS_A_SIDE, SHARES = 2 * 2 * NEIGHBOURS * 4 };

// What a piece is asked, log2 p(token) + 2 bases, to be added to the bits of an allele with the sign.
typedef struct {
    int32_t token;
    int64_t slot; // allele x phases + phase
    double sign, bits;
} term;

struct gw_llr_scorer {
    gw_model *model;
    gw_genome *genome;
    gw_forward forward; // whose answers are log-likelihoods of terms, or with neighbours logits
    gw_encoder *encoder;
    int32_t mask;   // [MASK]
    gw_frame frame; // special tokens around a window
    int64_t window, phases;
    int64_t shift; // of all windows, bp: -1 where one of even width has a base more before the allele
    const gw_score_options *options;
    bool divergence;                                                   // of the neighbours
    void (*progress)(void *context, int64_t alleles, int64_t windows); // or NULL
    void *context;
    double *bits; // [slots] sums of the run
    int64_t bits_capacity;
    char *windows; // [STRINGS][W]: REF, ALT, and their reverse complements
    // Tokens with special ones: of these windows of an allele's phases, the last phase first; or of REF and ALT of a
    // shared window.
    gw_token_strings strings;
    gw_batch batch; // of pieces; the masked tokens asked about are rows
    // the run
    term *terms;
    int64_t term_count, term_capacity;
    int64_t asked, read; // alleles that were asked for; pieces that were run
    gw_shared_site *sites;
    gw_shared_window *shared;
    int64_t site_count, site_capacity, shared_capacity;
    // of neighbours
    int32_t base_token[4]; // A, C, G, T
    float *shares;         // [neighbour_count][2 strands][2 sides][NEIGHBOURS][4]
    int64_t *neighbours;   // [neighbour_count] alleles
    int64_t neighbour_count, share_capacity, neighbour_capacity;
};

// Bases and tokens are one and the same where a vocabulary has nothing longer.
static gw_status check_single_bases(const gw_llr_scorer *s, const char *what) {
    for (int32_t token = 0; token < gw_tokenizer_size(s->model->tokenizer); token++)
        if (gw_tokenizer_bases(s->model->tokenizer, token) > 1)
            return gw_fail(GW_ERR_UNSUPPORTED, "%s is for models of single bases; this one's tokens hold several",
                           what);
    return GW_OK;
}

static gw_status answer_term(void *scorer, int64_t number, double log_p) {
    const gw_llr_scorer *s = scorer;
    term *q = &s->terms[number];
    q->bits = log_p / M_LN2 + 2.0 * gw_tokenizer_bases(s->model->tokenizer, q->token);
    return GW_OK;
}

// Questions about neighbours have numbers below 0: -1 less the place of their four shares.
static gw_status answer(void *scorer, int64_t number, const float *logits) {
    const gw_llr_scorer *s = scorer;
    if (number < 0) {
        float *share = s->shares + 4 * (-1 - number);
        for (int i = 0; i < 4; i++) share[i] = logits[s->base_token[i]];
        const gw_softmax softmax = gw_softmax_of(share, 4, 1);
        for (int i = 0; i < 4; i++) share[i] = (float)gw_softmax_share(softmax, share[i]);
        return gw_check_outputs(share, 4);
    }
    const double log_p = (double)logits[s->terms[number].token] -
                         gw_softmax_log_sum(gw_softmax_of(logits, s->model->config.vocabulary, 1));
    return isfinite(log_p) ? answer_term(scorer, number, log_p) : gw_output_not_finite();
}

static gw_status count_pieces(void *scorer, const gw_losses *losses) {
    (void)losses;
    gw_llr_scorer *s = scorer;
    s->read += s->batch.of[GW_ROWS_TOKENS].sequences;
    if (s->progress) s->progress(s->context, s->asked, s->read);
    return GW_OK;
}

static gw_status make(gw_llr_scorer *s) {
    const gw_tokenizer *tokenizer = s->model->tokenizer;
    const int64_t tokens = gw_forward_tokens(s->options->batch_tokens, gw_config_longest(&s->model->config));
    const gw_network_options options = {.tokens = tokens,
                                        .sequences = GW_FORWARD_SEQUENCES,
                                        .masked = GW_FORWARD_SEQUENCES,
                                        .output_rows = GW_OUTPUT_MASKED};
    s->windows = gw_alloc(STRINGS, s->window);
    if (!s->windows) return GW_ERR_MEMORY;
    GW_TRY(gw_rows_make(&s->batch.of[GW_ROWS_TOKENS], tokens, GW_FORWARD_SEQUENCES, GW_WITH_TOKEN));
    GW_TRY(gw_rows_make(&s->batch.of[GW_ROWS_MASKED], GW_FORWARD_SEQUENCES, 0, GW_WITH_ROW));
    GW_TRY(s->divergence ? gw_forward_answers(&s->forward, s->model, &options, &s->batch, GW_ROWS_MASKED, answer, s)
                         : gw_forward_likelihoods(&s->forward, s->model, &options, &s->batch, answer_term, s));
    s->forward.ran = count_pieces;
    GW_TRY(gw_forward_need(&s->forward, s->model, s->options->plain ? 0 : s->options->memory));
    GW_TRY(gw_tokenizer_need(tokenizer, GW_SPECIAL_MASK, &s->mask));
    GW_TRY(gw_tokenizer_frame(tokenizer, &s->frame));
    GW_TRY(gw_encoder_new(tokenizer, &s->encoder));
    if (s->divergence) GW_TRY(check_single_bases(s, "the score 'jsd'"));
    for (int i = 0; s->divergence && i < 4; i++) {
        const int32_t *base;
        int64_t count;
        GW_TRY(gw_encode(s->encoder, &"ACGT"[i], 1, &base, &count));
        if (count != 1) return gw_fail(GW_ERR_UNSUPPORTED, "the vocabulary has no token for %c", "ACGT"[i]);
        s->base_token[i] = base[0];
    }
    return s->options->share > 0 ? check_single_bases(s, "--share-windows") : GW_OK;
}

gw_status gw_llr_scorer_new(gw_model *model, gw_genome *genome, int64_t window, const gw_score_options *options,
                            gw_llr_scorer **out) {
    *out = NULL;
    gw_llr_scorer *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->model = model;
    s->genome = genome;
    s->window = window;
    s->phases = options->phases > 0 ? options->phases : 1;
    s->options = options;
    s->divergence = gw_score_is_asked(options->scores, "jsd");
    const gw_family_scoring *scoring = &gw_family_of(model->config.family)->scoring;
    s->shift = scoring->place ? (window - 1) / 2 - scoring->place(window) : 0;
    const gw_status status = make(s);
    if (status == GW_OK) *out = s;
    else gw_llr_scorer_free(s);
    return status;
}

void gw_llr_scorer_free(gw_llr_scorer *scorer) {
    if (!scorer) return;
    gw_forward_free(&scorer->forward);
    gw_encoder_free(scorer->encoder);
    free(scorer->windows);
    gw_token_strings_free(&scorer->strings);
    gw_batch_free(&scorer->batch);
    free(scorer->terms);
    free(scorer->bits);
    free(scorer->sites);
    free(scorer->shared);
    free(scorer->shares);
    free(scorer->neighbours);
    free(scorer);
}

void gw_llr_scorer_watch(gw_llr_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                         void *context) {
    scorer->progress = progress;
    scorer->context = context;
}

// ---- an allele

// A piece at the end of the batch, with room for `rows` questions: *out is a copy of the string, to be masked. It
// becomes one of the batch's by gw_forward_end(), where it has anything to answer.
static gw_status begin_piece(gw_llr_scorer *s, gw_token_string string, int64_t rows, int32_t **out) {
    const gw_rows *stream = &s->batch.of[GW_ROWS_TOKENS];
    GW_TRY(gw_forward_reserve(&s->forward, string.count, rows));
    *out = stream->token + stream->count;
    memcpy(*out, string.token, (size_t)string.count * sizeof **out);
    return GW_OK;
}

// Asks the piece for the token at `at` of the string, of REF (side 0) or ALT, by a term.
static gw_status ask_row(gw_llr_scorer *s, gw_token_string string, int side, int64_t at, int64_t slot) {
    GW_TRY(gw_reserve(&s->terms, &s->term_capacity, s->term_count + 1, sizeof *s->terms));
    const int64_t number = s->term_count++;
    const int32_t token = string.token[at];
    s->terms[number] = (term){.token = token, .slot = slot, .sign = side == 0 ? -0.5 : 0.5};
    return s->divergence ? gw_forward_ask(&s->forward, string.count, at, number)
                         : gw_forward_ask_token(&s->forward, string.count, at, token, number);
}

static gw_status encode(gw_llr_scorer *s, const char *bases) {
    const int32_t *tokens, *segments;
    int64_t count;
    GW_TRY(gw_encode_with_specials(s->encoder, bases, s->window, NULL, 0, &tokens, &segments, &count));
    return gw_token_strings_add(&s->strings, tokens, count);
}

// Asks for all terms of one strand; special tokens are part of the common prefix and suffix.
static gw_status ask_strand(gw_llr_scorer *s, gw_token_string ref, gw_token_string alt, int64_t slot) {
    const gw_token_string of[2] = {ref, alt};
    int64_t end[2] = {ref.count, alt.count}, begin = 0;
    while (begin < end[0] && begin < end[1] && ref.token[begin] == alt.token[begin]) begin++;
    while (end[0] > begin && end[1] > begin && ref.token[end[0] - 1] == alt.token[end[1] - 1]) end[0]--, end[1]--;
    for (int side = 0; side < 2; side++)
        for (int64_t at = begin; at < end[side]; at++) {
            int32_t *piece; // with the tokens from `at` on masked
            GW_TRY(begin_piece(s, of[side], 1, &piece));
            for (int64_t i = at; i < end[side]; i++) piece[i] = s->mask;
            GW_TRY(ask_row(s, of[side], side, at, slot));
            gw_forward_end(&s->forward, of[side].count);
        }
    return GW_OK;
}

// Cuts and encodes the windows of a phase: REF and ALT, then their reverse complements. TOOLONG where the tokens of
// either strand are more than the positions.
static gw_status cut_windows(gw_llr_scorer *s, gw_allele *allele, int64_t phase) {
    char *ref = s->windows, *alt = ref + s->window;
    gw_allele_status status;
    const int64_t shift = s->shift + gw_phase_shift(phase);
    GW_TRY(gw_variant_windows(s->genome, &allele->variant, s->window, shift, ref, alt, &status));
    if (status != GW_ALLELE_PASS) {
        allele->status = status;
        return GW_OK;
    }
    gw_reverse_complement(ref, s->window, alt + s->window);
    gw_reverse_complement(alt, s->window, alt + 2 * s->window);
    for (int w = 0; w < STRINGS; w++) {
        GW_TRY(encode(s, s->windows + w * s->window));
        if (gw_token_strings_at(&s->strings, s->strings.count - 1).count > gw_config_longest(&s->model->config))
            allele->status = GW_ALLELE_TOOLONG;
    }
    return GW_OK;
}

// Whether the windows of the allele, of all phases, will do.
static gw_status check_allele(gw_llr_scorer *s, gw_allele *allele, bool *n_rich) {
    *n_rich = false;
    gw_token_strings_cut(&s->strings, 0);
    for (int64_t phase = s->phases - 1; phase >= 0 && allele->status == GW_ALLELE_PASS; phase--) {
        GW_TRY(cut_windows(s, allele, phase));
        *n_rich = *n_rich || gw_window_is_n_rich(s->windows, s->window) ||
                  gw_window_is_n_rich(s->windows + s->window, s->window);
    }
    return GW_OK;
}

// All windows must do before anything is asked.
static gw_status add_allele(gw_llr_scorer *s, gw_allele *allele, int64_t index) {
    bool n_rich;
    GW_TRY(check_allele(s, allele, &n_rich));
    if (allele->status != GW_ALLELE_PASS) return GW_OK;
    for (int64_t phase = 0; phase < s->phases; phase++)
        for (int64_t i = 0; i < STRINGS; i += 2) {
            const int64_t at = (s->phases - 1 - phase) * STRINGS + i;
            GW_TRY(ask_strand(s, gw_token_strings_at(&s->strings, at), gw_token_strings_at(&s->strings, at + 1),
                              index * s->phases + phase));
        }
    if (n_rich) allele->status = GW_ALLELE_NRICH;
    return GW_OK;
}

// Asks, on a strand, what REF and ALT make of each neighbour, by windows of the first phase: neighbour k lies at a base
// of REF's window and one of ALT's, where neither is beyond its end.
static gw_status ask_neighbours(gw_llr_scorer *s, const gw_variant *v, int strand, int64_t first) {
    const int64_t at = (s->window - 1) / 2 - s->shift, length[2] = {v->ref_length, v->alt_length};
    for (int side = 0; side < 2; side++) {
        const gw_token_string string = gw_token_strings_at(&s->strings, (s->phases - 1) * STRINGS + 2 * strand + side);
        for (int64_t k = 0; k < NEIGHBOURS; k++) {
            const bool before = k < NEIGHBOURS_A_SIDE;
            const int64_t behind = at + k - NEIGHBOURS_A_SIDE;
            const int64_t base = before ? at - 1 - k : behind + length[side];
            const int64_t last = before ? base : behind + gw_max(length[0], length[1]);
            if (base < 0 || last >= s->window) continue;
            const int64_t row = s->frame.begins + (strand == 1 ? s->window - 1 - base : base);
            int32_t *piece;
            GW_TRY(begin_piece(s, string, 1, &piece));
            piece[row] = s->mask;
            GW_TRY(gw_forward_ask(&s->forward, string.count, row, -1 - (first + (2 * strand + side) * NEIGHBOURS + k)));
            gw_forward_end(&s->forward, string.count);
        }
    }
    return GW_OK;
}

// Of the windows of an allele that was checked, those of its first phase, which stand last.
static gw_status add_neighbours(gw_llr_scorer *s, const gw_allele *allele, int64_t index) {
    if (!s->divergence || allele->neutral || !gw_allele_is_scored(allele->status)) return GW_OK;
    const int64_t place = s->neighbour_count++;
    GW_TRY(gw_reserve(&s->neighbours, &s->neighbour_capacity, s->neighbour_count, sizeof *s->neighbours));
    GW_TRY(gw_reserve(&s->shares, &s->share_capacity, s->neighbour_count * SHARES, sizeof *s->shares));
    s->neighbours[place] = index;
    for (int64_t i = 0; i < SHARES; i++) s->shares[place * SHARES + i] = NAN;
    for (int strand = 0; strand < 2; strand++) GW_TRY(ask_neighbours(s, &allele->variant, strand, place * SHARES / 4));
    return GW_OK;
}

// ---- windows that sites share

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int by_position(const void *a, const void *b) {
    const gw_shared_site *x = a, *y = b;
    if (x->contig != y->contig) return compare(x->contig, y->contig);
    return x->position != y->position ? compare(x->position, y->position) : compare(x->allele, y->allele);
}

static int by_window(const void *a, const void *b) {
    const gw_shared_site *x = a, *y = b;
    return x->group != y->group ? compare(x->group, y->group) : by_position(a, b);
}

// Windows in the making: the last position of each, and its sites.
typedef struct {
    int64_t last, count;
} open_window;

// Sites of a contig within `span` of the first are a neighbourhood; each of its positions goes to the first window that
// has room at its distance.
gw_status gw_share_windows(gw_shared_site *sites, int64_t count, const gw_share_options *o, gw_shared_window *windows,
                           int64_t *window_count) {
    open_window *open = gw_alloc(count, sizeof *open); // of a neighbourhood
    int64_t groups = 0;
    if (!open) return GW_ERR_MEMORY;
    qsort(sites, (size_t)count, sizeof *sites, by_position);
    for (int64_t i = 0, first = 0, opened = 0, chosen = 0; i < count; i++) {
        if (i == 0 || sites[i].contig != sites[first].contig || sites[i].position - sites[first].position > o->span) {
            groups += opened;
            first = i;
            opened = 0;
        }
        const bool again = i > first && sites[i].position == sites[i - 1].position;
        if (!again) chosen = 0;
        while (!again && chosen < opened &&
               (sites[i].position - open[chosen].last < o->apart || open[chosen].count >= o->most))
            chosen++;
        if (chosen == opened) open[opened++] = (open_window){0};
        open[chosen].last = sites[i].position;
        open[chosen].count++;
        sites[i].group = groups + chosen;
    }
    free(open);
    qsort(sites, (size_t)count, sizeof *sites, by_window);
    *window_count = 0;
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sites[end].group == sites[first].group;) end++;
        windows[(*window_count)++] =
            (gw_shared_window){(sites[first].position + sites[end - 1].position) / 2, first, end - first};
    }
    return GW_OK;
}

// The token of a base of a shared window on a strand.
static int64_t place_in_shared(const gw_llr_scorer *s, int strand, int64_t base) {
    return s->frame.begins + (strand == 1 ? s->window - 1 - base : base);
}

// Cuts REF and ALT of an allele out of a shared window that begins at `begin`, and encodes them on a strand.
static gw_status encode_shared(gw_llr_scorer *s, const gw_allele *allele, int64_t begin, int strand, int64_t *at) {
    char *ref = s->windows, *alt = ref + s->window, *turned = alt + s->window;
    gw_allele_status status;
    GW_TRY(gw_variant_windows_at(s->genome, &allele->variant, begin, s->window, false, ref, alt, &status));
    if (status != GW_ALLELE_PASS)
        return gw_fail(GW_ERR_RANGE, "a shared window at %lld cannot be read", (long long)begin + 1);
    gw_token_strings_cut(&s->strings, 0);
    for (int side = 0; side < 2; side++) {
        const char *bases = s->windows + side * s->window;
        if (strand == 1) gw_reverse_complement(bases, s->window, turned);
        GW_TRY(encode(s, strand == 1 ? turned : bases));
    }
    const int64_t base = allele->variant.position - begin;
    *at = place_in_shared(s, strand, base);
    return GW_OK;
}

// One piece a strand: the bases of all sites are masked, and each is asked about. Rows of a batch ascend.
static gw_status ask_shared(gw_llr_scorer *s, const gw_allele *alleles, const gw_shared_window *w, int strand) {
    const gw_shared_site *sites = s->sites + w->first;
    const int64_t length = gw_genome_length(s->genome, sites[0].contig), half = (s->window - 1) / 2;
    const int64_t begin = gw_max(gw_min(w->middle - half, length - s->window), 0);
    int64_t at;
    int32_t *piece;
    GW_TRY(encode_shared(s, &alleles[sites[0].allele], begin, strand, &at));
    GW_TRY(begin_piece(s, gw_token_strings_at(&s->strings, 0), w->count, &piece));
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t base = sites[i].position - begin;
        piece[place_in_shared(s, strand, base)] = s->mask;
    }
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t index = sites[strand == 1 ? w->count - 1 - i : i].allele;
        GW_TRY(encode_shared(s, &alleles[index], begin, strand, &at));
        for (int side = 0; side < 2; side++)
            GW_TRY(ask_row(s, gw_token_strings_at(&s->strings, side), side, at, index * s->phases));
    }
    gw_forward_end(&s->forward, gw_token_strings_at(&s->strings, 0).count);
    return GW_OK;
}

// The sites that were put aside, in windows that they share.
static gw_status add_sites(gw_llr_scorer *s, gw_allele *alleles) {
    const gw_share_options options = {
        .span = s->window / 2, .apart = s->options->share, .most = gw_min(GW_FORWARD_SEQUENCES, s->window)};
    int64_t count;
    if (s->site_count == 0) return GW_OK;
    GW_TRY(gw_reserve(&s->shared, &s->shared_capacity, s->site_count, sizeof *s->shared));
    GW_TRY(gw_share_windows(s->sites, s->site_count, &options, s->shared, &count));
    for (const gw_shared_window *w = s->shared; w < s->shared + count; w++) {
        const gw_shared_site *sites = s->sites + w->first;
        const bool apart = sites[0].position != sites[w->count - 1].position;
        for (int strand = 0; apart && strand < 2; strand++) GW_TRY(ask_shared(s, alleles, w, strand));
        for (int64_t i = 0; !apart && i < w->count; i++) { // sites of one position are asked for as ever
            const int64_t index = sites[i].allele;
            const gw_allele_status status = alleles[index].status;
            alleles[index].status = GW_ALLELE_PASS; // it was checked before
            GW_TRY(add_allele(s, &alleles[index], index));
            alleles[index].status = status;
        }
        s->asked += w->count;
    }
    return GW_OK;
}

// ---- a run

// Asks for an allele, or puts it aside with those that may share a window.
static gw_status take_allele(gw_llr_scorer *s, gw_allele *alleles, int64_t index) {
    gw_allele *allele = &alleles[index];
    const gw_variant *v = &allele->variant;
    bool n_rich;
    if (allele->status == GW_ALLELE_PASS && s->options->share > 0 && v->ref_length == 1 && v->alt_length == 1 &&
        v->ref[0] != v->alt[0]) {
        GW_TRY(check_allele(s, allele, &n_rich));
        if (allele->status != GW_ALLELE_PASS) return GW_OK;
        GW_TRY(add_neighbours(s, allele, index));
        if (n_rich) allele->status = GW_ALLELE_NRICH;
        GW_TRY(gw_reserve(&s->sites, &s->site_capacity, s->site_count + 1, sizeof *s->sites));
        s->sites[s->site_count++] = (gw_shared_site){v->contig, v->position, index, 0};
        return GW_OK;
    }
    if (allele->status == GW_ALLELE_PASS) {
        GW_TRY(add_allele(s, allele, index));
        GW_TRY(add_neighbours(s, allele, index));
    }
    s->asked++;
    return GW_OK;
}

static double entropy_term(double p) {
    return p > 0 ? -p * log2(p) : 0;
}

// Mean over strands and neighbours of the Jensen-Shannon divergence of the distributions p with REF and q with ALT, in
// bits (0 to 1): H((p + q) / 2) - (H(p) + H(q)) / 2. Shares that are NaN are left out; NaN of none.
static float mean_divergence(const float *shares) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t strand = 0; strand < 2; strand++)
        for (int64_t k = 0; k < NEIGHBOURS; k++) {
            const float *ref = shares + (2 * strand * NEIGHBOURS + k) * 4, *alt = ref + (int64_t)NEIGHBOURS * 4;
            double bits = 0;
            if (isnan(ref[0]) || isnan(alt[0])) continue;
            for (int i = 0; i < 4; i++) {
                const double p = (double)ref[i], q = (double)alt[i];
                bits += entropy_term((p + q) / 2) - (entropy_term(p) + entropy_term(q)) / 2;
            }
            sum += bits > 0 ? bits : 0;
            count++;
        }
    return count > 0 ? (float)(sum / (double)count) : NAN;
}

// Adds the terms of each allele and phase: the mean of the phases, and their standard deviation.
static gw_status sum_terms(gw_llr_scorer *s, gw_allele *alleles, int64_t count) {
    GW_TRY(gw_reserve(&s->bits, &s->bits_capacity, count * s->phases, sizeof *s->bits));
    for (int64_t i = 0; i < count * s->phases; i++) s->bits[i] = 0; // of one without terms: REF = ALT
    for (int64_t i = 0; i < s->term_count; i++) s->bits[s->terms[i].slot] += s->terms[i].sign * s->terms[i].bits;
    for (int64_t i = 0; i < count; i++) {
        const double *bits = s->bits + i * s->phases;
        double mean = 0, squares = 0;
        for (int64_t p = 0; p < s->phases; p++) mean += bits[p] / (double)s->phases;
        for (int64_t p = 0; p < s->phases; p++) squares += (bits[p] - mean) * (bits[p] - mean);
        alleles[i].bits = (float)mean;
        alleles[i].spread = s->phases > 1 ? (float)sqrt(squares / (double)(s->phases - 1)) : NAN;
    }
    for (int64_t i = 0; i < s->neighbour_count; i++)
        alleles[s->neighbours[i]].divergence = mean_divergence(s->shares + i * SHARES);
    return GW_OK;
}

gw_status gw_llr_scorer_run(gw_llr_scorer *s, gw_allele *alleles, int64_t count) {
    s->term_count = s->asked = s->read = s->site_count = s->neighbour_count = 0;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count; i++) status = take_allele(s, alleles, i);
    if (status == GW_OK) status = add_sites(s, alleles);
    if (status == GW_OK) status = gw_forward_run(&s->forward);
    if (status == GW_OK) status = sum_terms(s, alleles, count);
    else gw_forward_reset(&s->forward); // what was still to come will not
    return status;
}
