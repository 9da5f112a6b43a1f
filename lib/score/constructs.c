// SPDX-License-Identifier: MIT
// Processes a table's rows in chunks: rows are read, their sequences are encoded, all run together, and the rows are
// written in order. Neighbouring rows with the same sequence, as in saturation experiments, run it once.
#include "score/constructs.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "file/table.h"
#include "network/label_predictor.h"
#include "seq/genome/genome.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, NONE = -1, MOST_CHANGES = 1000 };

typedef struct {
    int64_t line_end;      // of its fields within `lines`
    int64_t before, after; // windows: the sequence's, and with its change; or NONE
    gw_allele_status status;
} construct;

typedef struct {
    const gw_score_options *options;
    const gw_config *config;
    gw_table *table;
    int sequence, change, changed; // columns; of the last two one is NONE
    gw_text_writer *out;
    gw_label_predictor *predictor;

    construct rows[CHUNK];
    int64_t count, read;
    int64_t windows; // of this chunk
    gw_token_strings strands;
    gw_string lines;                 // fields of the rows
    gw_string bases, known, mutated; // of a row, as it is read; of the last window of a sequence; and with the change
    int64_t known_window;
    float *values; // [windows][labels]
    int64_t value_capacity;
    gw_string text;
} run;

// --- the changes of a sequence ---------------------------------------------------------------------------------------

typedef struct {
    int64_t begin; // 0-based
    char *ref, *alt;
} change;

static bool is_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c)) return false;
    return *text != '\0';
}

static int by_begin(const void *a, const void *b) {
    const change *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// Splits `text`, in place.
static gw_status read_changes(char *text, change *changes, int *count) {
    char *items[MOST_CHANGES + 1], *fields[4];
    *count = gw_split(text, ',', items, MOST_CHANGES + 1);
    if (*count > MOST_CHANGES) return gw_fail(GW_ERR_RANGE, "more than %d changes", MOST_CHANGES);
    for (int i = 0; i < *count; i++) {
        int64_t position = 0;
        if (gw_split(items[i], ':', fields, 4) != 3 || gw_parse_int(fields[0], 1, INT64_MAX, &position) != GW_OK ||
            !is_word(fields[1]) || !is_word(fields[2]))
            return gw_fail(GW_ERR_FORMAT,
                           "a change is POS:REF:ALT: POS counts from 1, and REF and ALT have at least one base");
        changes[i] = (change){position - 1, fields[1], fields[2]};
        gw_normalise_bases(changes[i].ref, (int64_t)strlen(changes[i].ref));
        gw_normalise_bases(changes[i].alt, (int64_t)strlen(changes[i].alt));
    }
    qsort(changes, (size_t)*count, sizeof *changes, by_begin);
    return GW_OK;
}

// Puts them in from the first base on; what lies between two of them stays.
static gw_status apply(const gw_string *sequence, const change *changes, int count, gw_string *changed,
                       gw_allele_status *status) {
    int64_t at = 0;
    *status = GW_ALLELE_PASS;
    for (const change *c = changes; c < changes + count; c++) {
        const int64_t bases = (int64_t)strlen(c->ref);
        const bool lies_within = c->begin <= sequence->length && bases <= sequence->length - c->begin;
        if (strchr(c->ref, 'N') || strchr(c->alt, 'N')) *status = GW_ALLELE_AMBIGUOUS;
        else if (!lies_within || memcmp(sequence->data + c->begin, c->ref, (size_t)bases) != 0)
            *status = GW_ALLELE_REFMISMATCH;
        if (*status != GW_ALLELE_PASS) return GW_OK;
        if (c->begin < at)
            return gw_fail(GW_ERR_FORMAT, "the change at base %lld overlaps the one before", (long long)c->begin + 1);
        gw_string_append(changed, sequence->data + at, c->begin - at);
        gw_string_puts(changed, c->alt);
        at = c->begin + bases;
    }
    gw_string_append(changed, sequence->data + at, sequence->length - at);
    return gw_string_status(changed);
}

// `text` is POS:REF:ALT, or several between commas: POS counts the sequence's bases from 1, REF and ALT have a base or
// more, in either case. Appends the sequence with all of them in place. *status: PASS; NOALT where the text is empty or
// '.', and the sequence is appended as it is; REFMISMATCH where other bases than REF stand there, or none; AMBIGUOUS
// where an allele has a letter other than A, C, G, T. What has another form, and changes that overlap, are errors.
static gw_status change_sequence(const gw_string *sequence, const char *text, gw_string *changed,
                                 gw_allele_status *status) {
    *status = GW_ALLELE_NOALT;
    if (!*text || strcmp(text, ".") == 0) {
        gw_string_append(changed, sequence->data, sequence->length);
        return gw_string_status(changed);
    }
    int count = 0;
    char *copy = gw_strdup(text);
    change *changes = gw_alloc(MOST_CHANGES + 1, sizeof *changes);
    gw_status result = copy && changes ? read_changes(copy, changes, &count) : GW_ERR_MEMORY;
    if (result == GW_OK) result = apply(sequence, changes, count, changed, status);
    free(copy);
    free(changes);
    return result;
}

// --- reading -------------------------------------------------------------------------------------------------------

// Appends letters as bases.
static gw_status append_bases(const run *r, const char *what, const char *text, gw_string *bases) {
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c))
            return gw_table_fail(r->table, GW_ERR_FORMAT, "%s: base %lld is not a letter", what,
                                 (long long)(c - text) + 1);
    if (!*text) return gw_table_fail(r->table, GW_ERR_FORMAT, "%s is empty", what);
    const int64_t begin = bases->length;
    gw_string_puts(bases, text);
    GW_TRY(gw_string_status(bases));
    gw_normalise_bases(bases->data + begin, bases->length - begin);
    return GW_OK;
}

