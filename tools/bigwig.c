// SPDX-License-Identifier: MIT
// bigWig by libBigWig: a file's contigs are in the order of their names, since readers may search among them, and what
// lies end to end is one stretch of fixed steps.
//
// libBigWig writes the file's head and its last bytes when it closes it, and tells nobody whether that went well: so
// the finished file is looked at before it gets its name.
#include "tools/track.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"

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
static const unsigned char magic[4] = {0x26, 0xFC, 0x8F, 0x88};

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

// A whole file begins and ends in the magic number.
static bool is_whole(const char *path) {
    unsigned char first[4] = {0}, last[4] = {0};
    FILE *file = fopen(path, "rbe");
    const bool read =
        file && fread(first, 1, 4, file) == 4 && fseek(file, -4, SEEK_END) == 0 && fread(last, 1, 4, file) == 4;
    if (file) fclose(file);
    return read && memcmp(first, magic, 4) == 0 && memcmp(last, magic, 4) == 0;
}

gw_status gw_bigwig_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    gw_output_name name;
    int *order = sort_contigs(genome);
    if (!order) return GW_ERR_MEMORY;
    gw_status status = gw_output_name_make(&name, path);
    bigWigFile_t *file = status == GW_OK && name.path ? bwOpen(name.temporary, NULL, "w") : NULL;
    if (status == GW_OK) status = file ? write_all(file, genome, order, pieces, count) : GW_ERR_IO;
    if (file) bwClose(file);
    if (status == GW_OK && !is_whole(name.temporary)) status = GW_ERR_IO;
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

gw_status gw_bigwig_read(const char *path, gw_genome *genome, const gw_region *region, gw_track_values *values) {
    if (!gw_file_exists(path)) return gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    bigWigFile_t *file = is_whole(path) ? bwOpen(path, NULL, "r") : NULL;
    if (!file) return gw_fail(GW_ERR_FORMAT, "%s is no whole bigWig", path);
    const char *contig = find_contig(file, genome, region->contig);
    bwOverlappingIntervals_t *found =
        contig ? bwGetOverlappingIntervals(file, contig, (uint32_t)region->begin, (uint32_t)region->end) : NULL;
    gw_status status = GW_OK;
    if (contig && !found) status = gw_fail(GW_ERR_FORMAT, "%s: cannot read %s from it", path, contig);
    for (uint32_t i = 0; status == GW_OK && found && i < found->l; i++)
        status = gw_track_keep(values, found->start[i], found->end[i], (double)found->value[i]);
    if (found) bwDestroyOverlappingIntervals(found);
    bwClose(file);
    return status;
}

#endif
