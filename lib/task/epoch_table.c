// SPDX-License-Identifier: MIT
// Columns of fixed width; those of validation are left out where there is none.
#include "task/kind.h"

#include "base/log.h"
#include "base/string.h"

#include <stdio.h>

void gw_epoch_column_add(gw_epoch_columns *columns, const char *name, int width, double value) {
    columns->of[columns->count].name = name;
    columns->of[columns->count].width = width;
    columns->of[columns->count++].value = value;
}

// Notes the line, and frees it.
static void put_line(gw_string *line) {
    if (!line->failed) gw_note("%s", line->data);
    gw_string_free(line);
}

static void put_heading(gw_epoch_table *table, const gw_epoch *epoch) {
    gw_string line = {0};
    table->begun = true;
    gw_string_puts(&line, " epoch     steps  train loss");
    for (int c = 0; c < epoch->valid.count; c++)
        gw_string_printf(&line, "%*s", epoch->valid.of[c].width, epoch->valid.of[c].name);
    gw_string_printf(&line, "    time    left%s", epoch->validated ? "  (* best so far)" : "");
    put_line(&line);
}

static void put_columns(const gw_epoch_columns *columns, gw_string *line) {
    for (int c = 0; c < columns->count; c++)
        gw_string_printf(line, "%*.4f", columns->of[c].width, columns->of[c].value);
}

void gw_epoch_table_begin(gw_epoch_table *table, const gw_epoch *epoch, const gw_epoch_baseline *baseline) {
    gw_string line = {0};
    char head[64];
    if (table->begun) return;
    put_heading(table, epoch);
    const int used = snprintf(head, sizeof head, "%s", baseline->name);
    if (baseline->error > 0)
        snprintf(head + used, sizeof head - (size_t)used, " (%s +/- %.4f)", baseline->metric, baseline->error);
    gw_string_printf(&line, "%-28s", head);
    put_columns(&baseline->valid, &line);
    put_line(&line);
}

void gw_epoch_table_add(gw_epoch_table *table, const gw_epoch *epoch) {
    gw_string line = {0};
    char passed[GW_DURATION_SIZE], left[GW_DURATION_SIZE];
    if (!table->begun) put_heading(table, epoch);
    gw_duration_text(epoch->seconds, passed);
    gw_duration_text(epoch->left, left);
    gw_string_printf(&line, "%6.4g%10lld%12.4f", epoch->number, (long long)epoch->steps, epoch->train_loss);
    put_columns(&epoch->valid, &line);
    gw_string_printf(&line, "%8s%8s%s", passed, left, epoch->validated && epoch->better ? "  *" : "");
    put_line(&line);
}
