// SPDX-License-Identifier: MIT
// Pairs of lines are scored as they are read; F1 of every pair is kept for the intervals.
#include "run/rouge_files.h"

#include "base/memory.h"
#include "seq/lines.h"
#include "text/rouge_words.h"
#include "text/utf8.h"

#include <stdlib.h>

typedef struct {
    gw_line_reader *references, *texts;
    gw_text_writer *table; // or NULL
    gw_rouge_words *words;
    double *f1[GW_ROUGES];
    int64_t room[GW_ROUGES];
    gw_rouge_summary *out;
} rouge_reader;

// Adds the next line to the words.
static gw_status add_line(rouge_reader *r, gw_line_reader *lines, bool *ended) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(lines, &line, &length));
    *ended = !line;
    if (!line) return GW_OK;
    const int64_t valid = gw_utf8_valid(line, length);
    if (valid < length)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "byte %lld of the line is not UTF-8", (long long)valid + 1);
    return gw_rouge_words_add(r->words, line, length);
}

static gw_status check_ends(const rouge_reader *r, bool no_reference, bool no_text) {
    if (no_reference == no_text) return GW_OK;
    const gw_line_reader *longer = no_reference ? r->texts : r->references,
                         *shorter = no_reference ? r->references : r->texts;
    return gw_lines_fail(longer, GW_ERR_MISMATCH, "there is no such line in %s, which has %lld", gw_lines_path(shorter),
                         (long long)gw_lines_number(shorter));
}

static gw_rouge_text text_of(const rouge_reader *r, int64_t i) {
    gw_rouge_text text;
    gw_rouge_words_text(r->words, i, &text.word, &text.start, &text.sentences);
    return text;
}

static gw_status write_row(const rouge_reader *r, const gw_rouge *scores) {
    if (!r->table) return GW_OK;
    GW_TRY(gw_writer_printf(r->table, "%lld", (long long)r->out->pairs));
    for (int k = 0; k < GW_ROUGES; k++)
        GW_TRY(
            gw_writer_printf(r->table, "\t%.17g\t%.17g\t%.17g", scores[k].precision, scores[k].recall, scores[k].f1));
    return gw_writer_printf(r->table, "\n");
}

static gw_status add_pair(rouge_reader *r) {
    gw_rouge scores[GW_ROUGES];
    GW_TRY(gw_rouge_words_number(r->words));
    const gw_rouge_text reference = text_of(r, 0), text = text_of(r, 1);
    GW_TRY(gw_rouge_compute(&reference, &text, scores));
    for (int k = 0; k < GW_ROUGES; k++) {
        GW_TRY(gw_reserve(&r->f1[k], &r->room[k], r->out->pairs + 1, sizeof *r->f1[k]));
        r->f1[k][r->out->pairs] = scores[k].f1;
        r->out->mean[k].precision += scores[k].precision;
        r->out->mean[k].recall += scores[k].recall;
        r->out->mean[k].f1 += scores[k].f1;
    }
    r->out->pairs++;
    return write_row(r, scores);
}

static gw_status read_pairs(rouge_reader *r) {
    for (;;) {
        bool no_reference, no_text;
        gw_rouge_words_clear(r->words);
        GW_TRY(add_line(r, r->references, &no_reference));
        GW_TRY(add_line(r, r->texts, &no_text));
        GW_TRY(check_ends(r, no_reference, no_text));
        if (no_text) return GW_OK;
        GW_TRY(add_pair(r));
    }
}

static gw_status summarise(rouge_reader *r, int64_t samples, uint64_t seed) {
    gw_rouge_summary *out = r->out;
    if (out->pairs == 0) return gw_lines_fail(r->texts, GW_ERR_FORMAT, "the file has no line");
    for (int k = 0; k < GW_ROUGES; k++) {
        out->mean[k].precision /= (double)out->pairs;
        out->mean[k].recall /= (double)out->pairs;
        out->mean[k].f1 /= (double)out->pairs;
        GW_TRY(gw_bootstrap_mean(r->f1[k], out->pairs, samples, seed, &out->f1[k]));
    }
    return GW_OK;
}

static gw_status open_table(rouge_reader *r, const char *path) {
    if (!path) return GW_OK;
    GW_TRY(gw_writer_open(path, &r->table));
    GW_TRY(gw_writer_printf(r->table, "line"));
    for (int k = 0; k < GW_ROUGES; k++)
        GW_TRY(gw_writer_printf(r->table, "\t%s_precision\t%s_recall\t%s_f1", gw_rouge_names[k], gw_rouge_names[k],
                                gw_rouge_names[k]));
    return gw_writer_printf(r->table, "\n");
}

gw_status gw_rouge_files(const char *references, const char *texts, const char *per_pair, int64_t samples,
                         uint64_t seed, gw_rouge_summary *out) {
    rouge_reader r = {.out = out};
    *out = (gw_rouge_summary){0};
    gw_status status = gw_rouge_words_new(&r.words);
    if (status == GW_OK) status = gw_lines_open(references, &r.references);
    if (status == GW_OK) status = gw_lines_open(texts, &r.texts);
    if (status == GW_OK) status = open_table(&r, per_pair);
    if (status == GW_OK) status = read_pairs(&r);
    if (status == GW_OK) status = summarise(&r, samples, seed);
    status = gw_writers_close(status, r.table, NULL);
    for (int k = 0; k < GW_ROUGES; k++) free(r.f1[k]);
    if (r.texts) gw_lines_close(r.texts);
    if (r.references) gw_lines_close(r.references);
    gw_rouge_words_free(r.words);
    return status;
}
