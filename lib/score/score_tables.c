// SPDX-License-Identifier: MIT
// Writes reasons and profiles as tables, a row for each allele.
#include "score/score_run.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static gw_status write_names(const char *path, const gw_config *config) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    gw_string text = {0};
    gw_string_puts(&text, "index\tprofile\n");
    for (int64_t i = 0; i < config->labels; i++) {
        gw_string_printf(&text, "%lld\t", (long long)i);
        gw_string_put_field(&text, config->label_names ? config->label_names[i] : ".");
        gw_string_putc(&text, '\n');
    }
    gw_status status = gw_string_status(&text);
    if (status == GW_OK) status = gw_writer_write(out, text.data, text.length);
    gw_string_free(&text);
    return gw_writers_close(status, out, NULL);
}

static gw_status open_profiles(gw_score_tables *tables, const char *path, const gw_config *config) {
    const size_t length = strlen(path);
    const bool suffix = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    const int stem = (int)(suffix ? length - 4 : length);
    tables->rows_path = gw_strprintf("%.*s.rows.tsv", stem, path);
    tables->names_path = gw_strprintf("%.*s.profiles.tsv", stem, path);
    if (!tables->rows_path || !tables->names_path) return GW_ERR_MEMORY;
    GW_TRY(gw_npy_open(&tables->profiles, path, 2, config->labels));
    GW_TRY(write_names(tables->names_path, config));
    GW_TRY(gw_writer_open(tables->rows_path, &tables->rows));
    return gw_writer_printf(tables->rows, "row\tcontig\tposition\tid\tref\talt\tstatus\n");
}

gw_status gw_score_tables_open(gw_score_tables *tables, const gw_score_options *options, const gw_config *config,
                               const gw_unread_variants *unread) {
    *tables = (gw_score_tables){0};
    if (options->reasons) {
        GW_TRY(gw_writer_open(options->reasons, &tables->reasons));
        GW_TRY(gw_writer_printf(tables->reasons, "contig\tposition\tid\tref\talt\treason\n"));
        for (int64_t i = 0; i < unread->count; i++)
            GW_TRY(gw_writer_printf(tables->reasons, ".\t.\t%s\t.\t.\tUNREAD: %s\n", unread->items[i].text,
                                    unread->items[i].reason));
    }
    return options->profiles ? open_profiles(tables, options->profiles, config) : GW_OK;
}

static gw_status write_allele(gw_text_writer *out, const gw_vcf_record *record, int alt, gw_allele_status status) {
    return gw_writer_printf(out, "%s\t%lld\t%s\t%s\t%s\t%s\n", record->contig, (long long)record->position + 1,
                            record->id, record->ref, alt < 0 ? "." : record->alt[alt], gw_allele_status_name(status));
}

gw_status gw_score_tables_add(gw_score_tables *tables, const gw_vcf_record *record, int alt, gw_allele_status status,
                              const float *raw) {
    if (tables->reasons && !gw_allele_is_scored(status)) GW_TRY(write_allele(tables->reasons, record, alt, status));
    if (!tables->rows || alt < 0) return GW_OK;
    GW_TRY(gw_writer_printf(tables->rows, "%lld\t", (long long)tables->alleles++));
    GW_TRY(write_allele(tables->rows, record, alt, status));
    return gw_npy_add(&tables->profiles, raw);
}

static void release(gw_score_tables *tables) {
    free(tables->rows_path);
    free(tables->names_path);
    *tables = (gw_score_tables){0};
}

gw_status gw_score_tables_close(gw_score_tables *tables) {
    gw_status status = GW_OK;
    if (tables->reasons) status = gw_writer_close(tables->reasons);
    tables->reasons = NULL;
    if (status == GW_OK && tables->rows) {
        status = gw_writer_close(tables->rows);
        tables->rows = NULL;
        if (status == GW_OK) status = gw_npy_close(&tables->profiles);
    }
    if (status != GW_OK) gw_score_tables_abandon(tables);
    else release(tables);
    return status;
}

void gw_score_tables_abandon(gw_score_tables *tables) {
    gw_writer_abandon(tables->reasons);
    gw_writer_abandon(tables->rows);
    gw_npy_abandon(&tables->profiles);
    release(tables);
}
