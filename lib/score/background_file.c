// SPDX-License-Identifier: MIT
// A background as a table of text, to a file and from one.
#include "score/background_private.h"

#include "base/parse.h"
#include "file/lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char FIRST_LINE[] = "##godwit_background=";
static const char COLUMNS[] = "index\tprofile\tmean\tsd\tcounts";

static gw_status write_moments(gw_text_writer *out, int64_t index, const char *name, const gw_background_moments *m) {
    return gw_writer_printf(out, "%" PRId64 "\t%s\t%.9g\t%.9g\t", index, name, m->mean, gw_background_deviation(m));
}

static gw_status write_contexts(gw_text_writer *out, const gw_background *b) {
    for (int32_t c = 0; b->contexts && c < GW_CONTEXTS; c++) {
        char name[GW_CONTEXT_NAME];
        if (b->contexts[c].count == 0) continue;
        gw_context_name(c, name);
        GW_TRY(write_moments(out, c, name, &b->contexts[c]));
        GW_TRY(gw_writer_printf(out, "%" PRId64 "\n", b->contexts[c].count));
    }
    return GW_OK;
}

static gw_status write_row(gw_text_writer *out, int64_t index, const char *name, const gw_background_distribution *d) {
    GW_TRY(write_moments(out, index, name, &d->of));
    bool first = true;
    for (int bin = 0; bin < GW_BACKGROUND_BINS; bin++) {
        if (d->counts[bin] == 0) continue;
        GW_TRY(gw_writer_printf(out, "%s%d:%" PRId64, first ? "" : ",", bin, d->counts[bin]));
        first = false;
    }
    return gw_writer_printf(out, "\n");
}

static const char *name_of(const gw_background *b, int64_t profile) {
    if (b->config->labels == 0) return "LLR";
    return b->config->label_names ? b->config->label_names[profile] : ".";
}

static gw_status write_all(gw_text_writer *out, const gw_background *b) {
    GW_TRY(gw_writer_printf(out, "%s%d\n##model=%s\n##window=%" PRId64 "\n", FIRST_LINE,
                            b->contexts    ? 3
                            : b->has_lower ? 2
                                           : 1,
                            b->md5, b->window));
    if (b->temperature != 1) GW_TRY(gw_writer_printf(out, "##temperature=%.9g\n", b->temperature));
    GW_TRY(gw_writer_printf(out, "##alleles=%" PRId64 "\n%s\n", b->alleles, COLUMNS));
    GW_TRY(write_row(out, -1, "largest", &b->largest));
    for (int64_t l = 0; l < b->profiles; l++) GW_TRY(write_row(out, l, name_of(b, l), &b->profile[l]));
    if (b->has_lower) GW_TRY(write_row(out, 1, "LLR below 0", &b->lower));
    return write_contexts(out, b);
}

gw_status gw_background_write(const gw_background *background, const char *path) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    return gw_writers_close(write_all(out, background), out, NULL);
}

static gw_status read_counts(const gw_line_reader *in, char *list, const gw_background *b,
                             gw_background_distribution *d) {
    int64_t sum = 0;
    for (char *one; (one = strsep(&list, ",")) != NULL && one[0];) {
        int64_t bin, count;
        char *colon = strchr(one, ':');
        if (colon) *colon = 0;
        if (!colon || gw_parse_int(one, 0, GW_BACKGROUND_BINS - 1, &bin) != GW_OK ||
            gw_parse_int(colon + 1, 1, b->alleles, &count) != GW_OK)
            return gw_lines_fail(in, GW_ERR_FORMAT, "'%.40s' is no bin and its count", one);
        if (d->counts[bin] > 0) return gw_lines_fail(in, GW_ERR_FORMAT, "bin %" PRId64 " is there twice", bin);
        if (count > b->alleles - sum)
            return gw_lines_fail(in, GW_ERR_FORMAT, "at least %" PRId64 " alleles are counted, not %" PRId64,
                                 b->alleles + 1, b->alleles);
        d->counts[bin] = count;
        sum += count;
    }
    d->of.count = sum;
    return GW_OK;
}

enum { INDEX, NAME, MEAN, DEVIATION, COUNTS, FIELDS };

// Index, mean and deviation of a row; the last of `fields` is its counts.
static gw_status read_moments(const gw_line_reader *in, char *line, int64_t most, char *fields[FIELDS], int64_t *index,
                              double *mean, double *sd) {
    if (gw_split(line, '\t', fields, FIELDS) == FIELDS && gw_parse_int(fields[INDEX], -1, most, index) == GW_OK &&
        gw_parse_double(fields[MEAN], -1e300, 1e300, mean) == GW_OK &&
        gw_parse_double(fields[DEVIATION], 0, 1e300, sd) == GW_OK)
        return GW_OK;
    return gw_lines_fail(in, GW_ERR_FORMAT, "expected a row of %s", COLUMNS);
}

static double squares_of(double sd, int64_t count) {
    return sd * sd * (double)(count - 1);
}

static gw_status read_row(const gw_line_reader *in, char *line, const gw_background *b, int64_t index,
                          gw_background_distribution *d) {
    char *fields[FIELDS];
    int64_t found;
    double sd;
    GW_TRY(read_moments(in, line, b->profiles, fields, &found, &d->of.mean, &sd));
    if (found != index)
        return gw_lines_fail(in, GW_ERR_FORMAT, "expected the row of profile %" PRId64 ": %s", index, COLUMNS);
    GW_TRY(read_counts(in, fields[COUNTS], b, d));
    d->of.squares = squares_of(sd, d->of.count);
    return GW_OK;
}

