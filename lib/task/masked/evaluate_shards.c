// SPDX-License-Identifier: MIT
// Prediction of masked tokens in token shards by a pretrained model, in bits per base, beside Markov chains.
//
// Every token is masked exactly once, with [MASK], in seven disjoint passes: pass p masks the tokens of a chunk with
// index p modulo 7. Tokens with an N are skipped. Bits are -log2 p summed over the masked tokens, divided by the number
// of their bases. A chunk has the form of training, [CLS] A [SEP] B [SEP], cut in its middle.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "data/batch.h"
#include "file/table_writer.h"
#include "measure/markov.h"
#include "model/head.h"
#include "network/forward.h"
#include "run/step.h"
#include "task/data_kind.h"
#include "task/masked/pretrain_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- chains

// A document of token shards as the text that Markov chains read: codes of bases (gw_base_code).
// Zero-initialise; free with free_text().
typedef struct {
    int32_t *token;
    int64_t *begin; // [tokens + 1] first base of each token
    uint8_t *code;
    int64_t tokens, bases;
    int64_t token_capacity, begin_capacity, code_capacity;
    gw_string letters; // of one token
} chain_text;

static gw_status append_token(chain_text *text, const gw_tokenizer *tokenizer, int32_t token) {
    if (token < 0 || token >= gw_tokenizer_size(tokenizer))
        return gw_fail(GW_ERR_MISMATCH, "the shards hold token %d, but their tokenizer has %d tokens", token,
                       gw_tokenizer_size(tokenizer));
    gw_string_clear(&text->letters);
    gw_tokenizer_append_bases(tokenizer, token, &text->letters);
    GW_TRY(gw_string_status(&text->letters));
    const int64_t count = text->letters.length;
    GW_TRY(gw_reserve(&text->code, &text->code_capacity, text->bases + count, sizeof *text->code));
    for (int64_t i = 0; i < count; i++) text->code[text->bases++] = gw_base_code(text->letters.data[i]);
    return GW_OK;
}

static gw_status read_text(chain_text *text, const gw_shards *shards, int64_t document, const gw_tokenizer *tokenizer) {
    int64_t first, last;
    text->tokens = text->bases = 0;
    gw_shards_document(shards, document, &first, &last);
    for (int64_t s = first; s < last; s++) {
        const int64_t count = gw_shards_sentence_length(shards, s);
        GW_TRY(gw_reserve(&text->token, &text->token_capacity, text->tokens + count, sizeof *text->token));
        GW_TRY(gw_reserve(&text->begin, &text->begin_capacity, text->tokens + count + 1, sizeof *text->begin));
        gw_shards_read(shards, s, 0, count, text->token + text->tokens);
        for (int64_t i = 0; i < count; i++) {
            text->begin[text->tokens] = text->bases;
            GW_TRY(append_token(text, tokenizer, text->token[text->tokens++]));
        }
        text->begin[text->tokens] = text->bases;
    }
    return GW_OK;
}

static void free_text(chain_text *text) {
    free(text->token);
    free(text->begin);
    free(text->code);
    gw_string_free(&text->letters);
    *text = (chain_text){0};
}

static gw_status count_prefix(gw_markov *markov, const char *prefix) {
    gw_shards *shards = NULL;
    gw_tokenizer *tokenizer = NULL;
    chain_text text = {0};
    char *path = gw_strprintf("%s.tokenizer.json", prefix);
    gw_status status = path ? gw_shards_open(prefix, &shards) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_tokenizer_load(path, &tokenizer);
    const int64_t documents = status == GW_OK ? gw_shards_documents(shards) : 0;
    for (int64_t d = 0; status == GW_OK && d < documents; d++) {
        status = gw_check_interrupt();
        if (status == GW_OK) status = read_text(&text, shards, d, tokenizer);
        if (status == GW_OK) status = gw_markov_add(markov, text.code, text.bases);
        gw_progress("count", d + 1, documents, "documents", NULL);
    }
    gw_progress_end();
    free_text(&text);
    gw_tokenizer_free(tokenizer);
    gw_shards_close(shards);
    free(path);
    return status;
}

// --- the model

enum { PASSES = 7, TOKEN_GRAIN = 64 };

typedef struct {
    const gw_eval_options *options;
    gw_model *model;
    gw_shards *shards;
    gw_masker masker;
    gw_forward forward;
    gw_markov *markov; // or NULL
    gw_example_format format;
    bool is_text;  // characters are counted, not bases
    bool alone;    // chunks of texts are not cut in two, where the model tells no pairs
    bool of_pairs; // they are counted, masked tokens otherwise
    gw_batch batch;
    gw_losses losses; // sums
    int64_t tokens, bases;
    int64_t chunks_gathered, chunks_wanted;
    double chain_bits[GW_MARKOV_KINDS];
} evaluation;

