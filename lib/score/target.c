// SPDX-License-Identifier: MIT
// Reads a target from the logits of a sequence, or from the middle rows of a window.
#include "score/target_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/head.h"
#include "network/tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FLOATS = 1 << 26 };

// ---- which number

static bool has_own_tracks(const gw_model *model) {
    return gw_config_has_tracks(&model->config) && !gw_family_of(model->config.family)->tracks(&model->config).profiles;
}

gw_status gw_target_choose(gw_model *model, const char *name) {
    if (!name || !has_own_tracks(model)) return GW_OK;
    GW_TRY(gw_model_choose_tracks(model, name));
    if (model->config.labels == 1) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "--target %s names %lld tracks; a target is one track", name,
                   (long long)model->config.labels);
}

static gw_status no_such_label(const gw_model *model, const char *name, bool counts) {
    enum { SHOWN = 12 };
    const gw_config *config = &model->config;
    gw_string list = {0};
    if (counts) gw_string_puts(&list, "counts, ");
    for (int64_t l = 0; l < config->labels && l < SHOWN; l++)
        if (config->label_names) gw_string_printf(&list, "%s%s", l > 0 ? ", " : "", config->label_names[l]);
        else gw_string_printf(&list, "%s%lld", l > 0 ? ", " : "", (long long)l);
    if (config->labels > SHOWN) gw_string_printf(&list, " and %lld more", (long long)(config->labels - SHOWN));
    const gw_status status = gw_string_status(&list);
    if (status == GW_OK && name) gw_fail(GW_ERR_MISMATCH, "the model has no target '%s'; it has %s", name, list.data);
    else if (status == GW_OK)
        gw_fail(GW_ERR_USAGE, "the model has several targets; choose one with --target: %s", list.data);
    gw_string_free(&list);
    return gw_first_failure(status, name ? GW_ERR_MISMATCH : GW_ERR_USAGE);
}

static gw_status find_label(gw_target *t, const char *name) {
    const gw_config *config = &t->model->config;
    const bool profiles = t->kind == GW_TARGET_COUNTS;
    char *end = NULL;
    if (profiles && (!name || strcmp(name, "counts") == 0)) name = "counts";
    else if (!name && config->labels > 1) return no_such_label(t->model, NULL, profiles);
    else {
        t->label = name ? -1 : 0;
        for (int64_t l = 0; name && config->label_names && l < config->labels; l++)
            if (strcmp(config->label_names[l], name) == 0) t->label = l;
        const long long number = t->label < 0 ? strtoll(name, &end, 10) : 0;
        if (t->label < 0 && *name && !*end && number >= 0 && number < config->labels) t->label = number;
        if (t->label < 0 && has_own_tracks(t->model) && config->labels == 1) t->label = 0; // gw_target_choose()
        if (t->label < 0) return no_such_label(t->model, name, profiles);
        if (profiles) t->kind = GW_TARGET_PROFILE;
        if (config->label_names) name = config->label_names[t->label];
    }
    t->name = name ? gw_strdup(name) : gw_strprintf("label_%lld", (long long)t->label);
    return t->name ? GW_OK : GW_ERR_MEMORY;
}

