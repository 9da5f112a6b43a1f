// SPDX-License-Identifier: MIT
// Tracks as bigWig, by libBigWig, and as bedGraph, "contig begin end value" for each stretch with a value, 0-based.
//
// A bigWig's contigs are sorted by name, because readers may search them. Adjacent pieces are one stretch of fixed
// steps. libBigWig writes the file's header and last bytes at close, and reports no failure; the finished file is
// therefore checked before it gets its name.
#include "seq/track/track.h"

#include "base/child.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef GW_HAVE_BIGWIG
#define NOCURL // files are local
#include <bigWig.h>
#endif

static bool is_bigwig(const char *path) {
    return gw_has_suffix(path, ".bw") || gw_has_suffix(path, ".bigwig");
}

bool gw_track_is_named(const char *path) {
    return is_bigwig(path) || gw_has_suffix(path, ".bedgraph") || gw_has_suffix(path, ".bedgraph.gz");
}

void gw_track_values_free(gw_track_values *values) {
    free(values->items);
    *values = (gw_track_values){0};
}

typedef struct {
    const char *path;
    gw_genome *genome;
    const gw_region *region;
    gw_track_values *values;
} region_reader;

static gw_status keep(gw_track_values *values, int64_t begin, int64_t end, double value) {
    GW_TRY(gw_reserve(&values->items, &values->capacity, values->count + 1, sizeof *values->items));
    values->items[values->count++] = (gw_track_value){begin, end, value};
    return GW_OK;
}

#ifdef GW_HAVE_BIGWIG

static gw_status check_bigwig(const char *path) {
    (void)path;
    return GW_OK;
}

// The head of a bigWig (Kent et al. 2010, supplement; UCSC's bbiFile.h): places and counts that libBigWig believes,
// little-endian throughout, as libBigWig reads and writes them.
enum { HEADER = 64, ZOOM = 24, TREE = 32, INDEX = 48, SUMMARY = 40, CONTIG = 8, MOST_GROWTH = 1100 };
static const uint32_t magic = 0x888FFC26, tree_magic = 0x78CA8C91, index_magic = 0x2468ACE0;

typedef struct {
    const char *path;
    FILE *stream;
    uint64_t size;
} head_reader;

