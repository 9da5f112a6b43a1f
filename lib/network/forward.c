// SPDX-License-Identifier: MIT
// The cache of outputs: entries in a ring, each in the chain of its hash's bucket. And the loop that runs full batches
// and keeps the open questions.
#include "network/forward.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/softmax.h"
#include "model/model.h"
#include "network/partial.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 << 20, MOST_ENTRIES = 1 << 16, NONE = -1 };

typedef struct {
    uint64_t hash;
    int64_t count, asked; // count 0: the entry is free
    int64_t next;         // of the chain
    bool computed;
} cached;

struct gw_output_cache {
    int64_t longest, bytes, capacity;
    cached *entries; // [capacity]
    int64_t *bucket; // [capacity] first entry of each chain
    int32_t *tokens; // [capacity][longest]
    char *outputs;   // [capacity][bytes]
    int64_t place;   // that the next entry takes
};

gw_status gw_output_cache_new(int64_t longest, int64_t bytes, int64_t least, gw_output_cache **out) {
    *out = NULL;
    gw_output_cache *cache = gw_alloc(1, sizeof *cache);
    if (!cache) return GW_ERR_MEMORY;
    const int64_t fit = BYTES / (longest * (int64_t)sizeof(int32_t) + bytes);
    cache->longest = longest;
    cache->bytes = bytes;
    cache->capacity = fit < least ? least : fit > MOST_ENTRIES ? MOST_ENTRIES : fit;
    cache->entries = gw_alloc(cache->capacity, sizeof *cache->entries);
    cache->bucket = gw_alloc(cache->capacity, sizeof *cache->bucket);
    cache->tokens = gw_alloc(cache->capacity, longest * (int64_t)sizeof *cache->tokens);
    cache->outputs = gw_alloc(cache->capacity, bytes);
    if (!cache->entries || !cache->bucket || !cache->tokens || !cache->outputs) {
        gw_output_cache_free(cache);
        return GW_ERR_MEMORY;
    }
    gw_output_cache_clear(cache);
    *out = cache;
    return GW_OK;
}

void gw_output_cache_free(gw_output_cache *cache) {
    if (!cache) return;
    free(cache->entries);
    free(cache->bucket);
    free(cache->tokens);
    free(cache->outputs);
    free(cache);
}

void gw_output_cache_clear(gw_output_cache *cache) {
    memset(cache->entries, 0, (size_t)cache->capacity * sizeof *cache->entries);
    for (int64_t i = 0; i < cache->capacity; i++) cache->bucket[i] = NONE;
    cache->place = 0;
}