// Of chunks that are gathered whole all were answered by the batch that has just run. Characters of the next one are
// counted already.
static void show(const evaluation *e) {
    char detail[64];
    const double bits = e->losses.of[GW_ROWS_MASKED].loss / log(2) / (double)e->bases;
    if (e->chunks_gathered == 0) return;
    snprintf(detail, sizeof detail, "%s%.3f bits per %s", e->is_text ? "about " : "", bits,
             e->is_text ? "character" : "base");
    gw_progress("evaluate", e->chunks_gathered, e->chunks_wanted, "chunks",
                e->losses.of[GW_ROWS_MASKED].count > 0 ? detail : NULL);
}

static gw_status take_losses(void *context, const gw_losses *losses) {
    evaluation *e = context;
    gw_losses counted = *losses;
    if (!e->of_pairs) counted.of[GW_ROWS_FIRST] = (gw_loss_sum){0}; // chunks that are cut in two are not pairs
    gw_losses_add(&e->losses, &counted);
    if (!e->of_pairs) show(e);
    return GW_OK;
}

static gw_status reserve(evaluation *e, const gw_pack *pack, const gw_pair *pair, int64_t masked) {
    gw_example_size size = gw_example_size_of(&e->format, pack, pair);
    size.masked = masked;
    return gw_example_fits(&e->format, &e->batch, size) ? GW_OK : gw_forward_run(&e->forward);
}

// The last sequence's tokens of this pass become [MASK]. Index in the chunk, not in the sequence, decides.
static void mask_pass(evaluation *e, int64_t pass) {
    const gw_rows *stream = &e->batch.of[GW_ROWS_TOKENS];
    gw_rows *masked = &e->batch.of[GW_ROWS_MASKED];
    int64_t index = 0;
    for (int64_t row = stream->start[stream->sequences - 1]; row < stream->count; row++) {
        const int32_t token = stream->token[row];
        if (token == e->format.classifier || token == e->format.separator) continue;
        if (index++ % PASSES != pass || !gw_maskable(&e->masker, token)) continue;
        masked->row[masked->count] = (int32_t)row;
        masked->label[masked->count++] = token;
        stream->token[row] = e->masker.mask;
        e->tokens++;
        e->bases += gw_tokenizer_bases(e->model->tokenizer, token);
    }
}

// Characters that the chunk's tokens stand for.
static gw_status count_characters(evaluation *e, const gw_pack *pack, gw_span chunk) {
    gw_string text = {0};
    int32_t *tokens = gw_alloc(chunk.count, sizeof *tokens);
    gw_status status = tokens ? GW_OK : GW_ERR_MEMORY;
    if (tokens) gw_pack_read(pack, chunk, tokens);
    if (status == GW_OK) status = gw_decode(e->model->tokenizer, tokens, chunk.count, &text);
    for (int64_t i = 0; status == GW_OK && i < text.length; i++) e->bases += ((uint8_t)text.data[i] & 0xC0) != 0x80;
    gw_string_free(&text);
    free(tokens);
    return status;
}

static gw_status add_chunk(evaluation *e, const gw_pack *pack, gw_span chunk) {
    gw_pair pair = {.a = chunk, .b = chunk};
    if (!e->alone) pair.a.count = (chunk.count + 1) / 2;
    pair.b.begin += pair.a.count;
    pair.b.count -= pair.a.count;
    if (e->is_text) GW_TRY(count_characters(e, pack, chunk));
    for (int64_t pass = 0; pass < PASSES && pass < chunk.count; pass++) {
        GW_TRY(reserve(e, pack, &pair, (chunk.count + PASSES - 1) / PASSES));
        gw_example_append(&e->format, &e->batch, pack, &pair);
        mask_pass(e, pass);
    }
    return GW_OK;
}

// The chains on the same tokens, with the whole document around them.
typedef struct {
    const evaluation *evaluation;
    const chain_text *text;
    int64_t first;                   // token
    double (*bits)[GW_MARKOV_KINDS]; // [tokens]
} chain_job;

static void chain_tokens(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const chain_job *job = context;
    const chain_text *text = job->text;
    for (int64_t i = begin; i < end; i++) {
        const int64_t token = job->first + i;
        const bool counts = gw_maskable(&job->evaluation->masker, text->token[token]);
        for (gw_markov_kind kind = 0; kind < GW_MARKOV_KINDS; kind++)
            job->bits[i][kind] = counts ? gw_markov_bits(job->evaluation->markov, kind, text->code, text->bases,
                                                         text->begin[token], text->begin[token + 1])
                                        : 0;
    }
}

