// SPDX-License-Identifier: MIT
// Evaluates models on a labelled set: predicts the examples of a split, and computes metrics of each label, of groups
// of targets, and of all. Labels are probabilities, or numbers with a separate table.
#include "task/windows/evaluate_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"
#include "file/table_writer.h"
#include "task/windows/predict.h"
#include "task/windows/window_metrics.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- groups of targets

// Targets of a profile set that belong together, such as transcription factors and histone marks.
typedef struct {
    char **names; // [count]
    int64_t count, capacity;
    int64_t *group; // [targets of the set]; -1: none
} target_groups;

static const struct {
    const char *name;
    int64_t end; // behind its last target
} DEEPSEA[] = {{"DHS", 125}, {"TF", 815}, {"HM", 919}};
enum { DEEPSEA_GROUPS = sizeof DEEPSEA / sizeof DEEPSEA[0] };

// The number of a group, which is made where it is new.
static gw_status find_group(target_groups *groups, const char *name, int64_t *out) {
    for (*out = 0; *out < groups->count; ++*out)
        if (strcmp(groups->names[*out], name) == 0) return GW_OK;
    GW_TRY(gw_reserve(&groups->names, &groups->capacity, groups->count + 1, sizeof *groups->names));
    groups->names[groups->count] = gw_strdup(name);
    return groups->names[groups->count++] ? GW_OK : GW_ERR_MEMORY;
}

static gw_status deal_deepsea(const gw_labelled_set *set, target_groups *groups) {
    const int64_t labels = gw_labelled_set_labels(set), all = DEEPSEA[DEEPSEA_GROUPS - 1].end;
    if (labels != all)
        return gw_fail(GW_ERR_MISMATCH, "the groups of DeepSEA are of %lld targets, the set has %lld", (long long)all,
                       (long long)labels);
    for (int64_t g = 0, l = 0; g < DEEPSEA_GROUPS; g++) {
        int64_t group;
        GW_TRY(find_group(groups, DEEPSEA[g].name, &group));
        for (; l < DEEPSEA[g].end; l++) groups->group[l] = group;
    }
    return GW_OK;
}

// The target that a line means: the next one, where it has the name; otherwise the first of that name without a group.
static int64_t find_target(const gw_labelled_set *set, const target_groups *groups, const char *name, int64_t next) {
    const int64_t labels = gw_labelled_set_labels(set);
    if (next < labels && strcmp(gw_labelled_set_label_name(set, next), name) == 0) return next;
    for (int64_t l = 0; l < labels; l++)
        if (groups->group[l] < 0 && strcmp(gw_labelled_set_label_name(set, l), name) == 0) return l;
    return -1;
}

static gw_status read_lines(gw_line_reader *in, const gw_labelled_set *set, target_groups *groups) {
    char *line, *fields[3];
    int64_t length, next = 0;
    for (;;) {
        GW_TRY(gw_lines_next(in, &line, &length));
        if (!line) return GW_OK;
        if (length == 0 || line[0] == '#') continue;
        if (gw_split(line, '\t', fields, 3) != 2 || !fields[0][0] || !fields[1][0])
            return gw_lines_fail(in, GW_ERR_FORMAT, "expected a target and its group, joined by a tab");
        const int64_t target = find_target(set, groups, fields[0], next);
        if (target < 0)
            return gw_lines_fail(in, GW_ERR_MISMATCH, "the set has no target '%s', or no further one of that name",
                                 fields[0]);
        GW_TRY(find_group(groups, fields[1], &groups->group[target]));
        next = target + 1;
    }
}

// "deepsea": the 919 targets of DeepSEA in their order, which are known by it alone, since names recur. Otherwise a
// file of two columns joined by a tab: target, group; a line for each target in the set's order, or, where no name
// recurs, of any of them in any order. A target that the set lacks is an error.
static gw_status read_groups(const char *what, const gw_labelled_set *set, target_groups *out) {
    const int64_t labels = gw_labelled_set_labels(set);
    *out = (target_groups){.group = gw_alloc(labels, sizeof *out->group)};
    if (!out->group) return GW_ERR_MEMORY;
    for (int64_t l = 0; l < labels; l++) out->group[l] = -1;
    if (strcmp(what, "deepsea") == 0) return deal_deepsea(set, out);
    gw_line_reader *in;
    int64_t without = 0;
    GW_TRY(gw_lines_open(what, &in));
    const gw_status status = read_lines(in, set, out);
    gw_lines_close(in);
    for (int64_t l = 0; l < labels; l++) without += out->group[l] < 0;
    if (status == GW_OK && without > 0) gw_warn("%s: %lld targets are in no group", what, (long long)without);
    return status;
}

