// SPDX-License-Identifier: MIT
// Contexts; counting of a background: logarithmic bins, and sums for mean and deviation by Welford's updates;
// statistics for an allele; and reading and writing of its text table.
#include "score/background.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- contexts: five bases and ALT as one number, digit by digit

enum { BASES = 5, MIDDLE = 2, CONTEXTS = 4 * 4 * 2 * 4 * 4 * 3, CONTEXT_NAME = 8 };
static const char letters[] = "ACGT"; // of which 3 - i complements i

static int code_of(char base) {
    const char *at = strchr(letters, toupper((unsigned char)base));
    return at && *at ? (int)(at - letters) : -1;
}

gw_status gw_context_of(gw_genome *genome, const gw_variant *v, int32_t *context) {
    *context = -1;
    const int64_t begin = v->position - MIDDLE;
    if (!v->ref || v->ref_length != 1 || v->alt_length != 1 || v->contig < 0 || begin < 0 ||
        begin + BASES > gw_genome_length(genome, v->contig))
        return GW_OK;
    char bases[BASES];
    int code[BASES], alt = code_of(v->alt[0]);
    GW_TRY(gw_genome_fetch(genome, v->contig, begin, begin + BASES, bases));
    bases[MIDDLE] = v->ref[0];
    for (int i = 0; i < BASES; i++)
        if ((code[i] = code_of(bases[i])) < 0) return GW_OK;
    if (alt < 0 || alt == code[MIDDLE]) return GW_OK;
    if (code[MIDDLE] >= 2) {
        int turned[BASES];
        for (int i = 0; i < BASES; i++) turned[i] = 3 - code[BASES - 1 - i];
        memcpy(code, turned, sizeof code);
        alt = 3 - alt;
    }
    *context = 0;
    for (int i = 0; i < BASES; i++) *context = *context * (i == MIDDLE ? 2 : 4) + code[i];
    *context = 3 * *context + alt - (alt > code[MIDDLE]);
    return GW_OK;
}

// "ACATT>G"
static void name_context(int32_t context, char name[CONTEXT_NAME]) {
    const int rank = context % 3;
    int32_t number = context / 3;
    int code[BASES];
    for (int i = BASES - 1; i >= 0; i--) {
        const int choices = i == MIDDLE ? 2 : 4;
        code[i] = number % choices;
        number /= choices;
    }
    for (int i = 0; i < BASES; i++) name[i] = letters[code[i]];
    name[BASES] = '>';
    name[BASES + 1] = letters[rank + (rank >= code[MIDDLE])];
    name[BASES + 2] = 0;
}

// ---- what is counted

// Bin 0 holds 0 and what is below 2^-40; the last what is 2^8 or more. A float's upper bits are its exponent and the
// sixteenth of the octave it lies in, so they number the bins in order.
enum { MANTISSA = 4, EXPONENT = -40, OCTAVES = 48 };
enum { BINS = 1 + (OCTAVES << MANTISSA) };

typedef struct {
    int64_t count;
    double mean, squares; // sum of squares of what values differ from their mean
} moments;

typedef struct {
    moments of; // the differences
    int64_t counts[BINS];
} distribution;

struct gw_background {
    char md5[33];
    char *name; // or NULL
    int64_t window, alleles;
    double temperature;
    int64_t distance, mask, around;
    char tracks[33], controls[33]; // MD5, or ""
    const gw_config *config;
    int64_t profiles;               // none where alleles have one score
    distribution largest, *profile; // [profiles]
    distribution lower;             // of a pretrained model: the ratios below zero
    bool has_lower;
    moments *contexts; // [CONTEXTS], or NULL
    gw_activity activity;
};

static int bin_of(double size) {
    const float value = (float)size;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t bin = (int64_t)(bits >> (23 - MANTISSA)) - ((127 + EXPONENT) << MANTISSA) + 1;
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin;
}