// A window of `bases` between the flanks; NONE where the model has not as many positions.
static gw_status add_window(run *r, const gw_string *bases, int64_t *window) {
    const int64_t strings = r->strands.count;
    gw_string *whole = &r->text;
    bool fits;
    gw_string_clear(whole);
    gw_string_puts(whole, r->options->flank5 ? r->options->flank5 : "");
    gw_string_append(whole, bases->data, bases->length);
    gw_string_puts(whole, r->options->flank3 ? r->options->flank3 : "");
    GW_TRY(gw_string_status(whole));
    gw_normalise_bases(whole->data, whole->length);
    GW_TRY(gw_label_predictor_encode(r->predictor, whole->data, whole->length, &r->strands, &fits));
    if (!fits) gw_token_strings_cut(&r->strands, strings);
    *window = fits ? r->windows++ : NONE;
    return GW_OK;
}

static gw_status read_change(run *r, gw_allele_status *status) {
    const char *text;
    gw_string_clear(&r->mutated);
    *status = GW_ALLELE_PASS;
    GW_TRY(gw_table_text(r->table, r->change == NONE ? r->changed : r->change, &text));
    if (r->change == NONE) return append_bases(r, "the changed sequence", text, &r->mutated);
    const gw_status result = change_sequence(&r->bases, text, &r->mutated, status);
    return result == GW_OK ? GW_OK : gw_table_fail(r->table, result, "'%s': %s", text, gw_message());
}

static gw_status read_row(run *r) {
    construct *row = &r->rows[r->count];
    const char *text;
    *row = (construct){.before = NONE, .after = NONE};
    for (int64_t c = 0; c < gw_table_columns(r->table); c++) {
        const char *field = gw_table_field(r->table, c);
        if (strpbrk(field, "\t\n\r"))
            return gw_table_fail(r->table, GW_ERR_FORMAT,
                                 "column '%s' holds a tab or a line break, which the table that is written cannot",
                                 gw_table_header(r->table, c));
        gw_string_printf(&r->lines, "%s%s", c ? "\t" : "", field);
    }
    GW_TRY(gw_string_status(&r->lines));
    gw_string_clear(&r->bases);
    GW_TRY(gw_table_text(r->table, r->sequence, &text));
    GW_TRY(append_bases(r, "the sequence", text, &r->bases));
    GW_TRY(read_change(r, &row->status));
    // The window of the row's sequence is that of a row before, where it had the same.
    if (r->known_window == NONE || r->known.length != r->bases.length ||
        memcmp(r->known.data, r->bases.data, (size_t)r->bases.length) != 0) {
        GW_TRY(add_window(r, &r->bases, &r->known_window));
        gw_string_clear(&r->known);
        gw_string_append(&r->known, r->bases.data, r->bases.length);
        GW_TRY(gw_string_status(&r->known));
    }
    row->before = r->known_window;
    if (row->before != NONE && row->status == GW_ALLELE_PASS) GW_TRY(add_window(r, &r->mutated, &row->after));
    if (row->before == NONE || (row->status == GW_ALLELE_PASS && row->after == NONE)) row->status = GW_ALLELE_TOOLONG;
    row->line_end = r->lines.length;
    r->count++;
    r->read++;
    return GW_OK;
}

// --- writing -------------------------------------------------------------------------------------------------------

