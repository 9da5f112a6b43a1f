// SPDX-License-Identifier: MIT
// Pairs of lines are scored as they are read.
#include "language/rouge_files.h"

#include "base/utf8.h"
#include "file/lines.h"

#include <stddef.h>

typedef struct {
    gw_line_reader *references, *texts;
    gw_text_writer *table; // or NULL
    gw_rouge_mean *mean;
    int64_t pairs;
} rouge_reader;

static gw_status next_line(gw_line_reader *lines, char **line) {
    int64_t length;
    GW_TRY(gw_lines_next(lines, line, &length));
    const int64_t valid = *line ? gw_utf8_valid(*line, length) : length;
    if (*line && valid < length)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "byte %lld of the line is not UTF-8", (long long)valid + 1);
    return GW_OK;
}

static gw_status check_ends(const rouge_reader *r, bool no_reference, bool no_text) {
    if (no_reference == no_text) return GW_OK;
    const gw_line_reader *longer = no_reference ? r->texts : r->references,
                         *shorter = no_reference ? r->references : r->texts;
    return gw_lines_fail(longer, GW_ERR_MISMATCH, "there is no such line in %s, which has %lld", gw_lines_path(shorter),
                         (long long)gw_lines_number(shorter));
}

static gw_status write_row(const rouge_reader *r, const gw_rouge *scores) {
    if (!r->table) return GW_OK;
    GW_TRY(gw_writer_printf(r->table, "%lld", (long long)r->pairs + 1));
    for (int k = 0; k < GW_ROUGES; k++)
        GW_TRY(
            gw_writer_printf(r->table, "\t%.17g\t%.17g\t%.17g", scores[k].precision, scores[k].recall, scores[k].f1));
    return gw_writer_printf(r->table, "\n");
}

static gw_status read_pairs(rouge_reader *r) {
    for (;; r->pairs++) {
        char *reference, *text;
        gw_rouge scores[GW_ROUGES];
        GW_TRY(next_line(r->references, &reference));
        GW_TRY(next_line(r->texts, &text));
        GW_TRY(check_ends(r, !reference, !text));
        if (!text) break;
        GW_TRY(gw_rouge_mean_add(r->mean, (const char *const *)&reference, 1, text, scores));
        GW_TRY(write_row(r, scores));
    }
    return r->pairs > 0 ? GW_OK : gw_lines_fail(r->texts, GW_ERR_FORMAT, "the file has no line");
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
    rouge_reader r = {0};
    gw_status status = gw_rouge_mean_new(&r.mean);
    if (status == GW_OK) status = gw_lines_open(references, &r.references);
    if (status == GW_OK) status = gw_lines_open(texts, &r.texts);
    if (status == GW_OK) status = open_table(&r, per_pair);
    if (status == GW_OK) status = read_pairs(&r);
    if (status == GW_OK) status = gw_rouge_mean_summarise(r.mean, samples, seed, out);
    status = gw_writers_close(status, r.table, NULL);
    if (r.texts) gw_lines_close(r.texts);
    if (r.references) gw_lines_close(r.references);
    gw_rouge_mean_free(r.mean);
    return status;
}