static gw_status add_chains(evaluation *e, const chain_text *text, gw_span chunk) {
    chain_job job = {e, text, chunk.begin, gw_alloc(chunk.count, sizeof *job.bits)};
    if (!job.bits) return GW_ERR_MEMORY;
    gw_parallel_for(chunk.count, TOKEN_GRAIN, chain_tokens, &job);
    for (int64_t i = 0; i < chunk.count; i++)
        for (gw_markov_kind kind = 0; kind < GW_MARKOV_KINDS; kind++) e->chain_bits[kind] += job.bits[i][kind];
    free(job.bits);
    return GW_OK;
}

// How many of the pack's chunks are taken, and chunk i of those, evenly spaced.
static int64_t wanted_chunks(const evaluation *e, const gw_pack *pack) {
    const int64_t chunks = gw_pack_chunks(pack), sample = e->options->sample;
    return sample > 0 ? gw_min(sample, chunks) : chunks;
}

static int64_t chunk_at(const evaluation *e, const gw_pack *pack, int64_t i) {
    return (int64_t)((__int128)i * gw_pack_chunks(pack) / wanted_chunks(e, pack));
}

static gw_status evaluate_tokens(evaluation *e) {
    gw_pack *pack;
    chain_text text = {0};
    int64_t document = -1;
    GW_TRY(gw_pack_new(&e->shards, 1, gw_config_longest(&e->model->config) - GW_PAIR_SPECIALS, 1, &pack));
    gw_status status = GW_OK;
    e->chunks_wanted = wanted_chunks(e, pack);
    for (int64_t i = 0; status == GW_OK && i < e->chunks_wanted; i++) {
        const gw_span chunk = gw_pack_chunk(pack, chunk_at(e, pack, i));
        status = add_chunk(e, pack, chunk);
        if (status == GW_OK && e->markov && chunk.document != document)
            status = read_text(&text, e->shards, document = chunk.document, e->model->tokenizer);
        if (status == GW_OK && e->markov) status = add_chains(e, &text, chunk);
        e->chunks_gathered = i + 1;
    }
    if (status == GW_OK) status = gw_forward_run(&e->forward);
    gw_progress_end();
    free_text(&text);
    gw_pack_free(pack);
    return status;
}

// Sentence pairs are shown whole, half of them with a B from elsewhere.
static gw_status evaluate_pairs(evaluation *e) {
    gw_pack *pack = NULL;
    gw_pair_maker *maker = NULL;
    e->of_pairs = true;
    gw_status status = gw_pack_new(&e->shards, 1, gw_config_longest(&e->model->config) - GW_PAIR_SPECIALS, 2, &pack);
    if (status == GW_OK) status = gw_pair_maker_new(pack, e->model->tokenizer, e->options->seed, &maker);
    for (int64_t i = 0; status == GW_OK && i < wanted_chunks(e, pack); i++) {
        gw_pair pair;
        status = gw_pair_draw(maker, GW_SITE_EVAL_PAIR, i, chunk_at(e, pack, i), &pair);
        if (status == GW_OK) status = reserve(e, pack, &pair, 0);
        if (status == GW_OK) gw_example_append(&e->format, &e->batch, pack, &pair);
    }
    if (status == GW_OK) status = gw_forward_run(&e->forward);
    gw_pair_maker_free(maker);
    gw_pack_free(pack);
    return status;
}

static void write_ratio(gw_table_writer *out, double numerator, double denominator) {
    gw_cell_real(out, denominator > 0 ? numerator / denominator : (double)NAN);
}

static gw_status write_row(const evaluation *e, gw_table_writer *out, const char *name, double nats) {
    gw_cell_text(out, name);
    gw_cell_integer(out, e->tokens);
    gw_cell_integer(out, e->bases);
    const bool is_model = strcmp(name, "model") == 0;
    const gw_loss_sum *masked = &e->losses.of[GW_ROWS_MASKED], *pairs = &e->losses.of[GW_ROWS_FIRST];
    write_ratio(out, (double)masked->right, is_model ? (double)masked->count : 0);
    write_ratio(out, nats, (double)e->tokens);
    if (e->is_text) write_ratio(out, nats / log(2), (double)e->tokens);
    write_ratio(out, nats / log(2), (double)e->bases);
    if (is_model) gw_cell_integer(out, pairs->count);
    else gw_cell_missing(out);
    write_ratio(out, (double)pairs->right, is_model ? (double)pairs->count : 0);
    return gw_row_end(out);
}

static gw_status open_table(const evaluation *e, gw_table_writer **out) {
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "predictor");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "tokens");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "%s", e->is_text ? "characters" : "bases");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "accuracy");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "loss");
    if (e->is_text) gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "bits_per_token");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "%s", e->is_text ? "bits_per_character" : "bits_per_base");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "pairs");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "pair_accuracy");
    return gw_table_writer_open(e->options->in.output, &columns, "NA", out);
}

