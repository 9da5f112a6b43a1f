// SPDX-License-Identifier: MIT
// Counts in bins of the logarithm; sums for mean and deviation by Welford's updates.
#include "score/background.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bin 0 holds 0 and what is below 2^-40; the last what is 2^8 or more. A float's upper bits are its exponent and the
// sixteenth of the octave it lies in, so they number the bins in order.
enum { MANTISSA_KEPT = 4, FIRST_EXPONENT = -40, OCTAVES = 48, BINS = 1 + (OCTAVES << MANTISSA_KEPT) };
static const char FIRST_LINE[] = "##godwit_background=";
static const char COLUMNS[] = "index\tprofile\tmean\tsd\tcounts";

typedef struct {
    double mean, squares; // of the differences; sum of squares of what they differ from the mean
    int64_t counts[BINS];
} distribution;

struct gw_background {
    char md5[33];
    int64_t window, alleles;
    double temperature;
    const gw_config *config;
    int64_t profiles;
    distribution largest, *profile; // [profiles]
    distribution lower;             // of a pretrained model: the ratios below zero
    int64_t below;                  // their number
    bool has_lower;
};

static int bin_of(double size) {
    const float value = (float)size;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t bin = (int64_t)(bits >> (23 - MANTISSA_KEPT)) - ((127 + FIRST_EXPONENT) << MANTISSA_KEPT) + 1;
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin;
}

gw_status gw_background_new(const gw_background_model *model, gw_background **out) {
    gw_background *b = gw_alloc(1, sizeof *b);
    *out = b;
    if (!b) return GW_ERR_MEMORY;
    memcpy(b->md5, model->md5, sizeof b->md5 - 1);
    b->window = model->window;
    b->temperature = gw_config_temperature(model->config);
    b->config = model->config;
    b->profiles = model->config->labels > 0 ? model->config->labels : 1;
    b->has_lower = model->config->labels == 0;
    b->profile = gw_alloc(b->profiles, sizeof *b->profile);
    if (b->profile) return GW_OK;
    gw_background_free(b);
    *out = NULL;
    return GW_ERR_MEMORY;
}

void gw_background_free(gw_background *background) {
    if (!background) return;
    free(background->profile);
    free(background);
}

int64_t gw_background_alleles(const gw_background *background) {
    return background->alleles;
}

// The n-th value of a distribution (n from 1).
static void take(distribution *d, int64_t n, double difference, double effect) {
    const double before = difference - d->mean;
    d->mean += before / (double)n;
    d->squares += before * (difference - d->mean);
    d->counts[bin_of(effect)]++;
}

static double logit(double p) {
    const double least = 1e-7, clipped = fmin(fmax(p, least), 1 - least);
    return log(clipped / (1 - clipped));
}

static double largest_of(const gw_background *b, const gw_allele *allele) {
    return fabs((double)(b->config->labels > 0 ? allele->difference : allele->bits));
}

void gw_background_add(gw_background *b, const gw_allele *allele, const float *raw) {
    const double largest = largest_of(b, allele);
    const int64_t n = ++b->alleles, labels = b->config->labels;
    take(&b->largest, n, largest, largest);
    if (labels == 0) take(&b->profile[0], n, (double)allele->bits, largest);
    if (labels == 0 && allele->bits < 0) take(&b->lower, ++b->below, (double)allele->bits, largest);
    for (int64_t l = 0; l < labels; l++) {
        const double ref = (double)raw[l], alt = (double)raw[labels + l];
        take(&b->profile[l], n, alt - ref, fabs((alt - ref) * (logit(alt) - logit(ref))));
    }
}

double gw_allele_effect(const gw_config *config, const gw_allele *allele) {
    if (config->labels == 0) return fabs((double)allele->bits);
    return fabs((double)allele->difference * (double)allele->logit);
}

static const distribution *profile_of(const gw_background *b, const gw_allele *allele) {
    return &b->profile[b->config->labels > 0 ? allele->top : 0];
}

static double deviation(const distribution *d, int64_t alleles) {
    return alleles > 1 ? sqrt(d->squares / (double)(alleles - 1)) : 0;
}

double gw_background_z(const gw_background *b, const gw_allele *allele) {
    const distribution *d = profile_of(b, allele);
    const double sd = deviation(d, b->alleles);
    return sd > 0 ? ((double)(b->config->labels > 0 ? allele->difference : allele->bits) - d->mean) / sd : (double)NAN;
}

static int64_t count_from(const distribution *d, int bin) {
    int64_t sum = 0;
    for (int i = bin; i < BINS; i++) sum += d->counts[i];
    return sum;
}

bool gw_background_has_lower(const gw_background *b) {
    return b->has_lower;
}

// Ratios in the bin of `bits` or below: from zero up all that are below it, and those above it by their sizes.
static int64_t count_below(const gw_background *b, double bits) {
    const int bin = bin_of(fabs(bits));
    if (bits < 0) return count_from(&b->lower, bin);
    int64_t sum = b->below;
    for (int i = 0; i <= bin; i++) sum += b->profile[0].counts[i] - b->lower.counts[i];
    return sum;
}

double gw_background_evalue(const gw_background *b, const gw_allele *allele, gw_tail tail) {
    const int64_t as_rare = tail == GW_TAIL_LOWER
                                ? count_below(b, (double)allele->bits)
                                : count_from(profile_of(b, allele), bin_of(gw_allele_effect(b->config, allele)));
    return (double)(1 + as_rare) / (double)(1 + b->alleles);
}

