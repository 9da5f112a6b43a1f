// SPDX-License-Identifier: MIT
// Reads motifs of MEME's text format.
#include "motif/motif.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 32 };
static const char letters[4] = "ACGT";
static const double rounding = 0.02; // four numbers of two decimals

typedef struct {
    gw_line_reader *lines;
    gw_motifs *motifs;
    bool version, alphabet; // the file is MEME's; it names its letters
    bool matrix_due;        // the last motif has no matrix yet
    int64_t motif_line;     // of its MOTIF line
    int64_t capacity;       // of its columns
} meme_reader;

static gw_motif *last_motif(const meme_reader *r) {
    return &r->motifs->items[r->motifs->count - 1];
}

static gw_status check_matrix_came(const meme_reader *r) {
    if (!r->matrix_due) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s:%lld: motif %s has no letter-probability matrix", gw_lines_path(r->lines),
                   (long long)r->motif_line, last_motif(r)->id);
}

// "MOTIF MA0265.3 ABF1"; in MEME's own output "MOTIF ACGTR MEME-1 width = 5 ...".
static gw_status begin_motif(meme_reader *r, char *line) {
    GW_TRY(check_matrix_came(r));
    if (!r->version)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "a motif before the line \"MEME version 4\": no MEME file?");
    char *fields[4];
    const int count = gw_split_blanks(line, fields, 4);
    if (count < 2) return gw_lines_fail(r->lines, GW_ERR_FORMAT, "the motif has no name: MOTIF NAME [OTHER NAME]");
    GW_TRY(gw_reserve(&r->motifs->items, &r->motifs->capacity, r->motifs->count + 1, sizeof *r->motifs->items));
    gw_motif *motif = &r->motifs->items[r->motifs->count++];
    *motif = (gw_motif){.sites = 20};
    r->matrix_due = true, r->motif_line = gw_lines_number(r->lines), r->capacity = 0;
    const bool named = count > 2 && strcmp(fields[2], "width") != 0;
    motif->id = gw_strdup(fields[1]), motif->name = gw_strdup(named ? fields[2] : "");
    return motif->id && motif->name ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_alphabet(meme_reader *r, const char *line) {
    const char *text = line + strlen("ALPHABET");
    while (*text == '=' || *text == ' ' || *text == '\t') text++;
    const size_t length = strcspn(text, " \t");
    r->alphabet = true;
    if (strncmp(text, "ACGT", length) == 0 && length == 4) return GW_OK;
    if (strstr(text, "DNA-LIKE") || gw_has_prefix(text, "\"DNA\"")) return GW_OK;
    return gw_lines_fail(r->lines, GW_ERR_UNSUPPORTED, "the alphabet is '%s', expected ACGT", text);
}

// "A 0.25 C 0.25 G 0.25 T 0.25", on the line behind the heading, or spread over several.
static gw_status read_background(meme_reader *r) {
    double sum = 0;
    for (int seen = 0; seen < 4;) {
        char *line, *fields[9];
        int64_t length;
        GW_TRY(gw_lines_next(r->lines, &line, &length));
        const int count = line ? gw_split_blanks(line, fields, 9) : -1;
        if (count < 0 || count % 2 || count > 8 - 2 * seen)
            return gw_lines_fail(r->lines, GW_ERR_FORMAT,
                                 "the background's frequencies are not of the form A 0.25 C 0.25 G 0.25 T 0.25");
        for (int i = 0; i < count; i += 2, seen++) {
            double *frequency = &r->motifs->background[seen];
            if (fields[i][0] != letters[seen] || fields[i][1] ||
                gw_parse_double(fields[i + 1], 0, 1, frequency) != GW_OK)
                return gw_lines_fail(r->lines, GW_ERR_FORMAT, "found '%s %s', expected the background of %c, 0 to 1",
                                     fields[i], fields[i + 1], letters[seen]);
            sum += *frequency;
        }
    }
    if (fabs(sum - 1) > rounding)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "the background's frequencies sum to %g, not to 1", sum);
    for (int i = 0; i < 4; i++) {
        r->motifs->background[i] /= sum;
        if (r->motifs->background[i] <= 0)
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "the background of %c is 0", letters[i]);
    }
    return GW_OK;
}

// The value behind "key=" or "key =" of the matrix's heading; false where the key is missing.
static bool heading_value(char *const *fields, int count, const char *key, const char **value) {
    const size_t length = strlen(key);
    for (int i = 0; i < count; i++) {
        if (strncmp(fields[i], key, length) != 0 || fields[i][length] != '=') continue;
        *value = fields[i] + length + 1;
        if (!**value) *value = i + 1 < count ? fields[i + 1] : "";
        return true;
    }
    return false;
}

static gw_status read_row(const meme_reader *r, char *line, double column[4]) {
    char *fields[5];
    const int count = gw_split_blanks(line, fields, 5);
    double sum = 0;
    for (int i = 0; i < 4 && i < count; i++) {
        if (gw_parse_double(fields[i], -INFINITY, INFINITY, &column[i]) != GW_OK)
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "motif %s: '%s' is not a number", last_motif(r)->id,
                                 fields[i]);
        if (column[i] < 0)
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "motif %s: the probability %s is below 0", last_motif(r)->id,
                                 fields[i]);
        sum += column[i];
    }
    if (count != 4)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "motif %s: found %d numbers, expected those of A, C, G and T",
                             last_motif(r)->id, count);
    if (fabs(sum - 1) > rounding)
        return gw_lines_fail(r->lines, GW_ERR_FORMAT, "motif %s: the probabilities of a column sum to %g, not to 1%s",
                             last_motif(r)->id, sum, sum > 1.5 ? " (counts have to be divided by their sum)" : "");
    return GW_OK;
}