// It stands in descriptions of keys, where quotes and angle brackets end what they are in.
static gw_status take_name(gw_background *b, const char *name) {
    if (strlen(name) >= GW_BACKGROUND_NAME || name[strcspn(name, "\"\\<>\t\r\n")] || !name[0])
        return gw_fail(GW_ERR_FORMAT,
                       "'%.40s' is not a name of a background: 1 to %d bytes without quotes, <, > and backslashes",
                       name, GW_BACKGROUND_NAME - 1);
    free(b->name);
    b->name = gw_strdup(name);
    return b->name ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_background_new(const gw_background_model *model, gw_background **out) {
    gw_background *b = gw_alloc(1, sizeof *b);
    *out = b;
    if (!b) return GW_ERR_MEMORY;
    memcpy(b->md5, model->md5, sizeof b->md5 - 1);
    b->window = model->window;
    b->temperature = gw_config_temperature(model->config);
    b->distance = model->distance;
    b->mask = model->mask;
    b->around = model->around;
    if (model->tracks) snprintf(b->tracks, sizeof b->tracks, "%s", model->tracks);
    if (model->controls) snprintf(b->controls, sizeof b->controls, "%s", model->controls);
    b->config = model->config;
    b->profiles = model->single ? 0 : model->config->labels > 0 ? model->config->labels : 1;
    b->has_lower = model->config->labels == 0;
    b->profile = gw_alloc(b->profiles, sizeof *b->profile);
    const gw_status status = !b->profile ? GW_ERR_MEMORY : model->name ? take_name(b, model->name) : GW_OK;
    if (status == GW_OK) return GW_OK;
    gw_background_free(b);
    *out = NULL;
    return status;
}

void gw_background_free(gw_background *background) {
    if (!background) return;
    free(background->name);
    free(background->profile);
    free(background->contexts);
    gw_activity_free(&background->activity);
    free(background);
}

int64_t gw_background_alleles(const gw_background *background) {
    return background->alleles;
}

void gw_background_take_activity(gw_background *background, gw_activity *activity) {
    gw_activity_free(&background->activity);
    background->activity = *activity;
    *activity = (gw_activity){0};
}

const gw_activity *gw_background_activity(const gw_background *background) {
    return background->activity.places > 0 ? &background->activity : NULL;
}

gw_status gw_background_by_context(gw_background *b) {
    if (b->config->labels > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "contexts need a pretrained model; this model is fine-tuned");
    b->contexts = gw_alloc(CONTEXTS, sizeof *b->contexts);
    return b->contexts ? GW_OK : GW_ERR_MEMORY;
}

static void add_value(moments *m, double value) {
    const double before = value - m->mean;
    m->mean += before / (double)++m->count;
    m->squares += before * (value - m->mean);
}

static void take(distribution *d, double difference, double effect) {
    add_value(&d->of, difference);
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
    const int64_t labels = b->config->labels;
    b->alleles++;
    take(&b->largest, largest, largest);
    if (labels == 0) take(&b->profile[0], (double)allele->bits, largest);
    if (labels == 0 && allele->bits < 0) take(&b->lower, (double)allele->bits, largest);
    if (b->contexts && allele->context >= 0) { // the ratio of its change, which the record may have the other way round
        const float bits = allele->swapped ? -allele->bits : allele->bits;
        add_value(&b->contexts[allele->context], (double)bits);
    }
    for (int64_t l = 0; labels > 0 && l < b->profiles; l++) {
        const double ref = (double)raw[l], alt = (double)raw[labels + l];
        take(&b->profile[l], alt - ref, fabs((alt - ref) * (logit(alt) - logit(ref))));
    }
}

double gw_allele_effect(const gw_config *config, const gw_allele *allele) {
    if (config->labels == 0) return fabs((double)allele->bits);
    return fabs((double)allele->difference * (double)allele->logit);
}

static const distribution *profile_of(const gw_background *b, const gw_allele *allele) {
    return &b->profile[b->config->labels > 0 ? allele->top : 0];
}

// 0 of fewer than two values.
static double deviation(const moments *m) {
    return m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : 0;
}

static bool is_small(const gw_background *b) {
    return b->alleles < GW_BACKGROUND_LEAST;
}

double gw_background_z(const gw_background *b, const gw_allele *allele) {
    const moments *m = &profile_of(b, allele)->of;
    const double sd = deviation(m), value = (double)(b->config->labels > 0 ? allele->difference : allele->bits);
    return sd > 0 && !is_small(b) ? (value - m->mean) / sd : (double)NAN;
}

bool gw_background_has_contexts(const gw_background *b) {
    return b->contexts != NULL;
}

double gw_background_in_context(const gw_background *b, const gw_allele *allele) {
    const moments *m = allele->context >= 0 ? &b->contexts[allele->context] : NULL;
    if (!m || m->count < GW_CONTEXT_LEAST) return (double)NAN;
    return (double)allele->bits - (allele->swapped ? -m->mean : m->mean);
}

static int64_t count_from(const distribution *d, int bin) {
    int64_t sum = 0;
    for (int i = bin; i < BINS; i++) sum += d->counts[i];
    return sum;
}

bool gw_background_has_lower(const gw_background *b) {
    return b->has_lower;
}

double gw_background_evalue(const gw_background *b, const gw_allele *allele, gw_tail tail) {
    if (is_small(b)) return (double)NAN;
    const int bin = bin_of(gw_allele_effect(b->config, allele));
    int64_t as_rare = 0;
    if (tail == GW_TAIL_TWO) as_rare = count_from(profile_of(b, allele), bin);
    else if (allele->bits < 0) as_rare = count_from(&b->lower, bin);
    else { // from zero up all that are below it, and those above it by their sizes
        as_rare = b->lower.of.count;
        for (int i = 0; i <= bin; i++) as_rare += b->profile[0].counts[i] - b->lower.counts[i];
    }
    return (double)(1 + as_rare) / (double)(1 + b->alleles);
}

double gw_background_percentile(const gw_background *b, const gw_allele *allele) {
    if (is_small(b)) return (double)NAN;
    const int64_t above = count_from(&b->largest, bin_of(largest_of(b, allele)));
    return 100 * (double)(b->alleles - above) / (double)b->alleles;
}

// ---- what it says of itself

const int gw_background_percents[GW_BACKGROUND_PERCENTS] = {50, 90, 95, 99};
static const char ALLELES[] = ". Background of ", BELOW[] = "% below ";

// The least border of bins below which that share of the alleles has its largest |difference|.
static double quantile(const gw_background *b, int percent) {
    int64_t below = 0;
    int bin = 0;
    while (bin < BINS && 100 * below < percent * b->alleles) below += b->largest.counts[bin++];
    const int sixteenths = bin > 0 ? bin - 1 : 0; // above 2^-40, of octaves
    return ldexp(1 + (sixteenths & ((1 << MANTISSA) - 1)) / 16.0, EXPONENT + (sixteenths >> MANTISSA));
}

void gw_background_describe(const gw_background *b, gw_string *out) {
    if (is_small(b)) return;
    gw_string_printf(out, "%s%" PRId64 " alleles%s%s:", ALLELES, b->alleles, b->name ? ", " : "",
                     b->name ? b->name : "");
    for (int i = 0; i < GW_BACKGROUND_PERCENTS; i++)
        gw_string_printf(out, "%s %d%s%.3g", i > 0 ? "," : "", gw_background_percents[i], BELOW,
                         quantile(b, gw_background_percents[i]));
}

bool gw_background_read_description(const char *text, gw_background_summary *out) {
    char *end;
    const char *at = strstr(text, ALLELES);
    *out = (gw_background_summary){0};
    if (!at) return false;
    out->alleles = strtoll(at + sizeof ALLELES - 1, &end, 10);
    const char *numbers = strstr(end, BELOW), *name = strstr(end, ", ");
    while (numbers && numbers > end && *numbers != ':') numbers--;
    if (!numbers || numbers == end) return false;
    if (name && name < numbers) {
        name += 2;
        snprintf(out->name, sizeof out->name, "%.*s", (int)(numbers - name), name);
    }
    for (int i = 0; i < GW_BACKGROUND_PERCENTS; i++) {
        numbers = strstr(numbers + 1, BELOW);
        if (!numbers) return false;
        out->below[i] = strtod(numbers + sizeof BELOW - 1, &end);
    }
    return out->alleles > 0;
}

// ---- the file

static const char FIRST_LINE[] = "##godwit_background=";
static const char COLUMNS[] = "index\tprofile\tmean\tsd\tcounts";

static gw_status write_moments(gw_text_writer *out, int64_t index, const char *name, const moments *m) {
    return gw_writer_printf(out, "%" PRId64 "\t%s\t%.9g\t%.9g\t", index, name, m->mean, deviation(m));
}

static gw_status write_row(gw_text_writer *out, int64_t index, const char *name, const distribution *d) {
    GW_TRY(write_moments(out, index, name, &d->of));
    bool first = true;
    for (int bin = 0; bin < BINS; bin++) {
        if (d->counts[bin] == 0) continue;
        GW_TRY(gw_writer_printf(out, "%s%d:%" PRId64, first ? "" : ",", bin, d->counts[bin]));
        first = false;
    }
    return gw_writer_printf(out, "\n");
}

static gw_status write_all(gw_text_writer *out, const gw_background *b) {
    const int64_t places = b->activity.places;
    const int version = places > 0 ? 4 : b->contexts ? 3 : b->has_lower ? 2 : 1;
    GW_TRY(gw_writer_printf(out, "%s%d\n##model=%s\n##window=%" PRId64 "\n", FIRST_LINE, version, b->md5, b->window));
    if (b->temperature != 1) GW_TRY(gw_writer_printf(out, "##temperature=%.9g\n", b->temperature));
    if (b->distance > 0)
        GW_TRY(gw_writer_printf(out, "##distance=%" PRId64 "\n##mask=%" PRId64 "\n", b->distance, b->mask));
    if (b->around > 0) GW_TRY(gw_writer_printf(out, "##around=%" PRId64 "\n", b->around));
    if (b->tracks[0]) GW_TRY(gw_writer_printf(out, "##tracks=%s\n", b->tracks));
    if (b->controls[0]) GW_TRY(gw_writer_printf(out, "##controls=%s\n", b->controls));
    if (b->name) GW_TRY(gw_writer_printf(out, "##name=%s\n", b->name));
    if (places > 0) GW_TRY(gw_writer_printf(out, "##places=%" PRId64 "\n", places));
    GW_TRY(gw_writer_printf(out, "##alleles=%" PRId64 "\n%s\n", b->alleles, COLUMNS));
    if (b->alleles > 0 || places == 0) GW_TRY(write_row(out, -1, "largest", &b->largest));
    for (int64_t l = 0; l < b->profiles; l++) {
        const char *label = b->config->label_names ? b->config->label_names[l] : ".";
        GW_TRY(write_row(out, l, b->config->labels == 0 ? "LLR" : label, &b->profile[l]));
    }
    if (b->has_lower) GW_TRY(write_row(out, 1, "LLR below 0", &b->lower));
    for (int32_t c = 0; b->contexts && c < CONTEXTS; c++) {
        char name[CONTEXT_NAME];
        if (b->contexts[c].count == 0) continue;
        name_context(c, name);
        GW_TRY(write_moments(out, c, name, &b->contexts[c]));
        GW_TRY(gw_writer_printf(out, "%" PRId64 "\n", b->contexts[c].count));
    }
    return gw_activity_write(&b->activity, b->config, out);
}

gw_status gw_background_write(const gw_background *background, const char *path) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    return gw_writers_close(write_all(out, background), out, NULL);
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

static gw_status read_counts(const gw_line_reader *in, char *list, const gw_background *b, distribution *d) {
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
    d->of.count = sum;
    return GW_OK;
}

// The next row, which must be that of a profile.
static gw_status read_row(gw_line_reader *in, const gw_background *b, int64_t index, distribution *d) {
    char *line, *fields[FIELDS];
    int64_t length, found;
    double sd;
    GW_TRY(gw_lines_next(in, &line, &length));
    if (!line)
        return gw_lines_fail(in, GW_ERR_FORMAT, "ends too early: the model has %" PRId64 " profiles", b->profiles);
    GW_TRY(read_moments(in, line, b->profiles, fields, &found, &d->of.mean, &sd));
    if (found != index)
        return gw_lines_fail(in, GW_ERR_FORMAT, "expected the row of profile %" PRId64 ": %s", index, COLUMNS);
    GW_TRY(read_counts(in, fields[COUNTS], b, d));
    d->of.squares = squares_of(sd, d->of.count);
    return GW_OK;
}

static gw_status read_context(const gw_line_reader *in, char *line, gw_background *b) {
    char *fields[FIELDS], name[CONTEXT_NAME];
    int64_t index;
    moments m;
    double sd;
    GW_TRY(read_moments(in, line, CONTEXTS - 1, fields, &index, &m.mean, &sd));
    if (index >= 0) name_context((int32_t)index, name);
    if (index < 0 || strcmp(name, fields[NAME]) != 0)
        return gw_lines_fail(in, GW_ERR_FORMAT, "'%.20s' is not the context of number %" PRId64, fields[NAME], index);
    if (gw_parse_int(fields[COUNTS], 1, b->alleles, &m.count) != GW_OK)
        return gw_lines_fail(in, GW_ERR_FORMAT, "'%.20s' is not a number of changes", fields[COUNTS]);
    if (b->contexts[index].count > 0) return gw_lines_fail(in, GW_ERR_FORMAT, "the context %s is there twice", name);
    m.squares = squares_of(sd, m.count);
    b->contexts[index] = m;
    return GW_OK;
}

static bool value_of(const char *line, const char *key, const char **value) {
    *value = line + strlen(key);
    return gw_has_prefix(line, key);
}

// What lines of the head say the scores depend on, which are left out where they are as usual.
typedef struct {
    double temperature;
    int64_t distance, mask, around, places;
    char tracks[33], controls[33];
} dependences;

static gw_status read_meta(const gw_line_reader *in, const char *line, gw_background *b, dependences *of) {
    const char *value;
    int64_t number;
    if (value_of(line, "##temperature=", &value))
        return gw_parse_double(value, 0, GW_MOST_TEMPERATURE, &of->temperature);
    if (value_of(line, "##distance=", &value)) return gw_parse_int(value, 1, INT64_MAX, &of->distance);
    if (value_of(line, "##mask=", &value)) return gw_parse_int(value, 0, 1, &of->mask);
    if (value_of(line, "##around=", &value)) return gw_parse_int(value, 1, INT64_MAX, &of->around);
    if (value_of(line, "##places=", &value)) return gw_parse_int(value, 1, INT32_MAX, &of->places);
    if (value_of(line, "##tracks=", &value)) snprintf(of->tracks, sizeof of->tracks, "%s", value);
    if (value_of(line, "##controls=", &value)) snprintf(of->controls, sizeof of->controls, "%s", value);
    if (value_of(line, "##name=", &value)) return take_name(b, value);
    if (value_of(line, "##model=", &value) && strcmp(value, b->md5) != 0)
        return gw_lines_fail(in, GW_ERR_MISMATCH,
                             "the background of another model: the MD5 of its weights is %s, not %s", value, b->md5);
    if (value_of(line, "##window=", &value) &&
        (gw_parse_int(value, 1, INT64_MAX, &number) != GW_OK || number != b->window))
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made with windows of %s bp, not %" PRId64, value, b->window);
    if (value_of(line, "##alleles=", &value)) return gw_parse_int(value, 0, INT64_MAX / 2, &b->alleles);
    return GW_OK;
}

// What models of tracks depend on besides.
static gw_status check_tracks(const gw_line_reader *in, const gw_background *b, const dependences *of) {
    if (of->around != b->around)
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made with --around %" PRId64 ", not %" PRId64 " (0: not given)",
                             of->around, b->around);
    if (strcmp(of->tracks, b->tracks) != 0)
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made of other tracks, or names of tracks (--track, --track-names)");
    if (strcmp(of->controls, b->controls) != 0)
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made with%s control tracks (--control)",
                             !of->controls[0] ? "out"
                             : b->controls[0] ? " other"
                                              : "");
    return GW_OK;
}