enum { COMMON = 10 };              // positives of a target that counts for mean_10 and median_10
static const double APART = 0.005; // of a curve's points

// --- probabilities

static void add_metrics(gw_columns *columns) {
    static const char *const names[] = {"accuracy", "F1", "MCC", "AUROC", "AUPRC"};
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "n");
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "positives");
    for (int f = 0; f < 5; f++) gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.6f", "%s", names[f]);
}

// The rest of a row.
static gw_status write_metrics(gw_table_writer *out, const gw_metric *m) {
    const double metrics[] = {m->accuracy, m->f1, m->mcc, m->auroc, m->auprc};
    gw_cell_integer(out, m->count);
    gw_cell_integer(out, m->positives);
    for (int f = 0; f < 5; f++) gw_cell_real(out, metrics[f]);
    return gw_row_end(out);
}

static gw_status write_scope(gw_table_writer *out, const char *scope, int64_t targets, const gw_metric *m) {
    gw_cell_text(out, scope);
    gw_cell_integer(out, targets);
    return write_metrics(out, m);
}

static gw_status write_group(gw_table_writer *out, const target_groups *groups, int64_t group, const gw_metric *metrics,
                             gw_metric *own, int64_t labels) {
    gw_metric_summary summary;
    int64_t count = 0;
    for (int64_t l = 0; l < labels; l++)
        if (groups->group[l] == group) own[count++] = metrics[l];
    GW_TRY(gw_metric_summarise(own, count, 0, &summary));
    for (int median = 0; median < 2; median++) {
        gw_cell_printf(out, "%s:%s", median ? "median" : "mean", groups->names[group]);
        gw_cell_integer(out, summary.targets);
        GW_TRY(write_metrics(out, median ? &summary.median : &summary.mean));
    }
    return GW_OK;
}

static gw_status write_summary(const gw_labelled_set *set, const gw_metric *metrics, const target_groups *groups,
                               gw_table_writer *out) {
    const int64_t labels = gw_labelled_set_labels(set);
    if (labels == 1) return write_scope(out, gw_labelled_set_label_name(set, 0), 1, &metrics[0]);
    gw_metric_summary all, common;
    GW_TRY(gw_metric_summarise(metrics, labels, 0, &all));
    GW_TRY(gw_metric_summarise(metrics, labels, COMMON, &common));
    GW_TRY(write_scope(out, "mean", all.targets, &all.mean));
    GW_TRY(write_scope(out, "median", all.targets, &all.median));
    GW_TRY(write_scope(out, "mean_10", common.targets, &common.mean));
    GW_TRY(write_scope(out, "median_10", common.targets, &common.median));
    gw_metric *own = gw_alloc(labels, sizeof *own);
    if (!own) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (int64_t g = 0; status == GW_OK && g < groups->count; g++)
        status = write_group(out, groups, g, metrics, own, labels);
    free(own);
    return status;
}

static gw_status write_targets(const gw_labelled_set *set, const gw_metric *metrics, const char *path) {
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_status status = GW_OK;
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "target");
    add_metrics(&columns);
    GW_TRY(gw_table_writer_open(path, &columns, "NA", &out));
    for (int64_t l = 0; status == GW_OK && l < gw_labelled_set_labels(set); l++) {
        gw_cell_text(out, gw_labelled_set_label_name(set, l));
        status = write_metrics(out, &metrics[l]);
    }
    return gw_table_writer_end(status, out);
}

static gw_status write_curves(const gw_labelled_set *set, const float *values, const float *probabilities,
                              const char *path) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_labelled_set_labels(set);
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_status status = GW_OK;
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "target");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.7g", "threshold");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6g", "fpr");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6g", "recall");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6g", "precision");
    GW_TRY(gw_table_writer_open(path, &columns, "nan", &out));
    for (int64_t l = 0; status == GW_OK && l < labels; l++) {
        gw_curve_point *points;
        int64_t found;
        status = gw_metric_curve(probabilities + l, values + l, count, labels, APART, &points, &found);
        if (status != GW_OK) break;
        for (int64_t i = 0; status == GW_OK && i < found; i++) {
            gw_cell_text(out, gw_labelled_set_label_name(set, l));
            gw_cell_real(out, points[i].threshold);
            gw_cell_real(out, points[i].fpr);
            gw_cell_real(out, points[i].recall);
            gw_cell_real(out, points[i].precision);
            status = gw_row_end(out);
        }
        free(points);
    }
    return gw_table_writer_end(status, out);
}

