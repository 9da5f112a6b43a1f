// SPDX-License-Identifier: MIT
// Lifts BED files row by row: finds the chain for a row's blocks, maps them, and writes the row or the reason.
#include "seq/lift/lift_bed.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/genome/regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Columns of BED, from 0.
enum { CONTIG, BEGIN, END, STRAND = 5, THICK_BEGIN = 6, THICK_END, BLOCKS = 9, SIZES, STARTS };

typedef struct {
    const gw_chains *chains;
    const gw_lift_bed_options *options;
    gw_lift_counts *counts;
    gw_line_reader *lines;
    gw_text_writer *output, *unlifted;
    gw_string original, row; // the line as read, and as written
    gw_chain_list found;
    gw_span *spans; // of the row: its blocks, or itself
    int64_t span_count, span_capacity;
    gw_span *moved; // the spans on the target
    int64_t moved_capacity;
} bed_lifter;

// "3,5,8," into numbers[count].
static gw_status read_list(char *text, int64_t count, const char *column, int64_t *numbers) {
    for (int64_t i = 0; i < count; i++) {
        char *one = strsep(&text, ",");
        if (!one || !one[0]) return gw_fail(GW_ERR_FORMAT, "%s: expected %" PRId64 " numbers", column, count);
        if (gw_parse_int(one, 0, INT64_MAX / 4, &numbers[i]) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "%s", column);
    }
    if (text && text[0]) return gw_fail(GW_ERR_FORMAT, "%s: expected %" PRId64 " numbers", column, count);
    return GW_OK;
}

static gw_status read_blocks(bed_lifter *l, const gw_bed_row *row) {
    enum { MOST = 1 << 20 };
    int64_t count;
    if (gw_parse_int(row->columns[BLOCKS], 1, MOST, &count) != GW_OK)
        return gw_fail_in(GW_ERR_FORMAT, "column 10, the number of blocks");
    GW_TRY(gw_reserve(&l->spans, &l->span_capacity, count, sizeof *l->spans));
    int64_t *numbers = gw_alloc(2 * count, sizeof *numbers);
    if (!numbers) return GW_ERR_MEMORY;
    gw_status status = read_list(row->columns[SIZES], count, "column 11, the sizes of blocks", numbers);
    if (status == GW_OK)
        status = read_list(row->columns[STARTS], count, "column 12, the starts of blocks", numbers + count);
    for (int64_t i = 0; i < count && status == GW_OK; i++) {
        l->spans[i].begin = row->begin + numbers[count + i];
        l->spans[i].end = l->spans[i].begin + numbers[i];
    }
    l->span_count = count;
    free(numbers);
    if (status != GW_OK) return status;
    const gw_span *spans = l->spans;
    bool in_order = spans[0].begin == row->begin && spans[count - 1].end == row->end;
    for (int64_t i = 0; i < count && in_order; i++)
        in_order = spans[i].end > spans[i].begin && (i == 0 || spans[i].begin >= spans[i - 1].end);
    if (in_order) return GW_OK;
    return gw_fail(GW_ERR_FORMAT,
                   "the blocks of columns 11 and 12 do not lie in order from the region's start to its end");
}

// The thick part's aligned bases, within the region; an empty one stands at its begin.
static gw_status lift_thick(const bed_lifter *l, const gw_bed_row *row, int64_t chain, gw_span whole, gw_span *thick) {
    if (gw_parse_int(row->columns[THICK_BEGIN], 0, INT64_MAX / 4, &thick->begin) != GW_OK)
        return gw_fail_in(GW_ERR_FORMAT, "column 7, the start of the thick part");
    if (gw_parse_int(row->columns[THICK_END], thick->begin, INT64_MAX / 4, &thick->end) != GW_OK)
        return gw_fail_in(GW_ERR_FORMAT, "column 8, the end of the thick part");
    thick->begin = gw_max(thick->begin, row->begin);
    thick->end = gw_min(thick->end, row->end);
    gw_lifted lifted = {0};
    if (thick->begin < thick->end) lifted = gw_chains_map(l->chains, chain, *thick);
    *thick = lifted.aligned > 0 ? (gw_span){lifted.begin, lifted.end} : (gw_span){whole.begin, whole.begin};
    return GW_OK;
}

static void put_blocks(bed_lifter *l, gw_span whole) {
    gw_string_printf(&l->row, "\t%" PRId64 "\t", l->span_count);
    for (int64_t i = 0; i < l->span_count; i++)
        gw_string_printf(&l->row, "%" PRId64 ",", l->moved[i].end - l->moved[i].begin);
    gw_string_putc(&l->row, '\t');
    for (int64_t i = 0; i < l->span_count; i++)
        gw_string_printf(&l->row, "%" PRId64 ",", l->moved[i].begin - whole.begin);
}

