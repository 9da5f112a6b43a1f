// SPDX-License-Identifier: MIT
// Reads bedGraph line by line; bigWig is asked by its index.
#include "base/parse.h"
#include "file/lines.h"
#include "seq/track/track.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_genome *genome;
    const gw_region *region;
    gw_track_values *values;
} bedgraph_reader;

static gw_status read_line(void *context, const gw_line_reader *lines, char *line) {
    bedgraph_reader *r = context;
    char *fields[5];
    int64_t begin = 0, end;
    double value = 0;
    if (line[0] == '#' || strncmp(line, "track", 5) == 0 || strncmp(line, "browser", 7) == 0) return GW_OK;
    const int count = gw_split_blanks(line, fields, 5);
    if (count != 4)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected contig, start, end and value, found %d columns", count);
    gw_status status = gw_parse_int(fields[1], 0, INT64_MAX, &begin);
    if (status == GW_OK) status = gw_parse_int(fields[2], begin, INT64_MAX, &end);
    if (status == GW_OK) status = gw_parse_double(fields[3], -1e300, 1e300, &value);
    if (status != GW_OK) return gw_lines_fail(lines, status, "%s", gw_message());
    if (end <= r->region->begin || begin >= r->region->end) return GW_OK;
    if (gw_genome_find(r->genome, fields[0], -1) != r->region->contig) return GW_OK;
    return gw_track_keep(r->values, begin, end, value);
}

static int by_begin(const void *a, const void *b) {
    const gw_track_value *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

gw_status gw_track_read(const char *path, gw_genome *genome, const gw_region *region, gw_track_values *values) {
    bedgraph_reader reader = {genome, region, values};
    *values = (gw_track_values){0};
    GW_TRY(gw_track_check(path));
    gw_status status = gw_track_is_bigwig(path) ? gw_bigwig_read(path, genome, region, values)
                                                : gw_lines_each(path, read_line, &reader);
    if (status != GW_OK) gw_track_values_free(values);
    else if (values->count > 0) qsort(values->items, (size_t)values->count, sizeof *values->items, by_begin);
    return status;
}