double gw_background_percentile(const gw_background *b, const gw_allele *allele) {
    if (b->alleles == 0) return (double)NAN;
    const int64_t above = count_from(&b->largest, bin_of(largest_of(b, allele)));
    return 100 * (double)(b->alleles - above) / (double)b->alleles;
}

// ---- the file

static gw_status write_row(gw_text_writer *out, int64_t alleles, int64_t index, const char *name,
                           const distribution *d) {
    GW_TRY(gw_writer_printf(out, "%" PRId64 "\t%s\t%.9g\t%.9g\t", index, name, d->mean, deviation(d, alleles)));
    bool first = true;
    for (int bin = 0; bin < BINS; bin++) {
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
    GW_TRY(gw_writer_printf(out, "%s%d\n##model=%s\n##window=%" PRId64 "\n", FIRST_LINE, b->has_lower ? 2 : 1, b->md5,
                            b->window));
    if (b->temperature != 1) GW_TRY(gw_writer_printf(out, "##temperature=%.9g\n", b->temperature));
    GW_TRY(gw_writer_printf(out, "##alleles=%" PRId64 "\n%s\n", b->alleles, COLUMNS));
    GW_TRY(write_row(out, b->alleles, -1, "largest", &b->largest));
    for (int64_t l = 0; l < b->profiles; l++) GW_TRY(write_row(out, b->alleles, l, name_of(b, l), &b->profile[l]));
    return b->has_lower ? write_row(out, b->below, 1, "LLR below 0", &b->lower) : GW_OK;
}

gw_status gw_background_write(const gw_background *background, const char *path) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    return gw_writers_close(write_all(out, background), out, NULL);
}

static gw_status read_counts(const gw_line_reader *in, char *list, const gw_background *b, distribution *d,
                             int64_t *total) {
    int64_t sum = 0;
    for (char *one; (one = strsep(&list, ",")) != NULL && one[0];) {
        int64_t bin, count;
        char *colon = strchr(one, ':');
        if (colon) *colon = 0;
        if (!colon || gw_parse_int(one, 0, BINS - 1, &bin) != GW_OK ||
            gw_parse_int(colon + 1, 1, b->alleles, &count) != GW_OK)
            return gw_lines_fail(in, GW_ERR_FORMAT, "'%.40s' is no bin and its count", one);
        if (d->counts[bin] > 0) return gw_lines_fail(in, GW_ERR_FORMAT, "bin %" PRId64 " is there twice", bin);
        if (count > b->alleles - sum)
            return gw_lines_fail(in, GW_ERR_FORMAT, "at least %" PRId64 " alleles are counted, not %" PRId64,
                                 b->alleles + 1, b->alleles);
        d->counts[bin] = count;
        sum += count;
    }
    *total = sum;
    return GW_OK;
}

static gw_status read_row(const gw_line_reader *in, char *line, const gw_background *b, int64_t index, distribution *d,
                          int64_t *total) {
    enum { INDEX, NAME, MEAN, DEVIATION, COUNTS, FIELDS };
    char *fields[FIELDS];
    int64_t found;
    double sd;
    if (gw_split(line, '\t', fields, FIELDS) != FIELDS ||
        gw_parse_int(fields[INDEX], -1, b->profiles, &found) != GW_OK || found != index ||
        gw_parse_double(fields[MEAN], -1e300, 1e300, &d->mean) != GW_OK ||
        gw_parse_double(fields[DEVIATION], 0, 1e300, &sd) != GW_OK)
        return gw_lines_fail(in, GW_ERR_FORMAT, "expected the row of profile %" PRId64 ": %s", index, COLUMNS);
    GW_TRY(read_counts(in, fields[COUNTS], b, d, total));
    d->squares = sd * sd * (double)(*total - 1);
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
    if (strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
        return gw_lines_fail(in, GW_ERR_FORMAT, "no file of `godwit background`: expected %s1 or 2", FIRST_LINE);
    b->has_lower = version[0] == '2';
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

static gw_status next_row(gw_line_reader *in, const gw_background *b, int64_t index, distribution *d, int64_t *total) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(in, &line, &length));
    if (!line)
        return gw_lines_fail(in, GW_ERR_FORMAT, "ends too early: the model has %" PRId64 " profiles", b->profiles);
    return read_row(in, line, b, index, d, total);
}

static gw_status read_lower(gw_line_reader *in, gw_background *b) {
    GW_TRY(next_row(in, b, b->profiles, &b->lower, &b->below));
    for (int bin = 0; bin < BINS; bin++)
        if (b->lower.counts[bin] > b->profile[0].counts[bin])
            return gw_lines_fail(in, GW_ERR_FORMAT, "bin %d has more ratios below zero than ratios", bin);
    return GW_OK;
}

static gw_status read_all(gw_line_reader *in, gw_background *b) {
    char *line;
    int64_t length, total;
    GW_TRY(read_head(in, b));
    for (int64_t index = -1; index < b->profiles; index++) {
        GW_TRY(next_row(in, b, index, index < 0 ? &b->largest : &b->profile[index], &total));
        if (total != b->alleles)
            return gw_lines_fail(in, GW_ERR_FORMAT, "%" PRId64 " alleles are counted, not %" PRId64, total, b->alleles);
    }
    if (b->has_lower) GW_TRY(read_lower(in, b));
    GW_TRY(gw_lines_next(in, &line, &length));
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