// *places: of how many it has rows.
static gw_status read_head(gw_line_reader *in, gw_background *b, int64_t *places) {
    char *line;
    int64_t length;
    dependences of = {.temperature = 1};
    GW_TRY(gw_lines_next(in, &line, &length));
    const char *version = line && gw_has_prefix(line, FIRST_LINE) ? line + sizeof FIRST_LINE - 1 : "";
    if (strlen(version) != 1 || version[0] < '1' || version[0] > '4')
        return gw_lines_fail(in, GW_ERR_FORMAT, "no file of `godwit background`: expected %s1, 2, 3 or 4", FIRST_LINE);
    b->has_lower = version[0] == '2' || version[0] == '3';
    if (version[0] == '3') GW_TRY(gw_background_by_context(b));
    do {
        GW_TRY(gw_lines_next(in, &line, &length));
        if (line && gw_has_prefix(line, "##")) GW_TRY(read_meta(in, line, b, &of));
    } while (line && gw_has_prefix(line, "##"));
    if (b->has_lower && b->config->labels > 0)
        return gw_lines_fail(in, GW_ERR_FORMAT, "has a lower tail (%s2), which a fine-tuned model has not", FIRST_LINE);
    if (fabs(of.temperature / b->temperature - 1) > 1e-6)
        return gw_lines_fail(in, GW_ERR_MISMATCH, "made of logits divided by %g (--temperature), not by %g",
                             of.temperature, b->temperature);
    if (of.distance != b->distance || of.mask != b->mask)
        return gw_lines_fail(in, GW_ERR_MISMATCH,
                             "made with --distance %" PRId64 " and --mask %" PRId64 ", not %" PRId64 " and %" PRId64,
                             of.distance, of.mask, b->distance, b->mask);
    GW_TRY(check_tracks(in, b, &of));
    *places = of.places;
    if ((of.places > 0) != (version[0] == '4'))
        return gw_lines_fail(in, GW_ERR_FORMAT, "expected ##places in a file of version 4, and in no other");
    if (of.places > 0 && !gw_config_has_tracks(b->config))
        return gw_lines_fail(in, GW_ERR_FORMAT, "has places, of models of tracks; this model has none");
    if (line && strcmp(line, COLUMNS) == 0 && (b->alleles > 0 || of.places > 0)) return GW_OK;
    return gw_lines_fail(in, GW_ERR_FORMAT, "expected ##alleles and then the columns %s", COLUMNS);
}

static gw_status read_all(gw_line_reader *in, gw_background *b) {
    char *line;
    int64_t length, places = 0;
    GW_TRY(read_head(in, b, &places));
    for (int64_t index = -1; (b->alleles > 0 || places == 0) && index < b->profiles; index++) {
        distribution *d = index < 0 ? &b->largest : &b->profile[index];
        GW_TRY(read_row(in, b, index, d));
        if (d->of.count != b->alleles)
            return gw_lines_fail(in, GW_ERR_FORMAT, "%" PRId64 " alleles are counted, not %" PRId64, d->of.count,
                                 b->alleles);
    }
    if (b->has_lower) GW_TRY(read_row(in, b, b->profiles, &b->lower));
    for (int bin = 0; b->has_lower && bin < BINS; bin++)
        if (b->lower.counts[bin] > b->profile[0].counts[bin])
            return gw_lines_fail(in, GW_ERR_FORMAT, "bin %d has more ratios below zero than ratios", bin);
    if (places > 0) GW_TRY(gw_activity_read(in, b->config, places, &b->activity));
    GW_TRY(gw_lines_next(in, &line, &length));
    while (line && b->contexts) {
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