static gw_status add_column(run *r, int64_t label, const char *kind) {
    const int64_t begin = r->text.length + 1;
    gw_string_putc(&r->text, '\t');
    if (!kind) gw_string_puts(&r->text, "GW_STATUS");
    else if (r->config->label_names) {
        gw_string_put_field(&r->text, r->config->label_names[label]);
        gw_string_printf(&r->text, ".%s", kind);
    } else gw_string_printf(&r->text, "label_%lld.%s", (long long)label, kind);
    GW_TRY(gw_string_status(&r->text));
    if (!gw_table_has(r->table, r->text.data + begin)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: there is a column %s already", r->options->constructs, r->text.data + begin);
}

static gw_status write_header(run *r) {
    for (int64_t c = 0; c < gw_table_columns(r->table); c++)
        gw_string_printf(&r->text, "%s%s", c ? "\t" : "", gw_table_header(r->table, c));
    GW_TRY(add_column(r, 0, NULL));
    for (int64_t l = 0; l < r->config->labels; l++) {
        GW_TRY(add_column(r, l, "ref"));
        GW_TRY(add_column(r, l, "alt"));
        GW_TRY(add_column(r, l, "diff"));
    }
    return gw_writer_printf(r->out, "%s\n", r->text.data);
}

static void put_number(gw_string *text, bool known, float number) {
    if (known) gw_string_printf(text, "\t%.7g", (double)number);
    else gw_string_puts(text, "\t.");
}

static gw_status write_chunk(run *r) {
    const int64_t labels = r->config->labels;
    int64_t begin = 0;
    gw_string_clear(&r->text);
    for (int64_t i = 0; i < r->count; i++) {
        const construct *row = &r->rows[i];
        const bool before = row->before != NONE, after = row->after != NONE;
        gw_string_append(&r->text, r->lines.data + begin, row->line_end - begin);
        gw_string_printf(&r->text, "\t%s", gw_allele_status_name(row->status));
        for (int64_t l = 0; l < labels; l++) {
            const float ref = before ? r->values[row->before * labels + l] : 0;
            const float alt = after ? r->values[row->after * labels + l] : 0;
            put_number(&r->text, before, ref);
            put_number(&r->text, after, alt);
            put_number(&r->text, after, alt - ref);
        }
        gw_string_putc(&r->text, '\n');
        begin = row->line_end;
    }
    GW_TRY(gw_string_status(&r->text));
    return gw_writer_write(r->out, r->text.data, r->text.length);
}

// --- the run -------------------------------------------------------------------------------------------------------

static gw_status score_all(run *r) {
    do {
        r->count = r->windows = 0;
        r->known_window = NONE;
        gw_token_strings_cut(&r->strands, 0);
        gw_string_clear(&r->lines);
        for (bool found = true; found && r->count < CHUNK;) {
            GW_TRY(gw_table_next(r->table, &found));
            if (found) GW_TRY(read_row(r));
        }
        if (r->count == 0) break;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_reserve(&r->values, &r->value_capacity, (r->windows + 1) * r->config->labels, sizeof *r->values));
        if (r->windows > 0) GW_TRY(gw_label_predictor_run_tokens(r->predictor, &r->strands, r->values, NULL));
        gw_progress("score", r->read, 0, "constructs", NULL);
        GW_TRY(write_chunk(r));
    } while (r->count == CHUNK);
    gw_progress_end();
    if (r->read == 0) gw_warn("%s has no rows", r->options->constructs);
    return GW_OK;
}

static gw_status check_flank(const char *option, const char *bases) {
    for (const char *c = bases; c && *c; c++)
        if (!isalpha((unsigned char)*c))
            return gw_fail(GW_ERR_USAGE, "%s '%s' contains characters that are not letters", option, bases);
    return GW_OK;
}

static gw_status open_all(run *r, gw_model *model) {
    static const gw_table_options fields = {.fields = true};
    const gw_label_predictor_options predictor = {.tokens = r->options->batch_tokens,
                                                  .both_strands = gw_both_strands_by_default(model)};
    const char *path = r->options->constructs;
    GW_TRY(check_flank("--flank5", r->options->flank5));
    GW_TRY(check_flank("--flank3", r->options->flank3));
    GW_TRY(gw_table_open(path, &fields, &r->table));
    r->change = r->changed = NONE;
    GW_TRY(gw_table_column(r->table, "sequence", &r->sequence));
    const bool whole = gw_table_has(r->table, "changed");
    if (whole && gw_table_has(r->table, "change"))
        return gw_fail(GW_ERR_FORMAT, "%s: give either the column change or the column changed, not both", path);
    GW_TRY(whole ? gw_table_column(r->table, "changed", &r->changed)
                 : gw_table_column(r->table, "change|changed", &r->change));
    GW_TRY(gw_label_predictor_new(model, &predictor, &r->predictor));
    GW_TRY(gw_writer_open(r->options->output, &r->out));
    return write_header(r);
}

gw_status gw_score_constructs(gw_model *model, const gw_score_options *options) {
    GW_TRY(gw_score_options_check(options, model));
    run *r = gw_alloc(1, sizeof *r);
    if (!r) return GW_ERR_MEMORY;
    *r = (run){.options = options, .config = &model->config};
    gw_status status = open_all(r, model);
    if (status == GW_OK) status = score_all(r);
    status = gw_writers_close(status, r->out, NULL);
    gw_label_predictor_free(r->predictor);
    gw_table_close(r->table);
    gw_token_strings_free(&r->strands);
    gw_string_free(&r->lines);
    gw_string_free(&r->bases);
    gw_string_free(&r->known);
    gw_string_free(&r->mutated);
    gw_string_free(&r->text);
    free(r->values);
    free(r);
    return status;
}