static gw_status write_table(const evaluation *e, gw_table_writer *out) {
    static const char *const names[GW_MARKOV_KINDS] = {"causal", "two_sided"};
    GW_TRY(write_row(e, out, "model", e->losses.of[GW_ROWS_MASKED].loss));
    for (gw_markov_kind kind = 0; e->markov && kind < GW_MARKOV_KINDS; kind++) {
        char name[64];
        snprintf(name, sizeof name, "markov_%s_%d", names[kind], (int)e->options->order);
        GW_TRY(write_row(e, out, name, e->chain_bits[kind] * log(2)));
    }
    return GW_OK;
}

static gw_status prepare(evaluation *e) {
    const gw_eval_options *o = e->options;
    gw_tokenizer *same;
    GW_TRY(gw_shards_open(o->in.sets.items[0], &e->shards));
    GW_TRY(gw_shard_tokenizer(o->in.sets.items[0], e->model->tokenizer, &same));
    gw_tokenizer_free(same);
    const int64_t positions = gw_config_longest(&e->model->config);
    if (positions < GW_PAIR_SPECIALS + 2)
        return gw_fail(GW_ERR_RANGE, "the model has %lld positions, too few for a pair", (long long)positions);
    const int64_t tokens = gw_forward_tokens(0, positions), sequences = tokens / 4;
    const bool pairs = gw_head_of(e->model->config.head)->pairs;
    e->is_text = !gw_tokenizer_is_dna(e->model->tokenizer);
    e->alone = e->is_text && !pairs;
    if (e->is_text && o->baselines.count > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "--baseline: Markov chains need bases; %s is text", o->in.sets.items[0]);
    e->format = gw_pretrain_format;
    e->format.one_segment = e->model->config.segments == 1;
    e->format.most_globals = gw_config_globals(&e->model->config);
    const gw_network_options network = {.tokens = tokens,
                                        .sequences = sequences,
                                        .masked = tokens / PASSES + sequences,
                                        .globals = gw_example_most_globals(&e->format, tokens),
                                        .nsp_head = pairs,
                                        .output_rows = pairs ? GW_OUTPUT_ALL : GW_OUTPUT_MASKED};
    GW_TRY(gw_masker_make(&e->masker, e->model->tokenizer, 1));
    GW_TRY(gw_example_format_make(&e->format, e->model->tokenizer));
    GW_TRY(gw_example_batch_make(&e->format, &e->batch, sequences, tokens, network.masked));
    GW_TRY(gw_forward_make(&e->forward, e->model, &network, &e->batch, e));
    e->forward.ran = take_losses;
    e->forward.losses = true;
    if (o->baselines.count == 0) return GW_OK;
    GW_TRY(gw_markov_new((int)o->order, &e->markov));
    for (int i = 0; i < o->baselines.count; i++) GW_TRY(count_prefix(e->markov, o->baselines.items[i]));
    GW_TRY(gw_markov_fit(e->markov));
    gw_note("the chains' text holds a sequence %.0f times (median)", gw_markov_multiplicity(e->markov));
    return GW_OK;
}

static gw_status check(const gw_model *model, int count, const gw_eval_options *o) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "token shards are evaluated one model at a time");
    if (o->in.sets.count > 1) return gw_fail(GW_ERR_USAGE, "token shards are evaluated one prefix at a time");
    if (o->groups)
        return gw_fail(GW_ERR_USAGE, "--groups goes with labelled sets, %s is token shards", o->in.sets.items[0]);
    return gw_config_predicts_masked(&model->config)
               ? GW_OK
               : gw_fail(GW_ERR_MISMATCH,
                         "the model has no head for masked tokens; a classifier is evaluated on a labelled set");
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *options) {
    gw_model *model = models[0];
    evaluation e = {.options = options, .model = model};
    GW_TRY(check(model, count, options));
    gw_status status = prepare(&e);
    if (status == GW_OK) status = evaluate_tokens(&e);
    if (status == GW_OK && gw_head_of(model->config.head)->pairs) status = evaluate_pairs(&e);
    gw_table_writer *out;
    if (status == GW_OK) status = open_table(&e, &out);
    if (status == GW_OK) status = gw_table_writer_end(write_table(&e, out), out);
    gw_markov_free(e.markov);
    if (status == GW_OK) gw_network_note_metrics(e.forward.network);
    gw_forward_free(&e.forward);
    gw_batch_free(&e.batch);
    gw_masker_free(&e.masker);
    gw_shards_close(e.shards);
    return status;
}

const gw_data_kind gw_data_shards = {.evaluate = evaluate};
