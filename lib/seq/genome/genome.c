// SPDX-License-Identifier: MIT
// Windows are cut from chunks of 16 Ki bases, of which the last ones used are kept: ordered or near windows read the
// file once. What the index says is checked again on every chunk: line ends where they should be, and nowhere else.
#include "seq/genome/genome.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/md5.h"
#include "seq/genome/aliases.h"
#include "seq/genome/genome_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14, CHUNKS = 128 };

typedef struct {
    char *bases; // [CHUNK], normalised; NULL: never used
    int contig;  // -1: empty
    int64_t number;
    uint64_t used; // time of the last use
} cached_chunk;

struct gw_genome {
    char *path;
    gw_genome_file file;
    gw_genome_index index;
    gw_aliases aliases;
    cached_chunk chunks[CHUNKS];
    cached_chunk *latest;
    uint64_t clock;
    char *raw; // bytes of the file, for one chunk
    int64_t raw_capacity;
    char md5[33]; // empty until asked for
};

static gw_status build(gw_genome *genome, const char *path) {
    genome->path = gw_strdup(path);
    if (!genome->path) return GW_ERR_MEMORY;
    GW_TRY(gw_genome_index_make(&genome->index, path, &genome->file));
    if (genome->index.count > INT32_MAX) return gw_fail(GW_ERR_UNSUPPORTED, "%s: too many contigs", path);
    for (int64_t i = 0; i < genome->index.count; i++)
        GW_TRY(gw_aliases_add(&genome->aliases, genome->index.items[i].name, (int)i));
    return gw_aliases_sort(&genome->aliases, path);
}

gw_status gw_genome_open(const char *path, gw_genome **out) {
    *out = NULL;
    gw_preparing("opening the genome %s, which is read once where it has no index", path);
    gw_genome *genome = gw_alloc(1, sizeof *genome);
    if (!genome) return GW_ERR_MEMORY;
    gw_status status = gw_genome_file_open(&genome->file, path);
    if (status == GW_OK) status = build(genome, path);
    if (status == GW_OK) *out = genome;
    else gw_genome_close(genome);
    return status;
}

void gw_genome_close(gw_genome *genome) {
    if (!genome) return;
    gw_genome_file_close(&genome->file);
    gw_genome_index_free(&genome->index);
    gw_aliases_free(&genome->aliases);
    for (int i = 0; i < CHUNKS; i++) free(genome->chunks[i].bases);
    free(genome->raw);
    free(genome->path);
    free(genome);
}

const char *gw_genome_path(const gw_genome *genome) {
    return genome->path;
}

int gw_genome_contigs(const gw_genome *genome) {
    return (int)genome->index.count;
}

const char *gw_genome_name(const gw_genome *genome, int contig) {
    return genome->index.items[contig].name;
}

int64_t gw_genome_length(const gw_genome *genome, int contig) {
    return genome->index.items[contig].length;
}

int gw_genome_find(const gw_genome *genome, const char *name, int64_t length) {
    int by_convention;
    const int contig = gw_aliases_find(&genome->aliases, name, &by_convention);
    if (contig >= 0 && by_convention && length >= 0 && gw_genome_length(genome, contig) != length) return -1;
    return contig;
}

gw_status gw_genome_read_aliases(gw_genome *genome, const char *path) {
    return gw_aliases_read(&genome->aliases, path);
}

static gw_status contradiction(const gw_genome *genome, const gw_indexed_contig *contig, int64_t base) {
    return gw_fail(GW_ERR_MISMATCH,
                   "%s.fai contradicts its FASTA near %s:%lld; remove it, or make it anew: samtools faidx %s",
                   genome->path, contig->name, (long long)base + 1, genome->path);
}

// Copies bases [begin, end) out of raw, the file's bytes from base `begin` to behind base end - 1.
static gw_status strip_lines(const gw_genome *genome, const gw_indexed_contig *contig, int64_t begin, int64_t end,
                             char *bases) {
    const char *raw = genome->raw;
    const int64_t end_bytes = contig->line_bytes - contig->line_bases;
    for (int64_t at = begin; at < end;) {
        int64_t piece = contig->line_bases - at % contig->line_bases;
        if (piece > end - at) piece = end - at;
        memcpy(bases + at - begin, raw, (size_t)piece);
        if (memchr(raw, '\n', (size_t)piece) || memchr(raw, '>', (size_t)piece))
            return contradiction(genome, contig, at);
        raw += piece;
        at += piece;
        if (at == end) break;
        if (raw[end_bytes - 1] != '\n') return contradiction(genome, contig, at);
        raw += end_bytes;
    }
    return GW_OK;
}

