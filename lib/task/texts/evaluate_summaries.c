// SPDX-License-Identifier: MIT
// Texts about texts: writes about all sources first, then rates what was written, and what a source begins with.
#include "base/memory.h"
#include "file/lines.h"
#include "language/generate_input.h"
#include "language/pair_examples.h"
#include "language/rouge_mean.h"
#include "task/data_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 4096, SAMPLES = 1000 }; // of a pass that computes the loss; of bootstrap intervals

typedef struct {
    const gw_eval_options *options;
    gw_model *model;
    gw_text_pairs pairs;
    gw_generate_text *texts; // [pairs]
    gw_rouge_mean *own, *lead;
    gw_text_writer *table, *lines; // lines may be NULL
    gw_string line;
} evaluation;

static gw_status copy_sources(evaluation *e) {
    e->texts = gw_alloc(e->pairs.count, sizeof *e->texts);
    if (!e->texts) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < e->pairs.count; i++) {
        gw_generate_text *text = &e->texts[i];
        text->source_count = e->pairs.source_start[i + 1] - e->pairs.source_start[i];
        text->source = gw_alloc(text->source_count, sizeof *text->source);
        if (!text->source) return GW_ERR_MEMORY;
        memcpy(text->source, e->pairs.source + e->pairs.source_start[i],
               (size_t)text->source_count * sizeof *text->source);
    }
    return GW_OK;
}

// A sentence ends with its line, or with a full stop, question or exclamation mark before a blank.
static bool ends_sentence(const char *c) {
    return *c == '\n' || ((*c == '.' || *c == '?' || *c == '!') && (c[1] == ' ' || c[1] == '\n' || !c[1]));
}

// The source's first sentences, each with a newline.
static gw_status take_lead(evaluation *e, int64_t i) {
    const char *c = e->pairs.source_text[i];
    gw_string_clear(&e->line);
    for (int64_t s = 0; s < e->options->lead && *c; s++) {
        const char *end = c;
        while (*end && !ends_sentence(end)) end++;
        if (*end && *end != '\n') end++;
        gw_string_append(&e->line, c, end - c);
        gw_string_puts(&e->line, "\n");
        for (c = end; *c == ' ' || *c == '\n';) c++;
    }
    return gw_string_status(&e->line);
}

static gw_status rate(evaluation *e, gw_rouge_mean *mean, int64_t i) {
    gw_rouge scores[GW_ROUGES];
    const int64_t first = e->pairs.reference_start[i];
    return gw_rouge_mean_add(mean, (const char *const *)e->pairs.reference + first,
                             e->pairs.reference_start[i + 1] - first, e->line.data ? e->line.data : "", scores);
}

static gw_status write_line(evaluation *e) {
    for (int64_t c = 0; c < e->line.length; c++)
        if (e->line.data[c] == '\n' || e->line.data[c] == '\r') e->line.data[c] = ' ';
    return gw_writer_printf(e->lines, "%s\n", e->line.length > 0 ? e->line.data : "");
}

static gw_status rate_all(evaluation *e) {
    for (int64_t i = 0; i < e->pairs.count; i++) {
        gw_string_clear(&e->line);
        GW_TRY(gw_decode(e->model->tokenizer, e->texts[i].target, e->texts[i].target_count, &e->line));
        GW_TRY(rate(e, e->own, i));
        if (e->lines) GW_TRY(write_line(e));
        if (e->options->lead == 0) continue;
        GW_TRY(take_lead(e, i));
        GW_TRY(rate(e, e->lead, i));
    }
    return GW_OK;
}

static double exact_share(const evaluation *e) {
    int64_t exact = 0;
    for (int64_t i = 0; i < e->pairs.count; i++) {
        const int64_t first = e->pairs.target_start[i], count = e->pairs.target_start[i + 1] - first - 1;
        exact += e->texts[i].target_count == count &&
                 memcmp(e->texts[i].target, e->pairs.target + first, (size_t)count * sizeof(int32_t)) == 0;
    }
    return (double)exact / (double)e->pairs.count;
}

static gw_status print_value(const evaluation *e, const char *metric, double value) {
    return gw_writer_printf(e->table, "model\t%s\t%lld\t%.6f\t.\t.\t.\t.\n", metric, (long long)e->pairs.count, value);
}

static gw_status print_rouge(const evaluation *e, const char *predictor, const gw_rouge_mean *mean) {
    gw_rouge_summary s;
    GW_TRY(gw_rouge_mean_summarise(mean, SAMPLES, e->options->seed, &s));
    for (int k = 0; k < GW_ROUGES; k++)
        GW_TRY(gw_writer_printf(e->table, "%s\t%s\t%lld\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\n", predictor, gw_rouge_names[k],
                                (long long)s.pairs, s.mean[k].f1, s.f1[k].low, s.f1[k].high, s.mean[k].precision,
                                s.mean[k].recall));
    return GW_OK;
}

static gw_status print(evaluation *e, const gw_pair_metrics *metrics) {
    char lead[32];
    GW_TRY(gw_writer_open(NULL, &e->table));
    GW_TRY(gw_writer_printf(e->table, "predictor\tmetric\tpairs\tvalue\tlow\thigh\tprecision\trecall\n"));
    GW_TRY(print_value(e, "loss", metrics->loss));
    GW_TRY(print_value(e, "next_token", metrics->correct));
    GW_TRY(print_value(e, "exact", exact_share(e)));
    GW_TRY(print_rouge(e, "model", e->own));
    snprintf(lead, sizeof lead, "lead_%lld", (long long)e->options->lead);
    return e->options->lead > 0 ? print_rouge(e, lead, e->lead) : GW_OK;
}

static gw_status run(evaluation *e) {
    const gw_eval_options *o = e->options;
    gw_text_pairs_options pairs = o->pairs;
    gw_generate_options generate = o->generate;
    gw_pair_metrics metrics;
    pairs.texts = true;
    GW_TRY(gw_generate_complete(o->in.models.items[0], e->model, &generate));
    GW_TRY(gw_text_pairs_read(o->in.sets.items, o->in.sets.count, e->model, &pairs, &e->pairs));
    GW_TRY(gw_rouge_mean_new(&e->own));
    GW_TRY(gw_rouge_mean_new(&e->lead));
    if (o->written) GW_TRY(gw_writer_open(o->written, &e->lines));
    GW_TRY(gw_pairs_rate(e->model, &e->pairs, TOKENS, &metrics));
    GW_TRY(copy_sources(e));
    GW_TRY(gw_generate(e->model, &generate, e->texts, e->pairs.count));
    GW_TRY(rate_all(e));
    return print(e, &metrics);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *options) {
    evaluation e = {.options = options, .model = models[0]};
    if (count > 1) return gw_fail(GW_ERR_USAGE, "texts are written by one model at a time");
    gw_status status = run(&e);
    status = gw_writers_close(status, e.table, e.lines);
    gw_generate_texts_free(e.texts, e.pairs.count);
    gw_text_pairs_free(&e.pairs);
    gw_rouge_mean_free(e.own);
    gw_rouge_mean_free(e.lead);
    gw_string_free(&e.line);
    return status;
}

const gw_data_kind gw_data_pairs = {
    .evaluate = evaluate, .refusal = "the model has a decoder: it writes texts (godwit generate), and gives no labels"};