static gw_status name_constant_targets(const gw_labelled_set *set, const gw_metric *metrics) {
    gw_string names = {0};
    int64_t constant = 0;
    for (int64_t l = 0; l < gw_labelled_set_labels(set); l++) {
        if (!metrics[l].constant) continue;
        constant++;
        gw_string_printf(&names, " %s", gw_labelled_set_label_name(set, l));
    }
    const gw_status status = gw_string_status(&names);
    if (constant > 0 && status == GW_OK)
        gw_note("%lld targets are constant in this set and were left out of AUROC, AUPRC and the summary:%s",
                (long long)constant, names.data);
    gw_string_free(&names);
    return status;
}

// probabilities [examples][labels]
static gw_status report_probabilities(const gw_labelled_set *set, const float *probabilities,
                                      const target_groups *groups, const gw_eval_options *options) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_labelled_set_labels(set);
    gw_metric *metrics = gw_alloc(labels, sizeof *metrics);
    float *values = gw_labelled_set_all_values(set);
    gw_columns columns = {0};
    gw_table_writer *out = NULL;
    gw_status status = metrics && values ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; status == GW_OK && l < labels; l++)
        status = gw_metric_compute(probabilities + l, values + l, count, labels, &metrics[l]);
    if (status == GW_OK) status = name_constant_targets(set, metrics);
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "scope");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "targets");
    add_metrics(&columns);
    if (status == GW_OK) status = gw_table_writer_open(options->in.output, &columns, "NA", &out);
    if (status == GW_OK) status = gw_table_writer_end(write_summary(set, metrics, groups, out), out);
    gw_columns_free(&columns);
    if (status == GW_OK && options->per_target) status = write_targets(set, metrics, options->per_target);
    if (status == GW_OK && options->curves) status = write_curves(set, values, probabilities, options->curves);
    free(values);
    free(metrics);
    return status;
}

// --- numbers

enum { SAMPLES = 1000 };

typedef struct {
    const char *text;
    int64_t row;
} grouped_row;

static int by_text(const void *a, const void *b) {
    return strcmp(((const grouped_row *)a)->text, ((const grouped_row *)b)->text);
}

// Rows with the same text are a group.
static gw_status group_rows(const gw_labelled_set *set, gw_row_groups *out) {
    const int64_t rows = gw_labelled_set_count(set);
    *out = (gw_row_groups){.of = gw_alloc(rows, sizeof *out->of)};
    grouped_row *sorted = gw_alloc(rows, sizeof *sorted);
    const gw_status status = out->of && sorted ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        for (int64_t i = 0; i < rows; i++) sorted[i] = (grouped_row){gw_labelled_set_group(set, i), i};
        qsort(sorted, (size_t)rows, sizeof *sorted, by_text);
        for (int64_t i = 0; i < rows; i++) {
            out->count += i == 0 || by_text(&sorted[i - 1], &sorted[i]) != 0;
            out->of[sorted[i].row] = (int32_t)(out->count - 1);
        }
    }
    free(sorted);
    return status;
}

static void add_interval(gw_columns *columns, const char *metric) {
    gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.6f", "%s", metric);
    gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.6f", "%s_low", metric);
    gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.6f", "%s_high", metric);
}

static gw_status open_agreement(const char *path, bool grouped, gw_table_writer **out) {
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "label");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "n");
    add_interval(&columns, "pearson");
    add_interval(&columns, "spearman");
    add_interval(&columns, "r2");
    if (grouped) {
        gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "groups");
        gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "lone");
        gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "large");
        add_interval(&columns, "within");
        add_interval(&columns, "median");
    }
    return gw_table_writer_open(path, &columns, "NA", out);
}

static void write_interval(gw_table_writer *out, gw_interval interval) {
    gw_cell_real(out, interval.value);
    gw_cell_real(out, interval.low);
    gw_cell_real(out, interval.high);
}

static gw_status write_row(gw_table_writer *out, const char *name, const gw_agreement *a, bool grouped) {
    gw_cell_text(out, name);
    gw_cell_integer(out, a->count);
    write_interval(out, a->pearson);
    write_interval(out, a->spearman);
    write_interval(out, a->r2);
    if (grouped) {
        gw_cell_integer(out, a->groups);
        gw_cell_integer(out, a->lone);
        gw_cell_integer(out, a->large);
        write_interval(out, a->within);
        write_interval(out, a->median);
    }
    return gw_row_end(out);
}