static gw_status put_row(bed_lifter *l, const gw_bed_row *row, int64_t chain, int target, bool reverse, gw_span whole) {
    gw_span thick = {0};
    if (row->count > THICK_END) GW_TRY(lift_thick(l, row, chain, whole, &thick));
    gw_string_clear(&l->row);
    const gw_genome *genome = l->options->genome;
    const char *name = gw_chains_target_name(l->chains, target);
    const int contig = genome ? gw_genome_find(genome, name, gw_chains_target_length(l->chains, target)) : -1;
    gw_string_printf(&l->row, "%s\t%" PRId64 "\t%" PRId64, contig < 0 ? name : gw_genome_name(genome, contig),
                     whole.begin, whole.end);
    for (int i = END + 1; i < row->count; i++) {
        if (i == STRAND && reverse && row->strand != '.')
            gw_string_printf(&l->row, "\t%c", row->strand == '+' ? '-' : '+');
        else if (i == THICK_BEGIN && row->count > THICK_END) gw_string_printf(&l->row, "\t%" PRId64, thick.begin);
        else if (i == THICK_END) gw_string_printf(&l->row, "\t%" PRId64, thick.end);
        else if (i == BLOCKS && row->count > STARTS) put_blocks(l, whole);
        else if ((i != SIZES && i != STARTS) || row->count <= STARTS)
            gw_string_printf(&l->row, "\t%s", row->columns[i]);
    }
    gw_string_putc(&l->row, '\n');
    GW_TRY(gw_string_status(&l->row));
    l->counts->lifted++;
    return gw_writer_write(l->output, l->row.data, l->row.length);
}

static gw_status put_unlifted(bed_lifter *l, const char *reason) {
    return l->unlifted ? gw_writer_printf(l->unlifted, "#%s\n%s\n", reason, l->original.data) : GW_OK;
}

static gw_status put_lifted(bed_lifter *l, const gw_bed_row *row) {
    bool any = false;
    for (int64_t i = 0; i < l->found.count; i++) {
        // Every span is moved by the chain, in the order of the target; each must be aligned well enough.
        gw_lifted last = {0};
        bool fits = true;
        GW_TRY(gw_reserve(&l->moved, &l->moved_capacity, l->span_count, sizeof *l->moved));
        for (int64_t s = 0; s < l->span_count && fits; s++) {
            const gw_span span = l->spans[s];
            last = gw_chains_map(l->chains, l->found.items[i], span);
            fits = last.aligned > 0 && (double)last.aligned >= l->options->min_match * (double)(span.end - span.begin);
            l->moved[last.reverse ? l->span_count - 1 - s : s] = (gw_span){last.begin, last.end};
        }
        if (!fits) continue;
        const gw_span whole = {l->moved[0].begin, l->moved[l->span_count - 1].end};
        GW_TRY(put_row(l, row, l->found.items[i], last.target, last.reverse, whole));
        any = true;
    }
    l->counts->boundaries += !any;
    return any ? GW_OK : put_unlifted(l, "Boundary problem: a block is deleted in new");
}

static gw_status lift_row(bed_lifter *l, char *line) {
    gw_bed_row row;
    GW_TRY(gw_bed_parse(&row, line));
    if (row.count > STARTS) GW_TRY(read_blocks(l, &row));
    else {
        GW_TRY(gw_reserve(&l->spans, &l->span_capacity, 1, sizeof *l->spans));
        l->spans[0] = (gw_span){row.begin, row.end};
        l->span_count = 1;
    }
    l->counts->rows++;
    l->counts->empty += row.begin == row.end;
    const int source = gw_chains_find_source(l->chains, row.contig);
    gw_lift_result result = GW_LIFT_NOCONTIG;
    if (source < 0 && !l->counts->unknown && !(l->counts->unknown = gw_strdup(row.contig))) return GW_ERR_MEMORY;
    if (source >= 0 && row.end > gw_chains_source_length(l->chains, source))
        return gw_fail(GW_ERR_RANGE, "the region ends at %" PRId64 ", but '%s' has %" PRId64 " bp in %s", row.end,
                       row.contig, gw_chains_source_length(l->chains, source), gw_chains_path(l->chains));
    if (source >= 0)
        GW_TRY(
            gw_chains_find(l->chains, source, l->spans, (int)l->span_count, l->options->min_match, &l->found, &result));
    l->counts->results[result]++;
    const bool lifts = result == GW_LIFT_ONE || (result == GW_LIFT_DUPLICATED && l->options->multiple);
    return lifts ? put_lifted(l, &row) : put_unlifted(l, gw_lift_reason(result));
}

static gw_status lift_lines(bed_lifter *l) {
    for (;;) {
        char *line;
        int64_t length;
        GW_TRY(gw_lines_next(l->lines, &line, &length));
        if (!line) return GW_OK;
        GW_TRY(gw_check_interrupt());
        if (gw_bed_is_comment(line)) GW_TRY(gw_writer_printf(l->output, "%s\n", line));
        else {
            gw_string_clear(&l->original);
            gw_string_append(&l->original, line, length);
            GW_TRY(gw_string_status(&l->original));
            const gw_status status = lift_row(l, line);
            if (status != GW_OK)
                return gw_fail_in(status, "%s:%" PRId64, gw_lines_path(l->lines), gw_lines_number(l->lines));
        }
        gw_progress("liftover", l->counts->rows, 0, "regions", NULL);
    }
}

gw_status gw_lift_bed(const gw_chains *chains, const gw_lift_bed_options *options, gw_lift_counts *counts) {
    *counts = (gw_lift_counts){0};
    bed_lifter l = {.chains = chains, .options = options, .counts = counts};
    gw_status status = gw_lines_open(options->input, &l.lines);
    if (status == GW_OK) status = gw_writer_open(options->output, &l.output);
    if (status == GW_OK && options->unlifted) status = gw_writer_open(options->unlifted, &l.unlifted);
    if (status == GW_OK) status = lift_lines(&l);
    status = gw_writers_close(status, l.output, l.unlifted);
    gw_progress_end();
    gw_lines_close(l.lines);
    gw_string_free(&l.original);
    gw_string_free(&l.row);
    free(l.found.items);
    free(l.spans);
    free(l.moved);
    return status;
}
