// SPDX-License-Identifier: MIT
// Reads record by record behind the bases that are there already; a record that is not wanted is taken off again.
#include "label/labelled_source.h"

#include "base/log.h"
#include "base/memory.h"
#include "label/seen_windows.h"
#include "label/split.h"
#include "seq/genome/fasta_stream.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; // bases read at a time

typedef struct {
    gw_fasta *fasta;
    const gw_labelled_options *options;
    gw_labelled_source *part;
    const char *name; // of the record
    int64_t most, records, bases;
    int64_t base_capacity, start_capacity, name_capacity, row_capacity;
} fasta_reader;

static gw_status check_length(const fasta_reader *r, int64_t length) {
    const char *path = gw_fasta_path(r->fasta);
    if (length == 0) return gw_fail(GW_ERR_FORMAT, "%s: record '%s' has no bases", path, r->name);
    if (r->most == 0 || length <= r->most) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "%s: record '%s' is longer than the %lld bp that fit the model; of a genome, name regions", path,
                   r->name, (long long)r->most);
}

static gw_status check_letters(const fasta_reader *r, const char *bases, int64_t length, int64_t before) {
    for (int64_t i = 0; i < length; i++)
        if (!strchr("ACGTUNRYSWKMBDHVX", bases[i] & ~32) && bases[i] != '-')
            return gw_fail(GW_ERR_FORMAT, "%s: record '%s': '%c' at base %lld stands for no nucleotide",
                           gw_fasta_path(r->fasta), r->name, bases[i], (long long)(before + i + 1));
    return GW_OK;
}

// Appends the bases of the record; *length is their number.
static gw_status read_bases(fasta_reader *r, int64_t *length) {
    gw_labelled_source *part = r->part;
    int64_t count = 1;
    for (*length = 0; count > 0; *length += count) {
        GW_TRY(gw_reserve(&part->bases, &r->base_capacity, r->bases + *length + PIECE, 1));
        char *to = part->bases + r->bases + *length;
        GW_TRY(gw_fasta_read(r->fasta, to, PIECE, &count));
        GW_TRY(check_letters(r, to, count, *length));
        if (count > 0) GW_TRY(check_length(r, *length + count));
    }
    GW_TRY(check_length(r, *length));
    gw_normalise_bases(part->bases + r->bases, *length);
    return GW_OK;
}

// A tenth of all sequences validates, drawn by their letters: equal ones stay together.
static bool is_wanted(const fasta_reader *r, int64_t length) {
    enum { TENTH = 10 };
    if (!r->options->tenth) return true;
    const bool valid = gw_hash_bases(r->part->bases + r->bases, length) % TENTH == 0;
    return gw_split_wanted(r->options, gw_split_names[valid ? GW_SPLIT_VALID : GW_SPLIT_TRAIN]);
}

static gw_status take_record(fasta_reader *r) {
    gw_labelled_source *part = r->part;
    int64_t length;
    r->records++;
    GW_TRY(read_bases(r, &length));
    if (!is_wanted(r, length)) return GW_OK;
    GW_TRY(gw_reserve(&part->base_start, &r->start_capacity, part->count + 2, sizeof *part->base_start));
    GW_TRY(gw_reserve(&part->names, &r->name_capacity, part->count + 1, sizeof *part->names));
    GW_TRY(gw_reserve(&part->row, &r->row_capacity, part->count + 1, sizeof *part->row));
    part->names[part->count] = gw_strdup(r->name);
    if (!part->names[part->count]) return GW_ERR_MEMORY;
    part->row[part->count] = r->records;
    part->base_start[part->count++] = r->bases;
    r->bases += length;
    part->base_start[part->count] = r->bases;
    return GW_OK;
}

static gw_status read_records(fasta_reader *r) {
    for (;;) {
        GW_TRY(gw_fasta_next(r->fasta, &r->name));
        if (!r->name) return GW_OK;
        GW_TRY(take_record(r));
        if (r->records % 4096 == 0) GW_TRY(gw_check_interrupt());
    }
}

static gw_status add_label(gw_labelled_source *part, float value) {
    part->label_names = gw_alloc(1, sizeof *part->label_names);
    part->values = gw_alloc(part->count + 1, sizeof *part->values);
    if (!part->label_names || !part->values) return GW_ERR_MEMORY;
    part->label_names[0] = gw_strdup("positive");
    if (!part->label_names[0]) return GW_ERR_MEMORY;
    part->labels = 1;
    for (int64_t i = 0; i < part->count; i++) part->values[i] = value;
    return GW_OK;
}

gw_status gw_labelled_fasta_read(const char *path, const gw_labelled_options *options, gw_fasta_label label,
                                 int64_t most, gw_labelled_source *part) {
    *part = (gw_labelled_source){.tss_offset = -1};
    fasta_reader r = {.options = options, .part = part, .most = most};
    if (!options->tenth) GW_TRY(gw_no_splits(options, path));
    GW_TRY(gw_fasta_open(path, &r.fasta));
    gw_fasta_take_repeats(r.fasta);
    gw_status status = read_records(&r);
    gw_fasta_close(r.fasta);
    if (status == GW_OK && label != GW_UNLABELLED) status = add_label(part, label == GW_POSITIVES ? 1 : 0);
    if (status != GW_OK) gw_labelled_source_free(part);
    return status;
}