static gw_status make(gw_target *t, const gw_target_options *o) {
    gw_model *model = t->model;
    const gw_config *config = &model->config;
    for (int32_t i = 0; i < gw_tokenizer_size(model->tokenizer); i++)
        t->long_tokens = t->long_tokens || gw_tokenizer_bases(model->tokenizer, i) > 1;
    if (gw_model_reads_signals(model))
        return gw_fail(GW_ERR_UNSUPPORTED, "models of polyadenylation have signals and no targets: `godwit score "
                                           "--map` draws what each change does to a signal");
    if (gw_config_has_tracks(config)) {
        t->tracks = gw_family_of(config->family)->tracks(config);
        t->kind = t->tracks.profiles ? GW_TARGET_COUNTS : GW_TARGET_TRACK;
        t->rows = t->tracks.rows + 2 * t->tracks.margin;
        t->columns = t->tracks.columns;
        t->window = t->tracks.profiles ? t->rows + 2 * t->tracks.reach : t->tracks.window;
    } else if (gw_model_labels_bases(model)) {
        t->kind = GW_TARGET_BASE;
        t->rows = 1;
        t->columns = config->labels;
        t->window = 1 + 2 * gw_base_flank(model);
    } else if (config->labels == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no labels: it is pretrained, or has no head for sequences");
    GW_TRY(find_label(t, o->name));
    if (t->kind == GW_TARGET_LABEL) {
        const gw_label_predictor_options options = {
            .tokens = o->batch_tokens, .both_strands = gw_both_strands_by_default(model), .share = o->memory};
        t->window = config->window;
        return gw_label_predictor_new(model, &options, &t->labels);
    }
    const gw_base_network_options options = {.tokens = o->batch_tokens,
                                             .longest = t->window,
                                             .flank =
                                                 (t->window - t->rows * (t->tracks.bin > 0 ? t->tracks.bin : 1)) / 2,
                                             .logits = true,
                                             .memory = o->memory};
    return gw_base_network_new(model, &options, &t->network);
}

gw_status gw_target_new(gw_model *model, const gw_target_options *options, gw_target **out) {
    gw_target *t = *out = gw_alloc(1, sizeof *t);
    if (!t) return GW_ERR_MEMORY;
    t->model = model;
    const gw_status status = make(t, options);
    if (status == GW_OK) return GW_OK;
    gw_target_free(t);
    *out = NULL;
    return status;
}

void gw_target_free(gw_target *target) {
    if (!target) return;
    gw_label_predictor_free(target->labels);
    gw_base_network_free(target->network);
    gw_token_strings_free(&target->strands);
    free(target->name);
    free(target->bases);
    free(target->outputs);
    free(target);
}

const char *gw_target_name(const gw_target *target) {
    return target->name;
}

const char *gw_target_unit(const gw_target *target) {
    const gw_config *config = &target->model->config;
    switch (target->kind) {
    case GW_TARGET_COUNTS: return "ln(1 + counts)";
    case GW_TARGET_PROFILE: return "logits of the profile";
    case GW_TARGET_TRACK: return "log2(1 + signal)";
    case GW_TARGET_BASE: return "logit of the middle base";
    default:
        if (!gw_config_has_numbers(config)) return "logit";
        return config->numbers.loss == GW_NUMBER_LOSS_POISSON ? "logarithm of the number" : "number";
    }
}

gw_target_kind gw_target_kind_of(const gw_target *target) {
    return target->kind;
}

int64_t gw_target_window(const gw_target *target) {
    return target->window;
}

bool gw_target_is_fixed(const gw_target *target) {
    return target->kind != GW_TARGET_LABEL;
}

bool gw_target_has_long_tokens(const gw_target *target) {
    return target->long_tokens;
}

// ---- its value

// The logit of one of several labels, beside the mean of the others.
static double apart(const float *z, int64_t count, int64_t label) {
    double others = 0;
    for (int64_t l = 0; l < count; l++) others += l == label ? 0 : (double)z[l];
    return (double)z[label] - (count > 1 ? others / (double)(count - 1) : 0);
}

double gw_target_of_logits(const gw_target *t, const float *z) {
    const gw_config *config = &t->model->config;
    const int64_t l = t->label;
    if (gw_config_has_numbers(config))
        return config->numbers.loss == GW_NUMBER_LOSS_POISSON ? (double)z[l]
                                                              : gw_numbers_value(&config->numbers, l, (double)z[l]);
    if (config->problem == GW_PROBLEM_SINGLE_LABEL) return apart(z, config->labels, l) / gw_config_temperature(config);
    return ((double)z[l] - log(gw_config_positive_weight(config, l))) / gw_config_temperature(config);
}

static double value_of_profile(const gw_target *t, const float *rows) {
    const gw_tracks *of = &t->tracks;
    const float *z = rows + of->margin * t->columns;
    double most = -INFINITY, sum = 0, mean = 0, value = 0;
    for (int64_t r = 0; r < of->rows; r++)
        for (int k = 0; k < of->strands; k++) {
            most = fmax(most, (double)z[r * t->columns + k]);
            mean += (double)z[r * t->columns + k] / (double)(of->rows * of->strands);
        }
    for (int64_t r = 0; r < of->rows; r++)
        for (int k = 0; k < of->strands; k++) {
            const double at = (double)z[r * t->columns + k], p = exp(at - most);
            sum += p;
            if (k == t->label) value += p * (at - mean);
        }
    return value / sum;
}

double gw_target_of_rows(const gw_target *t, const float *rows) {
    double sum = 0;
    switch (t->kind) {
    case GW_TARGET_BASE: return apart(rows, t->columns, t->label);
    case GW_TARGET_PROFILE: return value_of_profile(t, rows);
    case GW_TARGET_COUNTS:
        for (int64_t r = 0; r < t->rows; r++) sum += (double)rows[r * t->columns + t->tracks.strands];
        return sum / (double)t->rows;
    default:
        for (int64_t r = 0; r < t->rows; r++) {
            const double x = (double)rows[r * t->columns + t->label];
            sum += !t->tracks.softplus ? x : x > 30 ? x : log1p(exp(x));
        }
        return log2(1 + sum);
    }
}

// ---- windows

static gw_status run_labels(gw_target *t, int64_t length, int64_t count, double *values) {
    const int64_t labels = t->model->config.labels, width = gw_config_logits(&t->model->config);
    const int strands = gw_label_predictor_strands(t->labels);
    gw_token_strings_cut(&t->strands, 0);
    for (int64_t i = 0; i < count; i++) {
        bool fits;
        t->like[i] = 0;
        GW_TRY(gw_label_predictor_encode(t->labels, t->bases + i * length, length, &t->strands, &fits));
        if (!fits)
            return gw_fail(GW_ERR_MISMATCH, "%lld bases make more tokens than the model's %lld positions hold",
                           (long long)length, (long long)gw_config_longest(&t->model->config));
    }
    GW_TRY(gw_reserve(&t->outputs, &t->output_capacity, 2 * count * labels, sizeof *t->outputs));
    GW_TRY(gw_label_predictor_run_alike(t->labels, &t->strands, t->like, t->outputs, t->outputs + count * labels));
    const float *z = gw_label_predictor_outputs(t->labels);
    for (int64_t i = 0; i < count; i++) {
        values[i] = 0;
        for (int s = 0; s < strands; s++) values[i] += gw_target_of_logits(t, z + (i * strands + s) * width) / strands;
    }
    return GW_OK;
}

static gw_status run_rows(gw_target *t, int64_t length, int64_t count, double *values) {
    const int64_t floats = t->rows * t->columns;
    GW_TRY(gw_reserve(&t->outputs, &t->output_capacity, count * floats, sizeof *t->outputs));
    for (int64_t i = 0; i < count; i++)
        t->windows[i] = (gw_labelling_window){.bases = t->bases + i * length,
                                              .length = length,
                                              .rows = t->outputs + i * floats,
                                              .ref = i > 0 ? 0 : -1,
                                              .span = length};
    GW_TRY(gw_base_network_run(t->network, t->windows, count));
    for (int64_t i = 0; i < count; i++) values[i] = gw_target_of_rows(t, t->outputs + i * floats);
    return GW_OK;
}

gw_status gw_target_run(gw_target *t, const char *bases, int64_t length, const gw_base_change *changes, int64_t count,
                        double *values) {
    double some[GW_MOST_CHANGES + 1];
    const int64_t fit = gw_target_is_fixed(t) ? MOST_FLOATS / (t->rows * t->columns) - 1 : GW_MOST_CHANGES;
    const int64_t most = gw_max(1, gw_min(GW_MOST_CHANGES, fit));
    if (gw_target_is_fixed(t) && length != t->window)
        return gw_fail(GW_ERR_MISMATCH, "the model reads %lld bases, not %lld", (long long)t->window,
                       (long long)length);
    int64_t from = 0;
    do {
        const int64_t size = gw_min(most, count - from);
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_reserve(&t->bases, &t->base_capacity, (size + 1) * length, 1));
        for (int64_t i = 0; i <= size; i++) {
            memcpy(t->bases + i * length, bases, (size_t)length);
            if (i > 0) t->bases[i * length + changes[from + i - 1].at] = changes[from + i - 1].base;
        }
        GW_TRY(gw_target_is_fixed(t) ? run_rows(t, length, size + 1, some) : run_labels(t, length, size + 1, some));
        for (int64_t i = 0; i <= size; i++)
            if (!isfinite(some[i])) return gw_fail(GW_ERR_RANGE, "the target %s is not a finite number", t->name);
        if (from == 0) values[0] = some[0];
        memcpy(values + 1 + from, some + 1, (size_t)size * sizeof *values);
        from += size;
    } while (from < count);
    return GW_OK;
}

gw_status gw_target_saturate(gw_target *t, const char *bases, int64_t length, int64_t begin, int64_t end, double *first,
                             double *value) {
    const int64_t most = 3 * (end - begin);
    gw_base_change *changes = gw_alloc(most + 1, sizeof *changes);
    double *values = gw_alloc(most + 1, sizeof *values);
    int64_t count = 0;
    gw_status status = changes && values ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = begin; status == GW_OK && i < end; i++)
        for (int b = 0; b < 4 && bases[i] != 'N'; b++)
            if ("ACGT"[b] != bases[i]) changes[count++] = (gw_base_change){i, "ACGT"[b]};
    if (status == GW_OK) status = gw_target_run(t, bases, length, changes, count, values);
    const double *next = values + 1;
    for (int64_t i = begin; status == GW_OK && i < end; i++)
        for (int b = 0; b < 4; b++)
            value[(i - begin) * 4 + b] = bases[i] == 'N' ? (double)NAN : "ACGT"[b] == bases[i] ? values[0] : *next++;
    if (status == GW_OK) *first = values[0];
    free(changes);
    free(values);
    return status;
}