static uint64_t number(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static gw_status damaged(const head_reader *r, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s is not a whole bigWig: %s", r->path, what);
}

static gw_status read_at(const head_reader *r, uint64_t at, uint8_t *bytes, size_t count, const char *what) {
    if (count > r->size || at > r->size - count) return damaged(r, what);
    if (fseeko(r->stream, (off_t)at, SEEK_SET) == 0 && fread(bytes, 1, count, r->stream) == count) return GW_OK;
    return gw_fail(GW_ERR_IO, "cannot read %s: %s", r->path, strerror(errno));
}

static gw_status check_index(const head_reader *r, uint64_t at) {
    uint8_t index[INDEX];
    GW_TRY(read_at(r, at, index, INDEX, "an index lies behind its end"));
    if (number(index, 4) == index_magic && number(index + 8, 8) <= r->size) return GW_OK;
    return damaged(r, "an index is damaged");
}

static gw_status check_zooms(const head_reader *r, uint64_t levels) {
    if (levels > (r->size - HEADER) / ZOOM) return damaged(r, "it ends before its levels of zoom");
    for (uint64_t i = 0; i < levels; i++) {
        uint8_t zoom[ZOOM];
        GW_TRY(read_at(r, HEADER + i * ZOOM, zoom, ZOOM, "it ends before its levels of zoom"));
        if (number(zoom + 8, 8) > r->size) return damaged(r, "a level of zoom lies behind its end");
        GW_TRY(check_index(r, number(zoom + 16, 8)));
    }
    return GW_OK;
}

static gw_status check(const head_reader *r) {
    uint8_t head[HEADER], last[4], tree[TREE], blocks[8];
    GW_TRY(read_at(r, 0, head, HEADER, "it is shorter than a header"));
    GW_TRY(read_at(r, r->size - 4, last, 4, "it is shorter than a header"));
    if (number(head, 4) != magic || number(last, 4) != magic) return damaged(r, "it does not begin and end as one");
    GW_TRY(read_at(r, number(head + 8, 8), tree, TREE, "the contigs lie behind its end"));
    const uint64_t name_bytes = number(tree + 8, 4);
    if (number(tree, 4) != tree_magic || name_bytes == 0 || number(tree + 12, 4) != CONTIG ||
        number(tree + 16, 8) > r->size / (name_bytes + CONTIG))
        return damaged(r, "the list of contigs is damaged");
    GW_TRY(read_at(r, number(head + 16, 8), blocks, 8, "the values lie behind its end"));
    GW_TRY(check_index(r, number(head + 24, 8)));
    if (number(head + 44, 8) > r->size - SUMMARY) return damaged(r, "its summary lies behind its end");
    if (number(head + 52, 4) / MOST_GROWTH > r->size) return damaged(r, "a block is larger than it can hold");
    return check_zooms(r, number(head + 6, 2));
}

// Fails where the file is not a bigWig, is not whole, or its head names places and counts that it has no room for.
static gw_status check_head(const char *path) {
    head_reader r = {.path = path, .stream = fopen(path, "rbe")};
    if (!r.stream) return gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    off_t size = fseeko(r.stream, 0, SEEK_END) == 0 ? ftello(r.stream) : 0;
    r.size = size > 0 ? (uint64_t)size : 0;
    const gw_status status = check(&r);
    fclose(r.stream);
    return status;
}

enum { ZOOM_LEVELS = 10, MOST_VALUES = 1 << 20 };

static const gw_genome *sorted_genome;

static int by_name(const void *a, const void *b) {
    return strcmp(gw_genome_name(sorted_genome, *(const int *)a), gw_genome_name(sorted_genome, *(const int *)b));
}

static gw_status write_head(bigWigFile_t *file, const gw_genome *genome, const int *order) {
    const int count = gw_genome_contigs(genome);
    const char **names = gw_alloc(count, sizeof *names);
    uint32_t *lengths = gw_alloc(count, sizeof *lengths);
    gw_status status = names && lengths ? GW_OK : GW_ERR_MEMORY;
    for (int c = 0; status == GW_OK && c < count; c++) {
        const int64_t length = gw_genome_length(genome, order[c]);
        names[c] = gw_genome_name(genome, order[c]);
        lengths[c] = (uint32_t)length;
        if (length > UINT32_MAX)
            status = gw_fail(GW_ERR_UNSUPPORTED, "%s is longer than a bigWig can record", names[c]);
    }
    if (status == GW_OK && bwCreateHdr(file, ZOOM_LEVELS) != 0) status = GW_ERR_IO;
    if (status == GW_OK && !(file->cl = bwCreateChromList(names, lengths, count))) status = GW_ERR_MEMORY;
    if (status == GW_OK && bwWriteHdr(file) != 0) status = GW_ERR_IO;
    free(names);
    free(lengths);
    return status;
}

// Values without a gap between them are one stretch. Each call takes so many that its number fits.
static gw_status write_bigwig_piece(bigWigFile_t *file, const char *contig, const gw_track_piece *piece) {
    const uint32_t span = (uint32_t)piece->span;
    for (int64_t at = 0, end; at < piece->count; at = end) {
        const uint32_t begin = (uint32_t)(piece->begin + at * piece->span);
        for (end = at; end < piece->count && end - at < MOST_VALUES && !isnan(piece->values[end]);) end++;
        const uint32_t count = (uint32_t)(end - at);
        if (count > 0 && bwAddIntervalSpanSteps(file, contig, begin, span, span, piece->values + at, count) != 0)
            return GW_ERR_IO;
        end += count == 0; // a gap
    }
    return GW_OK;
}

static gw_status write_all(bigWigFile_t *file, const gw_genome *genome, const int *order, const gw_track_piece *pieces,
                           int64_t count) {
    GW_TRY(write_head(file, genome, order));
    for (int c = 0; c < gw_genome_contigs(genome); c++) {
        GW_TRY(gw_check_interrupt());
        for (int64_t i = 0; i < count; i++)
            if (pieces[i].contig == order[c])
                GW_TRY(write_bigwig_piece(file, gw_genome_name(genome, order[c]), &pieces[i]));
    }
    return GW_OK;
}

static gw_status write_bigwig(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    gw_output_name name;
    const int contigs = gw_genome_contigs(genome);
    int *order = gw_alloc(contigs, sizeof *order);
    if (!order) return GW_ERR_MEMORY;
    for (int c = 0; c < contigs; c++) order[c] = c;
    sorted_genome = genome;
    qsort(order, (size_t)contigs, sizeof *order, by_name);
    gw_status status = gw_output_name_make(&name, path);
    bigWigFile_t *file = status == GW_OK && name.path ? bwOpen(name.temporary, NULL, "w") : NULL;
    if (status == GW_OK) status = file ? write_all(file, genome, order, pieces, count) : GW_ERR_IO;
    if (file) bwClose(file);
    if (status == GW_OK && check_head(name.temporary) != GW_OK) status = GW_ERR_IO;
    if (status == GW_ERR_IO) status = gw_fail(status, "cannot write %s: %s", path, strerror(errno));
    free(order);
    if (status == GW_OK) return gw_output_name_keep(&name, false);
    gw_output_name_drop(&name);
    return status;
}

static gw_status send_values(gw_child_out *out, const bwOverlappingIntervals_t *found) {
    enum { PIECE = 4096 };
    gw_track_value piece[PIECE];
    int64_t count = 0;
    for (uint32_t i = 0; i < found->l; i++) {
        piece[count++] = (gw_track_value){found->start[i], found->end[i], (double)found->value[i]};
        if (count < PIECE && i + 1 < found->l) continue;
        GW_TRY(gw_child_send(out, piece, count * (int64_t)sizeof *piece));
        count = 0;
    }
    return GW_OK;
}

// In a process of its own: what libBigWig makes of damaged files is not foreseen.
static gw_status read_in_child(void *context, gw_child_out *out) {
    const region_reader *r = context;
    bigWigFile_t *file = bwOpen(r->path, NULL, "r");
    if (!file) return gw_fail(GW_ERR_FORMAT, "%s is not a whole bigWig: libBigWig cannot open it", r->path);
    const char *contig = NULL; // the file's name of the region's contig
    for (int64_t i = 0; file->cl && !contig && i < file->cl->nKeys; i++)
        if (gw_genome_find(r->genome, file->cl->chrom[i], file->cl->len[i]) == r->region->contig)
            contig = file->cl->chrom[i];
    if (!contig) return GW_OK;
    const uint32_t begin = (uint32_t)r->region->begin, end = (uint32_t)r->region->end;
    const bwOverlappingIntervals_t *found = bwGetOverlappingIntervals(file, contig, begin, end);
    if (!found) return gw_fail(GW_ERR_FORMAT, "%s: cannot read %s from it", r->path, contig);
    return send_values(out, found); // the process ends here: nothing is closed
}

static gw_status take_values(void *context, const void *bytes, int64_t count) {
    const region_reader *r = context;
    for (int64_t at = 0; at + (int64_t)sizeof(gw_track_value) <= count; at += (int64_t)sizeof(gw_track_value)) {
        gw_track_value v;
        memcpy(&v, (const char *)bytes + at, sizeof v);
        if (v.begin < 0 || v.end < v.begin || v.end > UINT32_MAX)
            return gw_fail(GW_ERR_FORMAT, "%s is damaged: a value lies at %lld to %lld", r->path, (long long)v.begin,
                           (long long)v.end);
        if (isfinite(v.value)) GW_TRY(keep(r->values, v.begin, v.end, v.value));
    }
    return GW_OK;
}

static gw_status read_bigwig(region_reader *reader) {
    GW_TRY(check_head(reader->path));
    return gw_child_run(reader->path, read_in_child, take_values, reader);
}

#else

static gw_status check_bigwig(const char *path) {
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "%s: this godwit was built without libBigWig (libbigwig-dev); a .bedgraph.gz holds the same", path);
}

