// SPDX-License-Identifier: MIT
// The table of models whose labels are numbers.
#include "base/log.h"
#include "file/lines.h"
#include "task/windows/evaluate_set.h"
#include "task/windows/number_metrics.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 1000 };

static gw_status write_interval(gw_text_writer *out, gw_interval interval) {
    const double values[] = {interval.value, interval.low, interval.high};
    for (int i = 0; i < 3; i++)
        GW_TRY(isnan(values[i]) ? gw_writer_printf(out, "\tNA") : gw_writer_printf(out, "\t%.6f", values[i]));
    return GW_OK;
}

static gw_status write_header(gw_text_writer *out, bool groups) {
    static const char *const metrics[] = {"pearson", "spearman", "r2", "within", "median"};
    GW_TRY(gw_writer_printf(out, "label\tn"));
    for (int f = 0; f < 3; f++)
        GW_TRY(gw_writer_printf(out, "\t%s\t%s_low\t%s_high", metrics[f], metrics[f], metrics[f]));
    if (groups) GW_TRY(gw_writer_printf(out, "\tgroups\tlone\tlarge"));
    for (int f = 3; groups && f < 5; f++)
        GW_TRY(gw_writer_printf(out, "\t%s\t%s_low\t%s_high", metrics[f], metrics[f], metrics[f]));
    return gw_writer_printf(out, "\n");
}

static gw_status write_row(gw_text_writer *out, const char *name, const gw_agreement *a) {
    GW_TRY(gw_writer_printf(out, "%s\t%lld", name, (long long)a->count));
    GW_TRY(write_interval(out, a->pearson));
    GW_TRY(write_interval(out, a->spearman));
    GW_TRY(write_interval(out, a->r2));
    if (a->groups == 0) return gw_writer_printf(out, "\n");
    GW_TRY(gw_writer_printf(out, "\t%lld\t%lld\t%lld", (long long)a->groups, (long long)a->lone, (long long)a->large));
    GW_TRY(write_interval(out, a->within));
    GW_TRY(write_interval(out, a->median));
    return gw_writer_printf(out, "\n");
}

// What stands behind a metric that is NA, or weaker than it looks.
static gw_status check_column(const char *name, const gw_agreement *a, const char *within) {
    if (a->count == 0) {
        gw_warn("the column of '%s' has no number", name);
        return GW_OK;
    }
    if (isnan(a->r2.value)) gw_warn("the numbers of '%s' are all the same: correlations and R^2 mean nothing", name);
    if (a->groups == 0) return GW_OK;
    if (a->groups == a->count)
        return gw_fail(GW_ERR_MISMATCH,
                       "--within %s: each of the %lld rows is a group of its own, in which nothing can be compared",
                       within, (long long)a->count);
    if (a->lone > 0)
        gw_note("%s: %lld of %lld groups by '%s' have one row, which says nothing within it", name, (long long)a->lone,
                (long long)a->groups, within);
    return GW_OK;
}

static gw_status write_table(const gw_config *config, const gw_labelled_set *set, const gw_column_pairs *pairs,
                             const char *within, gw_text_writer *out) {
    int64_t numbers = 0;
    for (int64_t i = 0; i < pairs->examples * pairs->labels; i++) numbers += !isnan(pairs->measured[i]);
    if (numbers == 0) return gw_fail(GW_ERR_RANGE, "no column that the model knows has a number");
    GW_TRY(write_header(out, pairs->groups != NULL));
    for (int64_t c = 0; c < config->labels; c++) {
        const char *name = gw_labelled_set_label_name(set, c);
        gw_agreement agreement;
        GW_TRY(gw_agreement_of_column(pairs, c, &agreement));
        GW_TRY(check_column(name, &agreement, within));
        GW_TRY(write_row(out, name, &agreement));
    }
    return GW_OK;
}

static gw_status write_pairs(const gw_labelled_set *set, const gw_column_pairs *pairs, gw_text_writer *out) {
    gw_string text = {0};
    gw_status status = gw_writer_printf(out, "label\tmeasured\tpredicted\t%s\n", gw_labelled_set_title(set));
    for (int64_t i = 0; status == GW_OK && i < pairs->examples * pairs->labels; i++) {
        if (isnan(pairs->measured[i])) continue;
        gw_string_clear(&text);
        gw_labelled_set_describe(set, i / pairs->labels, &text);
        status = gw_string_status(&text);
        if (status == GW_OK)
            status = gw_writer_printf(out, "%s\t%.7g\t%.7g\t%s\n", gw_labelled_set_label_name(set, i % pairs->labels),
                                      (double)pairs->measured[i], (double)pairs->predicted[i], text.data);
    }
    gw_string_free(&text);
    return status;
}

gw_status gw_report_numbers(const gw_config *config, const gw_labelled_set *set, const float *predicted,
                            const gw_eval_options *options) {
    gw_row_groups groups = {0};
    gw_text_writer *out = NULL, *scatter = NULL;
    float *measured = gw_labelled_set_all_values(set);
    gw_status status = measured ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && options->within) status = gw_row_groups_make(set, &groups);
    const gw_column_pairs pairs = {.measured = measured,
                                   .predicted = predicted,
                                   .examples = gw_labelled_set_count(set),
                                   .labels = config->labels,
                                   .groups = options->within ? &groups : NULL,
                                   .samples = SAMPLES,
                                   .seed = options->seed};
    if (status == GW_OK) status = gw_writer_open(NULL, &out);
    if (status == GW_OK && options->scatter) status = gw_writer_open(options->scatter, &scatter);
    if (status == GW_OK) status = write_table(config, set, &pairs, options->within, out);
    if (status == GW_OK && scatter) status = write_pairs(set, &pairs, scatter);
    free(measured);
    free(groups.of);
    return gw_writers_close(status, out, scatter);
}