// What stands behind a metric that is NA, or weaker than it looks.
static gw_status check_column(const char *name, const gw_agreement *a, const char *within) {
    if (a->count == 0) {
        gw_warn("the column of '%s' has no number", name);
        return GW_OK;
    }
    if (isnan(a->r2.value)) gw_warn("the numbers of '%s' are all the same: correlations and R^2 are undefined", name);
    if (a->groups == 0) return GW_OK;
    if (a->groups == a->count)
        return gw_fail(GW_ERR_MISMATCH,
                       "--within %s: each of the %lld rows is a group of its own, in which nothing can be compared",
                       within, (long long)a->count);
    if (a->lone > 0)
        gw_note("%s: %lld of %lld groups by '%s' have one row, and a group of one row cannot be compared within", name,
                (long long)a->lone, (long long)a->groups, within);
    return GW_OK;
}

static gw_status write_table(const gw_config *config, const gw_labelled_set *set, const gw_column_pairs *pairs,
                             const char *within, gw_table_writer *out) {
    int64_t numbers = 0;
    for (int64_t i = 0; i < pairs->examples * pairs->labels; i++) numbers += !isnan(pairs->measured[i]);
    if (numbers == 0) return gw_fail(GW_ERR_RANGE, "no column that the model knows has a number");
    for (int64_t c = 0; c < config->labels; c++) {
        const char *name = gw_labelled_set_label_name(set, c);
        gw_agreement agreement;
        GW_TRY(gw_agreement_of_column(pairs, c, &agreement));
        GW_TRY(check_column(name, &agreement, within));
        GW_TRY(write_row(out, name, &agreement, pairs->groups != NULL));
    }
    return GW_OK;
}

static gw_status write_pairs(const gw_labelled_set *set, const gw_column_pairs *pairs, const char *path) {
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_status status = GW_OK;
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "label");
    gw_columns_add(&columns, GW_COLUMN_FLOAT, "%.7g", "measured");
    gw_columns_add(&columns, GW_COLUMN_FLOAT, "%.7g", "predicted");
    gw_labelled_set_columns(set, &columns);
    GW_TRY(gw_table_writer_open(path, &columns, "nan", &out));
    for (int64_t i = 0; status == GW_OK && i < pairs->examples * pairs->labels; i++) {
        if (isnan(pairs->measured[i])) continue;
        gw_cell_text(out, gw_labelled_set_label_name(set, i % pairs->labels));
        gw_cell_real(out, (double)pairs->measured[i]);
        gw_cell_real(out, (double)pairs->predicted[i]);
        gw_labelled_set_cells(set, i / pairs->labels, out);
        status = gw_row_end(out);
    }
    return gw_table_writer_end(status, out);
}

// A row for each label, with intervals of 1,000 samples, and a line for each number that is known.
static gw_status report_numbers(const gw_config *config, const gw_labelled_set *set, const float *predicted,
                                const gw_eval_options *options) {
    gw_row_groups groups = {0};
    gw_table_writer *out = NULL;
    float *measured = gw_labelled_set_all_values(set);
    gw_status status = measured ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && options->within) status = group_rows(set, &groups);
    const gw_column_pairs pairs = {.measured = measured,
                                   .predicted = predicted,
                                   .examples = gw_labelled_set_count(set),
                                   .labels = config->labels,
                                   .groups = options->within ? &groups : NULL,
                                   .samples = SAMPLES,
                                   .seed = options->seed};
    if (status == GW_OK) status = open_agreement(options->in.output, pairs.groups != NULL, &out);
    if (status == GW_OK) status = write_table(config, set, &pairs, options->within, out);
    if (status == GW_OK && options->scatter) status = write_pairs(set, &pairs, options->scatter);
    free(measured);
    free(groups.of);
    return gw_table_writer_end(status, out);
}

// --- a set

gw_status gw_check_set_labels(const gw_model *model, const gw_labelled_set *set) {
    const int64_t labels = model->config.labels;
    if (gw_labelled_set_labels(set) != labels)
        return gw_fail(GW_ERR_MISMATCH, "the set has %lld labels, the model %lld",
                       (long long)gw_labelled_set_labels(set), (long long)labels);
    for (int64_t l = 0; labels > 1 && model->config.label_names && l < labels; l++)
        if (strcmp(model->config.label_names[l], gw_labelled_set_label_name(set, l)) != 0)
            return gw_fail(GW_ERR_MISMATCH, "label %lld is %s in the set and %s in the model", (long long)l + 1,
                           gw_labelled_set_label_name(set, l), model->config.label_names[l]);
    return GW_OK;
}