static gw_status write_bigwig(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    (void)genome, (void)pieces, (void)count;
    return check_bigwig(path);
}

static gw_status read_bigwig(region_reader *reader) {
    return check_bigwig(reader->path);
}

#endif

static gw_status write_bedgraph(const char *path, const gw_genome *genome, const gw_track_piece *pieces,
                                int64_t count) {
    gw_text_writer *out;
    gw_string text = {0};
    GW_TRY(gw_writer_open(path, &out));
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const gw_track_piece *piece = &pieces[i];
        gw_string_clear(&text);
        for (int64_t k = 0; k < piece->count; k++) {
            const long long begin = piece->begin + k * piece->span, end = begin + piece->span;
            if (!isnan(piece->values[k]))
                gw_string_printf(&text, "%s\t%lld\t%lld\t%.7g\n", gw_genome_name(genome, piece->contig), begin, end,
                                 (double)piece->values[k]);
        }
        status = gw_string_status(&text);
        if (status == GW_OK) status = gw_writer_write(out, text.data, text.length);
    }
    gw_string_free(&text);
    return gw_writers_close(status, out, NULL);
}

static gw_status read_line(void *context, const gw_line_reader *lines, char *line) {
    const region_reader *r = context;
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
    return keep(r->values, begin, end, value);
}