// FNV-1a over tokens.
static uint64_t hash_of(gw_output_key key) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)key.asked;
    for (int64_t i = 0; i < key.count; i++) hash = (hash ^ (uint32_t)key.tokens[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static int64_t *bucket_of(const gw_output_cache *cache, uint64_t hash) {
    return &cache->bucket[hash % (uint64_t)cache->capacity];
}

static int32_t *tokens_of(const gw_output_cache *cache, int64_t index) {
    return cache->tokens + index * cache->longest;
}

int64_t gw_output_cache_find(const gw_output_cache *cache, gw_output_key key) {
    const uint64_t hash = hash_of(key);
    for (int64_t i = *bucket_of(cache, hash); i != NONE; i = cache->entries[i].next) {
        const cached *e = &cache->entries[i];
        if (e->hash == hash && e->count == key.count && e->asked == key.asked &&
            memcmp(tokens_of(cache, i), key.tokens, (size_t)key.count * sizeof *key.tokens) == 0)
            return i;
    }
    return NONE;
}

int64_t gw_output_cache_add(gw_output_cache *cache, gw_output_key key) {
    const int64_t index = cache->place;
    cache->place = (index + 1) % cache->capacity;
    if (cache->entries[index].count > 0) { // takes it out of its chain
        int64_t *link = bucket_of(cache, cache->entries[index].hash);
        while (*link != index) link = &cache->entries[*link].next;
        *link = cache->entries[index].next;
    }
    const uint64_t hash = hash_of(key);
    int64_t *bucket = bucket_of(cache, hash);
    cache->entries[index] = (cached){.hash = hash, .count = key.count, .asked = key.asked, .next = *bucket};
    *bucket = index;
    memcpy(tokens_of(cache, index), key.tokens, (size_t)key.count * sizeof *key.tokens);
    return index;
}

void *gw_output_cache_memory(const gw_output_cache *cache, int64_t index) {
    return cache->outputs + index * cache->bytes;
}

void gw_output_cache_complete(gw_output_cache *cache, int64_t index) {
    cache->entries[index].computed = true;
}

const void *gw_output_cache_get(const gw_output_cache *cache, int64_t index) {
    return cache->entries[index].computed ? gw_output_cache_memory(cache, index) : NULL;
}

// A question whose answer the batch will make, and where that will be.
struct gw_waiting {
    int64_t id, entry;
    int place; // of a token among those of the entry
};

// What an entry keeps of questions about tokens: as many as a base and its three changes are.
enum { PLACES = 4 };
typedef struct {
    double log_p[PLACES];
    int32_t token[PLACES]; // NONE: the place is free
} likelihoods;

// The place of the token, or of the first free one; PLACES: there is neither.
static int place_of(const likelihoods *of, int32_t token) {
    int place = 0;
    while (place < PLACES && of->token[place] != token && of->token[place] != NONE) place++;
    return place;
}

gw_status gw_forward_make(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                          void *context) {
    *f = (gw_forward){.batch = batch, .context = context};
    return gw_network_new(model, options, &f->network);
}

gw_status gw_forward_members(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             void *context) {
    *f = (gw_forward){.batch = batch, .context = context, .member_count = gw_model_member_count(model)};
    f->members = gw_alloc(f->member_count, sizeof(gw_network *));
    if (!f->members) return GW_ERR_MEMORY;
    for (int i = 0; i < f->member_count; i++)
        GW_TRY(gw_network_new(gw_model_member(model, i), options, &f->members[i]));
    return GW_OK;
}

// For answers of `bytes`.
static gw_status make_questions(gw_forward *f, const gw_model *model, int64_t most, int64_t bytes) {
    f->open.entry = gw_alloc(most, sizeof *f->open.entry);
    f->running.entry = gw_alloc(most, sizeof *f->running.entry);
    if (!f->open.entry || !f->running.entry) return GW_ERR_MEMORY;
    f->overlaps = !gw_kernels()->shares_host;
    // A question may then wait for an entry of the batch before, and two more batches add entries until it is answered.
    return gw_output_cache_new(gw_config_longest(&model->config), bytes, f->overlaps ? 3 * most : most, &f->cache);
}

gw_status gw_forward_answers(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                             int rows, gw_forward_answer *answer, void *context) {
    GW_TRY(gw_forward_make(f, model, options, batch, context));
    f->answer = answer;
    f->asked_rows = rows;
    f->width = gw_network_output_width(f->network, rows);
    return make_questions(f, model, rows == GW_ROWS_FIRST ? options->sequences : options->masked,
                          f->width * (int64_t)sizeof(float));
}

gw_status gw_forward_likelihoods(gw_forward *f, gw_model *model, const gw_network_options *options, gw_batch *batch,
                                 gw_forward_token_answer *answer, void *context) {
    GW_TRY(gw_forward_make(f, model, options, batch, context));
    f->answer_token = answer;
    f->asked_rows = GW_ROWS_MASKED;
    f->width = gw_network_output_width(f->network, GW_ROWS_MASKED);
    f->token = gw_alloc(options->masked, sizeof *f->token);
    f->log_p = gw_alloc(options->masked, sizeof *f->log_p);
    if (!f->token || !f->log_p) return GW_ERR_MEMORY;
    return make_questions(f, model, options->masked, sizeof(likelihoods));
}

gw_status gw_forward_need(gw_forward *f, gw_model *model, int64_t memory) {
    return memory > 0 ? gw_partial_new(model, GW_ROWS_MASKED, memory, &f->partial) : GW_OK;
}

void gw_forward_free(gw_forward *f) {
    for (int i = 0; f->members && i < f->member_count; i++) gw_network_free(f->members[i]);
    if (!f->members) gw_network_free(f->network);
    free(f->members);
    gw_partial_free(f->partial);
    gw_output_cache_free(f->cache);
    free(f->open.entry);
    free(f->open.waiting);
    free(f->running.entry);
    free(f->running.waiting);
    free(f->token);
    free(f->log_p);
    *f = (gw_forward){0};
}

void gw_forward_reset(gw_forward *f) {
    gw_batch_clear(f->batch);
    f->open.entry_count = f->open.waiting_count = f->running.entry_count = f->running.waiting_count = 0;
    f->is_running = false;
    if (f->cache) gw_output_cache_clear(f->cache);
}

// Logarithms of the probabilities of the tokens that were asked for, of logits [entries][width].
typedef struct {
    const gw_forward *forward;
    const gw_forward_questions *questions;
    const float *logits;
} likelihood_job;

static void find_likelihoods(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const likelihood_job *job = context;
    const int64_t width = job->forward->width;
    for (int64_t k = begin; k < end; k++) {
        likelihoods *of = gw_output_cache_memory(job->forward->cache, job->questions->entry[k]);
        const float *logits = job->logits + k * width;
        const double log_sum = gw_softmax_log_sum(gw_softmax_of(logits, width, 1));
        for (int i = 0; i < PLACES && of->token[i] != NONE; i++) of->log_p[i] = (double)logits[of->token[i]] - log_sum;
    }
}

// The same on a device, of the last batch: in each round one token of each entry.
static gw_status find_likelihoods_on_device(const gw_forward *f, const gw_forward_questions *questions) {
    for (int i = 0; i < PLACES; i++) {
        bool any = false;
        for (int64_t k = 0; k < questions->entry_count; k++) {
            const likelihoods *of = gw_output_cache_memory(f->cache, questions->entry[k]);
            f->token[k] = of->token[i];
            any = any || of->token[i] != NONE;
        }
        if (!any) return GW_OK;
        GW_TRY(gw_network_log_probabilities(f->network, f->token, f->log_p));
        for (int64_t k = 0; k < questions->entry_count; k++)
            ((likelihoods *)gw_output_cache_memory(f->cache, questions->entry[k]))->log_p[i] = f->log_p[k];
    }
    return GW_OK;
}

// Completes the entries of the batch that computed them. outputs: [entries][width], or NULL: on the device.
static gw_status keep(const gw_forward *f, const gw_forward_questions *questions, const float *outputs) {
    likelihood_job job = {f, questions, outputs};
    if (f->answer_token && outputs) gw_parallel_for(questions->entry_count, 1, find_likelihoods, &job);
    else if (f->answer_token) GW_TRY(find_likelihoods_on_device(f, questions));
    for (int64_t k = 0; k < questions->entry_count; k++) {
        void *to = gw_output_cache_memory(f->cache, questions->entry[k]);
        if (f->answer) memcpy(to, outputs + k * f->width, (size_t)f->width * sizeof *outputs);
        gw_output_cache_complete(f->cache, questions->entry[k]);
    }
    return GW_OK;
}

static gw_status answer(const gw_forward *f, int64_t id, int64_t entry, int place) {
    const void *found = gw_output_cache_get(f->cache, entry);
    if (f->answer) return f->answer(f->context, id, found);
    const double log_p = ((const likelihoods *)found)->log_p[place];
    return isfinite(log_p) ? f->answer_token(f->context, id, log_p) : gw_output_not_finite();
}

// All entries that the questions wait for are complete.
static gw_status answer_all(const gw_forward *f, gw_forward_questions *questions) {
    for (int64_t k = 0; k < questions->waiting_count; k++) {
        const struct gw_waiting *waiting = &questions->waiting[k];
        GW_TRY(answer(f, waiting->id, waiting->entry, waiting->place));
    }
    questions->entry_count = questions->waiting_count = 0;
    return GW_OK;
}

// Runs the batch; *outputs of the asked rows, where answers are wanted.
static gw_status run_batch(gw_forward *f, gw_losses *losses, const float **outputs) {
    *outputs = NULL;
    if (f->partial) GW_TRY(gw_partial_masked(f->partial, f->batch, outputs));
    if (*outputs) return GW_OK;
    GW_TRY(gw_network_forward(f->network, f->batch, losses));
    if (!f->cache) return GW_OK;
    *outputs = gw_network_output(f->network, f->asked_rows);
    return *outputs ? GW_OK : GW_ERR_IO;
}

static gw_status run_now(gw_forward *f) {
    gw_losses losses;
    if (f->batch->of[GW_ROWS_TOKENS].sequences == 0) return GW_OK;
    GW_TRY(gw_check_interrupt());
    for (int i = 0; i < (f->members ? f->member_count : 1); i++) {
        const float *outputs;
        if (f->members) f->network = f->members[i];
        GW_TRY(run_batch(f, f->losses ? &losses : NULL, &outputs));
        if (f->cache) GW_TRY(keep(f, &f->open, outputs));
        if (f->cache) GW_TRY(answer_all(f, &f->open));
        if (f->ran) GW_TRY(f->ran(f->context, f->losses ? &losses : NULL));
    }
    gw_batch_clear(f->batch);
    return GW_OK;
}

static gw_status keep_running(const gw_forward *f) {
    if (f->answer_token) return keep(f, &f->running, NULL);
    const float *outputs = gw_network_output(f->network, f->asked_rows);
    return outputs ? keep(f, &f->running, outputs) : GW_ERR_IO;
}

// Begins to run the batch, unless it is empty. The outputs of the batch before are read first, and its questions
// answered while this one runs.
static gw_status advance(gw_forward *f) {
    const bool begins = f->batch->of[GW_ROWS_TOKENS].sequences > 0;
    if (f->is_running) GW_TRY(keep_running(f));
    if (begins) GW_TRY(gw_check_interrupt());
    if (begins) GW_TRY(gw_network_forward(f->network, f->batch, NULL));
    const gw_forward_questions before = f->running;
    f->running = f->open;
    f->open = before;
    f->is_running = begins;
    GW_TRY(answer_all(f, &f->open));
    if (begins && f->ran) GW_TRY(f->ran(f->context, NULL));
    gw_batch_clear(f->batch);
    return GW_OK;
}

gw_status gw_forward_run(gw_forward *f) {
    if (!f->overlaps) return run_now(f);
    GW_TRY(advance(f));
    return advance(f);
}

gw_status gw_forward_reserve(gw_forward *f, int64_t count, int64_t rows) {
    const gw_rows *stream = &f->batch->of[GW_ROWS_TOKENS], *asked = &f->batch->of[GW_ROWS_MASKED];
    const bool rows_fit = !asked->row || asked->count + rows <= asked->most;
    if (gw_rows_fit(stream, count) && rows_fit) return GW_OK;
    return f->overlaps ? advance(f) : run_now(f);
}

static gw_output_key key_of(const gw_forward *f, int64_t count, int64_t at) {
    const gw_rows *stream = &f->batch->of[GW_ROWS_TOKENS];
    return (gw_output_key){.tokens = stream->token + stream->count, .count = count, .asked = at};
}

// An entry that the batch will compute.
static int64_t add_entry(gw_forward *f, gw_output_key key) {
    gw_rows *asked = &f->batch->of[f->asked_rows];
    const int64_t entry = gw_output_cache_add(f->cache, key);
    f->open.entry[f->open.entry_count++] = entry;
    if (asked->row) asked->row[asked->count++] = (int32_t)(f->batch->of[GW_ROWS_TOKENS].count + key.asked);
    return entry;
}

static gw_status wait_for(gw_forward *f, struct gw_waiting waiting) {
    gw_forward_questions *open = &f->open;
    GW_TRY(gw_reserve(&open->waiting, &open->waiting_capacity, open->waiting_count + 1, sizeof *open->waiting));
    open->waiting[open->waiting_count++] = waiting;
    return GW_OK;
}

gw_status gw_forward_ask(gw_forward *f, int64_t count, int64_t at, int64_t id) {
    const gw_output_key key = key_of(f, count, at);
    int64_t entry = gw_output_cache_find(f->cache, key);
    if (entry >= 0 && gw_output_cache_get(f->cache, entry)) return answer(f, id, entry, 0);
    if (entry < 0) entry = add_entry(f, key);
    return wait_for(f, (struct gw_waiting){id, entry, 0});
}

// An entry is asked for further tokens until it is complete.
gw_status gw_forward_ask_token(gw_forward *f, int64_t count, int64_t at, int32_t token, int64_t id) {
    const gw_output_key key = key_of(f, count, at);
    int64_t entry = gw_output_cache_find(f->cache, key);
    const bool complete = entry >= 0 && gw_output_cache_get(f->cache, entry);
    likelihoods *of = entry >= 0 ? gw_output_cache_memory(f->cache, entry) : NULL;
    int place = of ? place_of(of, token) : PLACES;
    if (complete && place < PLACES && of->token[place] == token) return answer(f, id, entry, place);
    if (complete || place == PLACES) {
        entry = add_entry(f, key);
        of = gw_output_cache_memory(f->cache, entry);
        for (int i = 0; i < PLACES; i++) of->token[i] = NONE;
        place = 0;
    }
    of->token[place] = token;
    return wait_for(f, (struct gw_waiting){id, entry, place});
}

void gw_forward_end(gw_forward *f, int64_t count) {
    gw_rows *stream = &f->batch->of[GW_ROWS_TOKENS];
    const gw_rows *asked = &f->batch->of[f->asked_rows];
    const bool computes = asked->row ? asked->count > 0 && asked->row[asked->count - 1] >= stream->count
                                     : f->open.entry_count > stream->sequences;
    if (!computes) return;
    stream->count += count;
    gw_rows_end_sequence(stream);
}

gw_status gw_output_not_finite(void) {
    return gw_fail(GW_ERR_RANGE, "an output of the model is not a finite number");
}

gw_status gw_check_outputs(const float *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return gw_output_not_finite();
    return GW_OK;
}