// The heading "letter-probability matrix: alength= 4 w= 14 nsites= 427 E= 0", then a row for each column of the motif.
static gw_status read_matrix(meme_reader *r, char *line) {
    if (!r->matrix_due) return gw_lines_fail(r->lines, GW_ERR_FORMAT, "a matrix that belongs to no MOTIF line");
    gw_motif *motif = last_motif(r);
    char *fields[FIELDS];
    const char *text;
    const int count = gw_split_blanks(line, fields, FIELDS);
    int64_t alength = 4, width = 0;
    gw_status status = GW_OK;
    if (heading_value(fields, count, "alength", &text)) status = gw_parse_int(text, 4, 4, &alength);
    if (status == GW_OK && heading_value(fields, count, "w", &text))
        status = gw_parse_int(text, 1, GW_MOTIF_WIDEST, &width);
    if (status == GW_OK && heading_value(fields, count, "nsites", &text))
        status = gw_parse_double(text, 0, 1e15, &motif->sites);
    if (status == GW_OK && heading_value(fields, count, "E", &text))
        status = gw_parse_double(text, -INFINITY, INFINITY, &motif->evalue);
    if (status != GW_OK)
        return gw_fail_in(status, "%s:%lld: motif %s", gw_lines_path(r->lines), (long long)gw_lines_number(r->lines),
                          motif->id);
    for (;;) {
        int64_t length;
        GW_TRY(gw_lines_next(r->lines, &line, &length));
        const char first = line ? line[strspn(line, " \t")] : '\0';
        const bool is_row = first && strchr("0123456789.+-", first) && !gw_has_prefix(line, "---");
        if (!is_row) {
            if (motif->width < width || motif->width == 0)
                return gw_lines_fail(r->lines, GW_ERR_FORMAT, "motif %s ends after %d of %s%lld rows%s", motif->id,
                                     motif->width, width ? "" : "at least ", (long long)(width ? width : 1),
                                     line ? "" : ", where the file ends");
            break;
        }
        if (motif->width == (width ? width : GW_MOTIF_WIDEST))
            return gw_lines_fail(r->lines, GW_ERR_FORMAT, "motif %s has more than %d rows%s", motif->id, motif->width,
                                 width ? ", which its w= says" : "");
        GW_TRY(gw_reserve(&motif->columns, &r->capacity, motif->width + 1, sizeof *motif->columns));
        GW_TRY(read_row(r, line, motif->columns[motif->width]));
        motif->width++;
    }
    r->matrix_due = false;
    return line && gw_has_prefix(line, "MOTIF") ? begin_motif(r, line) : GW_OK;
}

static gw_status read_line(meme_reader *r, char *line) {
    if (gw_has_prefix(line, "MEME version")) {
        r->version = true;
        return GW_OK;
    }
    if (gw_has_prefix(line, "ALPHABET") && !r->alphabet) return read_alphabet(r, line);
    if (gw_has_prefix(line, "strands:")) {
        r->motifs->one_strand = !strchr(line, '-');
        return GW_OK;
    }
    if (gw_has_prefix(line, "Background letter frequencies")) return read_background(r);
    // Not "MOTIF DIAGRAMS" and the like of MEME's own output, which has such headings in capitals.
    if (gw_has_prefix(line, "MOTIF") && (line[5] == ' ' || line[5] == '\t' || !line[5])) return begin_motif(r, line);
    if (gw_has_prefix(line, "letter-probability matrix")) return read_matrix(r, line);
    return GW_OK;
}

gw_status gw_motifs_read(const char *path, gw_motifs *motifs) {
    meme_reader r = {.motifs = motifs};
    *motifs = (gw_motifs){.background = {0.25, 0.25, 0.25, 0.25}};
    gw_status status = gw_lines_open(path, &r.lines);
    char *line = NULL;
    int64_t length;
    while (status == GW_OK) {
        status = gw_lines_next(r.lines, &line, &length);
        if (status != GW_OK || !line) break;
        status = read_line(&r, line);
    }
    if (status == GW_OK && !r.version)
        status = gw_fail(GW_ERR_FORMAT, "%s is not a MEME file: it lacks the line \"MEME version 4\"", path);
    if (status == GW_OK) status = check_matrix_came(&r);
    if (status == GW_OK && motifs->count == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s has no motif: no line begins with MOTIF", path);
    gw_lines_close(r.lines);
    if (status != GW_OK) gw_motifs_free(motifs);
    return status;
}

void gw_motifs_free(gw_motifs *motifs) {
    for (int64_t i = 0; i < motifs->count; i++) {
        free(motifs->items[i].id);
        free(motifs->items[i].name);
        free(motifs->items[i].columns);
    }
    free(motifs->items);
    *motifs = (gw_motifs){0};
}