gw_status gw_drop_seen(gw_labelled_set *set, const gw_eval_options *options, gw_genome *genome) {
    if (options->without.count == 0) return GW_OK;
    gw_labelled_set *seen = NULL;
    int64_t dropped = 0;
    const gw_labelled_options every = {.genome = genome};
    GW_TRY(gw_labelled_set_open(options->without.items, options->without.count, &every, &seen));
    gw_status status = gw_labelled_set_drop_shared(set, seen, &dropped);
    gw_labelled_set_close(seen);
    if (status == GW_OK)
        gw_note("%lld examples also occur in the sets given by --without and were left out", (long long)dropped);
    if (status == GW_OK && gw_labelled_set_count(set) == 0) status = gw_fail(GW_ERR_RANGE, "no example is left");
    return status;
}

// Options that are of probabilities alone, and of numbers alone.
static gw_status check_options(const gw_config *config, const gw_eval_options *options) {
    if (options->baselines.count > 0)
        return gw_fail(GW_ERR_USAGE, "--baseline goes with token shards, %s is a set", options->in.sets.items[0]);
    const bool numbers = gw_config_has_numbers(config);
    if (numbers && (options->groups || options->curves || options->per_target || options->negatives.count > 0))
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "the model's labels are numbers: --groups, --curves, --per-target and --negatives-fasta need "
                       "probabilities");
    if (!numbers && (options->within || options->missing || options->scatter || options->tracks.count > 0))
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "--within, --scatter, --track and --missing need a model whose labels are numbers");
    return GW_OK;
}

gw_status gw_eval_set(gw_model *const *models, int count, const gw_eval_options *options) {
    gw_model *model = models[0];
    target_groups groups = {0};
    gw_ensemble ensemble = {0};
    gw_genome *genome = NULL;
    gw_labelled_set *set = NULL;
    float *probabilities = NULL;
    const gw_config *config = &model->config;
    const bool numbers = gw_config_has_numbers(config);
    gw_labelled_options read = {.numbers = numbers,
                                .split = options->split ? options->split : "test",
                                .split_required = options->split != NULL,
                                .negatives = options->negatives.items,
                                .negative_count = options->negatives.count,
                                .missing = options->missing,
                                .tracks = options->tracks.items,
                                .track_count = options->tracks.count,
                                .group = options->within};
    // numbers are of signals, of the columns that are asked for, or of those that the model's labels are called
    const gw_string_list *asked = &options->in.texts.label;
    if (numbers) read.labels = asked->count > 0 ? asked->items : (const char *const *)config->label_names;
    if (numbers && options->tracks.count == 0)
        read.label_count = asked->count > 0 ? asked->count : config->label_names ? (int)config->labels : 0;
    gw_status status = check_options(config, options);
    if (status == GW_OK && options->in.fasta) status = gw_genome_open(options->in.fasta, &genome);
    read.genome = genome;
    if (status == GW_OK) status = gw_labelled_set_open(options->in.sets.items, options->in.sets.count, &read, &set);
    // columns that are asked for stand in the model's order, whatever they are called
    const int columns = numbers ? asked->count : 0;
    if (status == GW_OK && columns == 0) status = gw_check_set_labels(model, set);
    else if (status == GW_OK && columns != config->labels)
        status = gw_fail(GW_ERR_MISMATCH, "%d columns of numbers (--label), the model has %lld", columns,
                         (long long)config->labels);
    if (status == GW_OK) status = gw_check_set_windows(model, set);
    if (status == GW_OK && options->groups) status = read_groups(options->groups, set, &groups);
    if (status == GW_OK) status = gw_drop_seen(set, options, genome);
    if (status == GW_OK) {
        probabilities = gw_alloc(gw_labelled_set_count(set) * config->labels, sizeof *probabilities);
        status = probabilities ? GW_OK : GW_ERR_MEMORY;
    }
    if (status == GW_OK) status = gw_ensemble_open(models, count, &options->in, &ensemble);
    if (status == GW_OK) status = gw_predict_set(&ensemble, set, "predict", probabilities);
    for (int m = 0; status == GW_OK && m < count; m++)
        gw_network_note_metrics(gw_label_predictor_network(ensemble.items[m]));
    gw_ensemble_close(&ensemble);
    if (status == GW_OK)
        status = numbers ? report_numbers(config, set, probabilities, options)
                         : report_probabilities(set, probabilities, &groups, options);
    free(probabilities);
    for (int64_t g = 0; g < groups.count; g++) free(groups.names[g]);
    free(groups.names);
    free(groups.group);
    gw_labelled_set_close(set);
    gw_genome_close(genome);
    return status;
}