// Bases [begin, end) as the file has them.
static gw_status read_letters(gw_genome *genome, int contig_number, int64_t begin, int64_t end, char *bases) {
    const gw_indexed_contig *contig = &genome->index.items[contig_number];
    const int64_t from = gw_genome_index_offset(contig, begin), to = gw_genome_index_offset(contig, end - 1) + 1;
    GW_TRY(gw_reserve(&genome->raw, &genome->raw_capacity, to - from, 1));
    int64_t got;
    GW_TRY(gw_genome_file_read(&genome->file, from, genome->raw, to - from, &got));
    if (got != to - from) return contradiction(genome, contig, begin);
    return strip_lines(genome, contig, begin, end, bases);
}

static gw_status load(gw_genome *genome, cached_chunk *chunk, int contig, int64_t number) {
    const int64_t length = gw_genome_length(genome, contig), begin = number * CHUNK,
                  end = begin + CHUNK < length ? begin + CHUNK : length;
    chunk->contig = -1;
    if (!chunk->bases) chunk->bases = gw_alloc(CHUNK, 1);
    if (!chunk->bases) return GW_ERR_MEMORY;
    GW_TRY(read_letters(genome, contig, begin, end, chunk->bases));
    gw_normalise_bases(chunk->bases, end - begin);
    chunk->contig = contig;
    chunk->number = number;
    return GW_OK;
}

// The chunk, from the cache or in place of the one that was not used for longest.
static gw_status get_chunk(gw_genome *genome, int contig, int64_t number, cached_chunk **out) {
    cached_chunk *chunk = genome->latest;
    if (!chunk || chunk->contig != contig || chunk->number != number) {
        cached_chunk *oldest = &genome->chunks[0];
        chunk = NULL;
        for (int i = 0; i < CHUNKS && !chunk; i++) {
            cached_chunk *c = &genome->chunks[i];
            if (c->bases && c->contig == contig && c->number == number) chunk = c;
            if (c->used < oldest->used) oldest = c;
        }
        if (!chunk) {
            chunk = oldest;
            GW_TRY(load(genome, chunk, contig, number));
        }
    }
    chunk->used = ++genome->clock;
    genome->latest = chunk;
    *out = chunk;
    return GW_OK;
}

gw_status gw_genome_fetch(gw_genome *genome, int contig, int64_t begin, int64_t end, char *bases) {
    for (int64_t at = begin; at < end;) {
        cached_chunk *chunk;
        const int64_t number = at / CHUNK, chunk_end = (number + 1) * CHUNK;
        const int64_t stop = end < chunk_end ? end : chunk_end;
        GW_TRY(get_chunk(genome, contig, number, &chunk));
        memcpy(bases + at - begin, chunk->bases + at % CHUNK, (size_t)(stop - at));
        at = stop;
    }
    return GW_OK;
}

gw_status gw_genome_read_cased(gw_genome *genome, int contig, int64_t begin, int64_t end, char *bases) {
    enum { PIECE = 1 << 20 };
    for (int64_t at = begin; at < end; at += PIECE) {
        char *piece = bases + at - begin;
        const int64_t count = end - at < PIECE ? end - at : PIECE;
        GW_TRY(gw_check_interrupt());
        GW_TRY(read_letters(genome, contig, at, at + count, piece));
        gw_normalise_cased_bases(piece, count);
    }
    return GW_OK;
}

static gw_status add_contig(gw_genome *genome, int contig, gw_md5 *md5) {
    const int64_t length = gw_genome_length(genome, contig);
    for (int64_t at = 0; at < length; at += CHUNK) {
        cached_chunk *chunk;
        GW_TRY(gw_check_interrupt());
        GW_TRY(get_chunk(genome, contig, at / CHUNK, &chunk));
        gw_md5_add(md5, chunk->bases, length - at < CHUNK ? length - at : CHUNK);
    }
    return GW_OK;
}

static gw_status contig_md5(gw_genome *genome, int contig, char hex[33]) {
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    const gw_status status = add_contig(genome, contig, md5);
    gw_md5_finish_hex(md5, hex);
    return status;
}

static gw_status add_contigs(gw_genome *genome, gw_md5 *md5) {
    for (int i = 0; i < gw_genome_contigs(genome); i++) {
        char of_contig[33], numbers[64];
        GW_TRY(contig_md5(genome, i, of_contig));
        const int length =
            snprintf(numbers, sizeof numbers, "\t%lld\t%s\n", (long long)gw_genome_length(genome, i), of_contig);
        gw_md5_add(md5, gw_genome_name(genome, i), (int64_t)strlen(gw_genome_name(genome, i)));
        gw_md5_add(md5, numbers, length);
    }
    return GW_OK;
}

gw_status gw_genome_md5(gw_genome *genome, char hex[33]) {
    gw_status status = GW_OK;
    if (!genome->md5[0]) {
        gw_md5 *md5;
        gw_preparing("reading the genome %s for its MD5", genome->path);
        GW_TRY(gw_md5_start(&md5));
        status = add_contigs(genome, md5);
        gw_md5_finish_hex(md5, hex);
        if (status == GW_OK) memcpy(genome->md5, hex, sizeof genome->md5);
    }
    memcpy(hex, genome->md5, sizeof genome->md5);
    return status;
}
