// SPDX-License-Identifier: MIT
// bigWig by libBigWig: a file's contigs are in the order of their names, since readers may search among them, and what
// lies end to end is one stretch of fixed steps.
//
// libBigWig writes the file's head and its last bytes when it closes it, and tells nobody whether that went well: so
// the finished file is looked at before it gets its name.
#include "seq/track/track.h"

#include "base/child.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "seq/track/bigwig_header.h"

#ifndef GW_HAVE_BIGWIG

gw_status gw_bigwig_check(const char *path) {
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "%s: this godwit was built without libBigWig (libbigwig-dev); a .bedgraph.gz holds the same", path);
}

gw_status gw_bigwig_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    (void)genome, (void)pieces, (void)count;
    return gw_bigwig_check(path);
}

gw_status gw_bigwig_read(const char *path, gw_genome *genome, const gw_region *region, gw_track_values *values) {
    (void)genome, (void)region, (void)values;
    return gw_bigwig_check(path);
}

#else

#define NOCURL // files are local
#include <bigWig.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_bigwig_check(const char *path) {
    (void)path;
    return GW_OK;
}

enum { ZOOM_LEVELS = 10, MOST_VALUES = 1 << 20 };

static const gw_genome *sorted_genome;

static int by_name(const void *a, const void *b) {
    return strcmp(gw_genome_name(sorted_genome, *(const int *)a), gw_genome_name(sorted_genome, *(const int *)b));
}

// The genome's contigs by name.
static int *sort_contigs(const gw_genome *genome) {
    const int count = gw_genome_contigs(genome);
    int *order = gw_alloc(count, sizeof *order);
    for (int c = 0; order && c < count; c++) order[c] = c;
    sorted_genome = genome;
    if (order) qsort(order, (size_t)count, sizeof *order, by_name);
    return order;
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
        if (length > UINT32_MAX) status = gw_fail(GW_ERR_UNSUPPORTED, "%s is longer than a bigWig can say", names[c]);
    }
    if (status == GW_OK && bwCreateHdr(file, ZOOM_LEVELS) != 0) status = GW_ERR_IO;
    if (status == GW_OK && !(file->cl = bwCreateChromList(names, lengths, count))) status = GW_ERR_MEMORY;
    if (status == GW_OK && bwWriteHdr(file) != 0) status = GW_ERR_IO;
    free(names);
    free(lengths);
    return status;
}

// Values without a gap between them. Each call takes so many that its number fits.
static gw_status write_stretch(bigWigFile_t *file, const char *contig, const gw_track_piece *piece, int64_t first,
                               int64_t end) {
    const uint32_t span = (uint32_t)piece->span;
    for (int64_t at = first; at < end; at += MOST_VALUES) {
        const uint32_t count = (uint32_t)(end - at < MOST_VALUES ? end - at : MOST_VALUES);
        const uint32_t begin = (uint32_t)(piece->begin + at * piece->span);
        if (bwAddIntervalSpanSteps(file, contig, begin, span, span, piece->values + at, count) != 0) return GW_ERR_IO;
    }
    return GW_OK;
}

static gw_status write_piece(bigWigFile_t *file, const char *contig, const gw_track_piece *piece) {
    for (int64_t first = 0; first < piece->count;) {
        int64_t end = first;
        while (end < piece->count && !isnan(piece->values[end])) end++;
        GW_TRY(write_stretch(file, contig, piece, first, end));
        first = end + (end == first);
    }
    return GW_OK;
}

static gw_status write_contig(bigWigFile_t *file, const gw_genome *genome, int contig, const gw_track_piece *pieces,
                              int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (pieces[i].contig == contig) GW_TRY(write_piece(file, gw_genome_name(genome, contig), &pieces[i]));
    return GW_OK;
}

static gw_status write_all(bigWigFile_t *file, const gw_genome *genome, const int *order, const gw_track_piece *pieces,
                           int64_t count) {
    GW_TRY(write_head(file, genome, order));
    for (int c = 0; c < gw_genome_contigs(genome); c++) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(write_contig(file, genome, order[c], pieces, count));
    }
    return GW_OK;
}

gw_status gw_bigwig_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    gw_output_name name;
    int *order = sort_contigs(genome);
    if (!order) return GW_ERR_MEMORY;
    gw_status status = gw_output_name_make(&name, path);
    bigWigFile_t *file = status == GW_OK && name.path ? bwOpen(name.temporary, NULL, "w") : NULL;
    if (status == GW_OK) status = file ? write_all(file, genome, order, pieces, count) : GW_ERR_IO;
    if (file) bwClose(file);
    if (status == GW_OK && gw_bigwig_header_check(name.temporary) != GW_OK) status = GW_ERR_IO;
    if (status == GW_ERR_IO) status = gw_fail(status, "cannot write %s: %s", path, strerror(errno));
    free(order);
    if (status == GW_OK) return gw_output_name_keep(&name, false);
    gw_output_name_drop(&name);
    return status;
}

// The file's name of the region's contig, or NULL.
static const char *find_contig(const bigWigFile_t *file, gw_genome *genome, int contig) {
    for (int64_t i = 0; file->cl && i < file->cl->nKeys; i++)
        if (gw_genome_find(genome, file->cl->chrom[i], file->cl->len[i]) == contig) return file->cl->chrom[i];
    return NULL;
}

typedef struct {
    const char *path;
    gw_genome *genome;
    const gw_region *region;
    gw_track_values *values;
} region_reader;

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
static gw_status read_region(void *context, gw_child_out *out) {
    const region_reader *r = context;
    bigWigFile_t *file = bwOpen(r->path, NULL, "r");
    if (!file) return gw_fail(GW_ERR_FORMAT, "%s is no whole bigWig: libBigWig cannot open it", r->path);
    const char *contig = find_contig(file, r->genome, r->region->contig);
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
        if (isfinite(v.value)) GW_TRY(gw_track_keep(r->values, v.begin, v.end, v.value));
    }
    return GW_OK;
}

gw_status gw_bigwig_read(const char *path, gw_genome *genome, const gw_region *region, gw_track_values *values) {
    region_reader reader = {path, genome, region, values};
    GW_TRY(gw_bigwig_header_check(path));
    return gw_child_run(path, read_region, take_values, &reader);
}

#endif
