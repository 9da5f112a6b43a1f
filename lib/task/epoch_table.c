// SPDX-License-Identifier: MIT
// Columns of fixed width; those of validation are left out where there is none, and the median where there is one
// label.
#include "task/epoch_table.h"

#include "base/log.h"
#include "base/string.h"

#include <math.h>
#include <stdio.h>

static void put_heading_of_texts(const gw_epoch *epoch) {
    gw_string line = {0};
    gw_string_puts(&line, " epoch     steps  train loss");
    for (int f = 0; epoch->validated && f < GW_FIGURES; f++)
        if (!isnan(epoch->figures.of[f])) gw_string_printf(&line, "%10s", f == 0 ? "valid" : gw_figure_names[f]);
    gw_string_printf(&line, "    time    left%s", epoch->validated ? "  (* best so far)" : "");
    if (!line.failed) gw_note("%s", line.data);
    gw_string_free(&line);
}

static void put_heading(gw_epoch_table *table, const gw_epoch *epoch) {
    table->begun = true;
    if (epoch->texts) {
        put_heading_of_texts(epoch);
        return;
    }
    const char *median = epoch->labels > 1 ? "  median" : "";
    if (!epoch->validated) gw_note(" epoch     steps  train loss    time    left");
    else
        gw_note(" epoch     steps  train loss  valid loss   AUROC%s   AUPRC      F1    time    left  (* best so far)",
                median);
}

static void put_figures(const gw_judgement *valid, int64_t labels, gw_string *line) {
    gw_string_printf(line, "%12.4f%8.4f", valid->loss, valid->summary.mean.auroc);
    if (labels > 1) gw_string_printf(line, "%8.4f", valid->summary.median.auroc);
    gw_string_printf(line, "%8.4f%8.4f", valid->summary.mean.auprc, valid->summary.mean.f1);
}

static void put_figures_of_texts(const gw_text_figures *figures, gw_string *line) {
    for (int f = 0; f < GW_FIGURES; f++)
        if (!isnan(figures->of[f])) gw_string_printf(line, "%10.4f", figures->of[f]);
}

void gw_epoch_table_begin(gw_epoch_table *table, const gw_epoch *epoch, const gw_epoch_baseline *baseline) {
    gw_string line = {0};
    char head[64];
    if (table->begun) return;
    put_heading(table, epoch);
    const int used = snprintf(head, sizeof head, "%s", baseline->name);
    if (baseline->error > 0)
        snprintf(head + used, sizeof head - (size_t)used, " (%s +/- %.4f)", baseline->figure, baseline->error);
    gw_string_printf(&line, "%-28s", head);
    if (baseline->windows) put_figures(baseline->windows, epoch->labels, &line);
    else put_figures_of_texts(baseline->texts, &line);
    if (!line.failed) gw_note("%s", line.data);
    gw_string_free(&line);
}

void gw_epoch_table_add(gw_epoch_table *table, const gw_epoch *epoch) {
    gw_string line = {0};
    char passed[GW_DURATION_SIZE], left[GW_DURATION_SIZE];
    if (!table->begun) put_heading(table, epoch);
    gw_duration_text(epoch->seconds, passed);
    gw_duration_text(epoch->left, left);
    gw_string_printf(&line, "%6.4g%10lld%12.4f", epoch->number, (long long)epoch->steps, epoch->train_loss);
    if (epoch->validated && epoch->texts) put_figures_of_texts(&epoch->figures, &line);
    if (epoch->validated && !epoch->texts) put_figures(&epoch->valid, epoch->labels, &line);
    gw_string_printf(&line, "%8s%8s%s", passed, left, epoch->validated && epoch->better ? "  *" : "");
    if (!line.failed) gw_note("%s", line.data);
    gw_string_free(&line);
}