static gw_status read_context(const gw_line_reader *in, char *line, gw_background *b) {
    char *fields[FIELDS], name[GW_CONTEXT_NAME];
    int64_t index;
    gw_background_moments m;
    double sd;
    GW_TRY(read_moments(in, line, GW_CONTEXTS - 1, fields, &index, &m.mean, &sd));
    if (index >= 0) gw_context_name((int32_t)index, name);
    if (index < 0 || strcmp(name, fields[NAME]) != 0)
        return gw_lines_fail(in, GW_ERR_FORMAT, "'%.20s' is not the context of number %" PRId64, fields[NAME], index);
    if (gw_parse_int(fields[COUNTS], 1, b->alleles, &m.count) != GW_OK)
        return gw_lines_fail(in, GW_ERR_FORMAT, "'%.20s' is no number of changes", fields[COUNTS]);
    if (b->contexts[index].count > 0) return gw_lines_fail(in, GW_ERR_FORMAT, "the context %s is there twice", name);
    m.squares = squares_of(sd, m.count);
    b->contexts[index] = m;
    return GW_OK;
}

static bool value_of(const char *line, const char *key, const char **value) {
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) return false;
    *value = line + length;
    return true;
}

static gw_status read_meta(const gw_line_reader *in, const char *line, gw_background *b, double *temperature) {
    const char *value;
    int64_t number;
    if (value_of(line, "##temperature=", &value)) return gw_parse_double(value, 0, GW_MOST_TEMPERATURE, temperature);
    if (value_of(line, "##model=", &value) && strcmp(value, b->md5) != 0)
        return gw_lines_fail(in, GW_ERR_MISMATCH,
                             "the background of another model: the MD5 of its weights is %s, not %s", value, b->md5);
    if (value_of(line, "##window=", &value) &&
        (gw_parse_int(value, 1, INT64_MAX, &number) != GW_OK || number != b->window))
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made with windows of %s bp, not %" PRId64, value, b->window);
    if (value_of(line, "##alleles=", &value)) return gw_parse_int(value, 1, INT64_MAX / 2, &b->alleles);
    return GW_OK;
}

static gw_status read_head(gw_line_reader *in, gw_background *b) {
    char *line;
    int64_t length;
    double temperature = 1;
    GW_TRY(gw_lines_next(in, &line, &length));
    const char *version =
        line && strncmp(line, FIRST_LINE, sizeof FIRST_LINE - 1) == 0 ? line + sizeof FIRST_LINE - 1 : "";
    if (strlen(version) != 1 || version[0] < '1' || version[0] > '3')
        return gw_lines_fail(in, GW_ERR_FORMAT, "no file of `godwit background`: expected %s1, 2 or 3", FIRST_LINE);
    b->has_lower = version[0] > '1';
    if (version[0] == '3') GW_TRY(gw_background_by_context(b));
    do {
        GW_TRY(gw_lines_next(in, &line, &length));
        if (line && strncmp(line, "##", 2) == 0) GW_TRY(read_meta(in, line, b, &temperature));
    } while (line && strncmp(line, "##", 2) == 0);
    if (b->has_lower && b->config->labels > 0)
        return gw_lines_fail(in, GW_ERR_FORMAT, "has a lower tail (%s2), which a fine-tuned model has not", FIRST_LINE);
    if (fabs(temperature / b->temperature - 1) > 1e-6)
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made of logits divided by %g (--temperature), not by %g",
                             temperature, b->temperature);
    if (line && strcmp(line, COLUMNS) == 0 && b->alleles > 0) return GW_OK;
    return gw_lines_fail(in, GW_ERR_FORMAT, "expected ##alleles and then the columns %s", COLUMNS);
}

static gw_status next_row(gw_line_reader *in, const gw_background *b, int64_t index, gw_background_distribution *d) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(in, &line, &length));
    if (!line)
        return gw_lines_fail(in, GW_ERR_FORMAT, "ends too early: the model has %" PRId64 " profiles", b->profiles);
    return read_row(in, line, b, index, d);
}

static gw_status read_lower(gw_line_reader *in, gw_background *b) {
    GW_TRY(next_row(in, b, b->profiles, &b->lower));
    for (int bin = 0; bin < GW_BACKGROUND_BINS; bin++)
        if (b->lower.counts[bin] > b->profile[0].counts[bin])
            return gw_lines_fail(in, GW_ERR_FORMAT, "bin %d has more ratios below zero than ratios", bin);
    return GW_OK;
}

static gw_status read_all(gw_line_reader *in, gw_background *b) {
    char *line;
    int64_t length;
    GW_TRY(read_head(in, b));
    for (int64_t index = -1; index < b->profiles; index++) {
        gw_background_distribution *d = index < 0 ? &b->largest : &b->profile[index];
        GW_TRY(next_row(in, b, index, d));
        if (d->of.count != b->alleles)
            return gw_lines_fail(in, GW_ERR_FORMAT, "%" PRId64 " alleles are counted, not %" PRId64, d->of.count,
                                 b->alleles);
    }
    if (b->has_lower) GW_TRY(read_lower(in, b));
    GW_TRY(gw_lines_next(in, &line, &length));
    for (; line && b->contexts;) {
        GW_TRY(read_context(in, line, b));
        GW_TRY(gw_lines_next(in, &line, &length));
    }
    return line ? gw_lines_fail(in, GW_ERR_FORMAT, "more rows than the model's %" PRId64 " profiles", b->profiles)
                : GW_OK;
}

gw_status gw_background_read(const char *path, const gw_background_model *model, gw_background **out) {
    gw_line_reader *in;
    GW_TRY(gw_background_new(model, out));
    gw_status status = gw_lines_open(path, &in);
    if (status == GW_OK) {
        status = read_all(in, *out);
        gw_lines_close(in);
    }
    if (status == GW_OK) return GW_OK;
    gw_background_free(*out);
    *out = NULL;
    return status;
}