static int by_begin(const void *a, const void *b) {
    const gw_track_value *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

gw_status gw_track_check(const char *path) {
    if (!gw_track_is_named(path))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a track is named .bw, .bigwig, .bedgraph or .bedgraph.gz", path);
    return is_bigwig(path) ? check_bigwig(path) : GW_OK;
}

gw_status gw_track_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    GW_TRY(gw_track_check(path));
    return (is_bigwig(path) ? write_bigwig : write_bedgraph)(path, genome, pieces, count);
}

gw_status gw_track_read(const char *path, gw_genome *genome, const gw_region *region, gw_track_values *values) {
    region_reader reader = {path, genome, region, values};
    *values = (gw_track_values){0};
    GW_TRY(gw_track_check(path));
    gw_status status = is_bigwig(path) ? read_bigwig(&reader) : gw_lines_each(path, read_line, &reader);
    if (status != GW_OK) gw_track_values_free(values);
    else if (values->count > 0) qsort(values->items, (size_t)values->count, sizeof *values->items, by_begin);
    return status;
}

gw_status gw_track_make_positive(const char *path, const gw_genome *genome, int contig, gw_track_values *values,
                                 int *sign) {
    for (int64_t i = 0; i < values->count; i++) {
        gw_track_value *v = &values->items[i];
        const int own = (v->value > 0) - (v->value < 0);
        if (own * *sign < 0)
            return gw_fail(GW_ERR_FORMAT, "%s: the count of %s:%lld is %g, and others have the other sign", path,
                           gw_genome_name(genome, contig), (long long)v->begin + 1, v->value);
        if (own != 0) *sign = own;
        if (own < 0) v->value = -v->value;
    }
    return GW_OK;
}

void gw_track_values_add(const gw_track_values *values, int64_t begin, int64_t end, bool backwards, float *out,
                         int64_t stride) {
    for (int64_t k = GW_FIRST_NOT(j, values->count, values->items[j].end <= begin);
         k < values->count && values->items[k].begin < end; k++) {
        const gw_track_value *v = &values->items[k];
        for (int64_t at = gw_max(v->begin, begin); at < gw_min(v->end, end); at++)
            out[(backwards ? end - 1 - at : at - begin) * stride] += (float)v->value;
    }
}
