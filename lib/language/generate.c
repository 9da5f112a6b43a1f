// SPDX-License-Identifier: MIT
// Texts are taken in their order, so that what is written of the first ones can be given out while later ones wait. A
// batch goes on until each of its searches has ended; those that have make no rows.
#include "language/generate.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "network/decoding.h"
#include "network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_generate_options *options;
    gw_decoding *decoding;
    gw_beam_search **search; // [batch]
    gw_decoding_row *rows;   // [batch * beams]
    int64_t *first;          // [batch + 1] first row of each search
    gw_batch batch;
    int64_t sources;      // of the batch
    int64_t vocabulary;   // of the logits
    const float *logits;  // of the last step
    gw_status *status;    // [batch] of a search's step
    char (*message)[256]; // [batch]
    int64_t written;      // tokens in all
} generator;

static gw_status make_generator(generator *g, gw_model *model, const gw_generate_options *o, int64_t batch,
                                int64_t tokens) {
    const int64_t beams = o->search.beams;
    const gw_decoding_options options = {batch, tokens, batch * beams, o->search.max_length};
    *g = (generator){.options = o, .vocabulary = model->config.vocabulary};
    GW_TRY(gw_decoding_new(model, &options, &g->decoding));
    g->search = gw_alloc(batch, sizeof *g->search);
    g->rows = gw_alloc(batch * beams, sizeof *g->rows);
    g->first = gw_alloc(batch + 1, sizeof *g->first);
    g->status = gw_alloc(batch, sizeof *g->status);
    g->message = gw_alloc(batch, sizeof *g->message);
    if (!g->search || !g->rows || !g->first || !g->status || !g->message) return GW_ERR_MEMORY;
    GW_TRY(gw_rows_make(&g->batch.of[GW_ROWS_TOKENS], tokens, batch, GW_WITH_TOKEN));
    for (int64_t i = 0; i < batch; i++) GW_TRY(gw_beam_search_new(&o->search, &g->search[i]));
    return GW_OK;
}

static void free_generator(generator *g, int64_t batch) {
    for (int64_t i = 0; g->search && i < batch; i++) gw_beam_search_free(g->search[i]);
    gw_decoding_free(g->decoding);
    gw_batch_free(&g->batch);
    free(g->search);
    free(g->rows);
    free(g->first);
    free(g->status);
    free(g->message);
}

// A batch of `count` texts, the first of which is number `first` of all.
static gw_status begin(generator *g, const gw_generate_text *texts, int64_t first, int64_t count) {
    gw_rows *tokens = &g->batch.of[GW_ROWS_TOKENS];
    gw_batch_clear(&g->batch);
    for (int64_t i = 0; i < count; i++) {
        const gw_generate_text *text = &texts[first + i];
        memcpy(tokens->token + tokens->count, text->source, (size_t)text->source_count * sizeof *text->source);
        tokens->count += text->source_count;
        gw_rows_end_sequence(tokens);
        gw_beam_search_begin(g->search[i], (uint64_t)(first + i));
    }
    g->sources = count;
    return gw_decoding_begin(g->decoding, &g->batch);
}

// Rows of all searches that go on. Parents count from the search's first row of the step before.
static int64_t list_rows(generator *g) {
    int64_t count = 0;
    for (int64_t i = 0; i < g->sources; i++) {
        const gw_beam_row *rows;
        const int64_t alive = gw_beam_search_rows(g->search[i], &rows);
        const int64_t before = g->first[i];
        g->first[i] = count;
        for (int64_t r = 0; r < alive; r++)
            g->rows[count++] = (gw_decoding_row){.source = (int32_t)i,
                                                 .parent = rows[r].parent < 0 ? -1 : (int32_t)before + rows[r].parent,
                                                 .token = rows[r].token};
    }
    return count;
}

static void step_searches(void *context, int64_t begin, int64_t end, int thread) {
    generator *g = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const gw_beam_row *rows;
        g->status[i] = GW_OK;
        if (gw_beam_search_rows(g->search[i], &rows) == 0) continue;
        g->status[i] = gw_beam_search_step(g->search[i], g->logits + g->first[i] * g->vocabulary, g->vocabulary);
        if (g->status[i] != GW_OK) snprintf(g->message[i], sizeof g->message[i], "%s", gw_message());
    }
}

static gw_status write_targets(generator *g) {
    int64_t count;
    while ((count = list_rows(g)) > 0) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_decoding_step(g->decoding, g->rows, count, &g->logits));
        gw_parallel_for(g->sources, 1, step_searches, g);
        for (int64_t i = 0; i < g->sources; i++)
            if (g->status[i] != GW_OK) return gw_fail(g->status[i], "%s", g->message[i]);
    }
    return GW_OK;
}

static gw_status take_targets(generator *g, gw_generate_text *texts) {
    for (int64_t i = 0; i < g->sources; i++) {
        gw_generate_text *text = &texts[i];
        const int32_t *tokens;
        text->target_count = gw_beam_search_best(g->search[i], &tokens, &text->score);
        text->target = gw_alloc(text->target_count, sizeof *text->target);
        if (!text->target) return GW_ERR_MEMORY;
        memcpy(text->target, tokens, (size_t)text->target_count * sizeof *text->target);
        g->written += text->target_count;
    }
    return GW_OK;
}

static gw_status generate_all(generator *g, gw_generate_text *texts, int64_t count, int64_t batch) {
    const gw_generate_options *o = g->options;
    const double start = gw_seconds_now();
    gw_note("keys and values of %lld texts at a time take %.1f MB, all that is computed with them %.1f MB",
            (long long)batch, (double)gw_decoding_cache_bytes(g->decoding) / 1e6,
            (double)gw_decoding_bytes(g->decoding) / 1e6);
    for (int64_t done = 0; done < count; done += g->sources) {
        gw_progress("generate", done, count, "texts", NULL);
        GW_TRY(begin(g, texts, done, count - done < batch ? count - done : batch));
        GW_TRY(write_targets(g));
        GW_TRY(take_targets(g, texts + done));
        if (o->take) GW_TRY(o->take(o->context, texts + done, g->sources));
    }
    gw_progress("generate", count, count, "texts", NULL);
    gw_progress_end();
    gw_note("%lld texts, %lld tokens, %.3g tokens a second", (long long)count, (long long)g->written,
            (double)g->written / (gw_seconds_now() - start));
    return GW_OK;
}

// Tokens of the batch that has the most.
static int64_t most_tokens(const gw_generate_text *texts, int64_t count, int64_t batch) {
    int64_t most = 0;
    for (int64_t first = 0; first < count; first += batch) {
        int64_t tokens = 0;
        for (int64_t i = first; i < first + batch && i < count; i++) tokens += texts[i].source_count;
        if (tokens > most) most = tokens;
    }
    return most;
}

gw_status gw_generate(gw_model *model, const gw_generate_options *options, gw_generate_text *texts, int64_t count) {
    const int64_t batch = count < options->batch ? count : options->batch;
    if (count == 0) return GW_OK;
    generator g;
    gw_status status = make_generator(&g, model, options, batch, most_tokens(texts, count, batch));
    if (status == GW_OK) status = generate_all(&g, texts, count, batch);
    free_generator(&g, batch);
    return status;
}
