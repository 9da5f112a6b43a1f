// SPDX-License-Identifier: MIT
// A genome: its letters, the index of its FASTA (the rows of a .fai: name, length, offset of the first base, bases a
// line, bytes a line; samtools faidx), and its windows.
//
// An index contradicts its FASTA if the bytes between two contigs differ from it: the last base of the first, a line
// end, one header with the name of the second, its first base. This check costs one short read a contig, and also finds
// a truncated or extended FASTA.
//
// Windows are cut from chunks of 16 Ki bases. The most recent chunks are kept: ordered or near windows read the file
// once. Every chunk is checked against the index: line ends must be exactly where expected.
#include "seq/genome/genome.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "file/digest.h"
#include "file/lines.h"
#include "seq/genome/aliases.h"
#include "seq/genome/fasta_stream.h"
#include "seq/genome/genome_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 14, CHUNKS = 128 };
#define CUT_SHORT "it was probably cut short, as by a download that broke off; if it is whole, remove the index"

typedef struct {
    char *name;
    int64_t length, offset, line_bases, line_bytes;
} indexed_contig;

typedef struct {
    char *bases; // [CHUNK], normalised; NULL: never used
    int contig;  // -1: empty
    int64_t number;
    uint64_t used; // time of the last use
} cached_chunk;

struct gw_genome {
    char *path;
    gw_genome_file file;
    indexed_contig *contigs; // in the FASTA's order
    int64_t count, capacity;
    gw_aliases aliases;
    cached_chunk chunks[CHUNKS];
    cached_chunk *latest;
    uint64_t clock;
    char *raw; // bytes of the file, for one chunk
    int64_t raw_capacity;
    char md5[33]; // empty until asked for
};

// Bases done at once, a constant so that compilers use vectors for the inner loop at -O2.
enum { BLOCK = 64 };

// c & 0xDF joins a letter's two cases, and no other byte becomes A, C, G, T or U by it.
static inline unsigned char normal(unsigned char c) {
    unsigned char upper = c & 0xDF;
    upper = upper == 'U' ? 'T' : upper;
    const unsigned char known = (upper == 'A') | (upper == 'C') | (upper == 'G') | (upper == 'T');
    return known ? upper : 'N';
}

void gw_normalise_bases(char *bases, int64_t length) {
    unsigned char *c = (unsigned char *)bases;
    int64_t i = 0;
    for (; i + BLOCK <= length; i += BLOCK)
        for (int j = 0; j < BLOCK; j++) c[i + j] = normal(c[i + j]);
    for (; i < length; i++) c[i] = normal(c[i]);
}

void gw_reverse_complement(const char *bases, int64_t length, char *out) {
    // By the letter's low five bits: A 1, C 3, G 7, T 20.
    static const char complement[33] = "NTNGNNNCNNNNNNNNNNNNANNNNNNNNNNN";
    for (int64_t i = 0; i < length; i++) out[i] = complement[bases[length - 1 - i] & 31];
}

static gw_status add_contig(gw_genome *genome, const char *name, const gw_fasta_layout *layout) {
    GW_TRY(gw_reserve(&genome->contigs, &genome->capacity, genome->count + 1, sizeof *genome->contigs));
    char *copy = gw_strdup(name);
    if (!copy) return GW_ERR_MEMORY;
    genome->contigs[genome->count++] =
        (indexed_contig){copy, layout->length, layout->offset, layout->line_bases, layout->line_bytes};
    return GW_OK;
}

static void free_contigs(gw_genome *genome) {
    for (int64_t i = 0; i < genome->count; i++) free(genome->contigs[i].name);
    free(genome->contigs);
}

static gw_status scan_contigs(gw_genome *genome, gw_fasta *fasta, char *scratch, int64_t capacity) {
    for (;;) {
        const char *name;
        GW_TRY(gw_fasta_next(fasta, &name));
        if (!name) return GW_OK;
        int64_t count = 1;
        while (count > 0) GW_TRY(gw_fasta_read(fasta, scratch, capacity, &count));
        const gw_fasta_layout *layout = gw_fasta_contig_layout(fasta);
        if (layout->odd_line)
            return gw_fail(GW_ERR_FORMAT,
                           "%s:%lld: the lines of contig '%s' differ in length, so it cannot be indexed; rewrite it "
                           "with lines of equal length",
                           gw_fasta_path(fasta), (long long)layout->odd_line, name);
        GW_TRY(add_contig(genome, name, layout));
        GW_TRY(gw_check_interrupt());
    }
}

static gw_status scan_fasta(gw_genome *genome) {
    enum { ROOM = 1 << 16 };
    gw_fasta *fasta = NULL;
    char *scratch = gw_alloc(ROOM, 1);
    if (!scratch) return GW_ERR_MEMORY;
    gw_status status = gw_fasta_open(genome->path, &fasta);
    if (status == GW_OK) status = scan_contigs(genome, fasta, scratch, ROOM);
    gw_fasta_close(fasta);
    free(scratch);
    return status;
}

static gw_status parse_index_row(void *genome, const gw_line_reader *reader, char *line) {
    char *fields[6];
    int64_t numbers[4];
    if (gw_split(line, '\t', fields, 6) < 5 || !fields[0][0])
        return gw_lines_fail(reader, GW_ERR_FORMAT, "expected the five columns of a FASTA index");
    for (int i = 0; i < 4; i++)
        if (gw_parse_int(fields[i + 1], 0, INT64_MAX >> 16, &numbers[i]) != GW_OK)
            return gw_lines_fail(reader, GW_ERR_FORMAT, "column %d: %s", i + 2, gw_message());
    const gw_fasta_layout row = {
        .length = numbers[0], .offset = numbers[1], .line_bases = numbers[2], .line_bytes = numbers[3]};
    if (row.length > 0 &&
        (row.line_bases < 1 || row.line_bytes < row.line_bases || row.line_bytes > row.line_bases + 2))
        return gw_lines_fail(reader, GW_ERR_FORMAT, "contig '%s': %lld bases in lines of %lld bytes", fields[0],
                             (long long)row.line_bases, (long long)row.line_bytes);
    return add_contig(genome, fields[0], &row);
}

// Offset in the file of base `at` of a contig; at = length gives the byte behind its last base.
static int64_t offset_of(const indexed_contig *contig, int64_t at) {
    if (contig->length == 0) return contig->offset;
    const bool behind = at == contig->length; // right behind the last base, before any line end
    const int64_t base = at - behind;
    return contig->offset + base / contig->line_bases * contig->line_bytes + base % contig->line_bases + behind;
}

// True where bytes[0 .. count) are line ends, then ">name ...\n" (nothing, where name is NULL).
static bool is_gap(const char *bytes, int64_t count, const char *name) {
    int64_t at = 0;
    while (at < count && (bytes[at] == '\n' || bytes[at] == '\r')) at++;
    if (!name) return at == count;
    const int64_t length = (int64_t)strlen(name);
    if (count - at < length + 2 || bytes[at] != '>' || memcmp(bytes + at + 1, name, (size_t)length) != 0) return false;
    const char *after = bytes + at + 1 + length;
    return strchr(" \t\r\n", *after) && memchr(after, '\n', (size_t)(bytes + count - after)) == bytes + count - 1;
}

// Checks the bytes between contig i - 1 (or the file's beginning) and contig i (or its end).
static gw_status check_gap(gw_genome *genome, int64_t i) {
    enum { LONGEST_HEADER = 1 << 16, BEHIND_END = 64 };
    const indexed_contig *before = i > 0 ? &genome->contigs[i - 1] : NULL;
    const indexed_contig *after = i < genome->count ? &genome->contigs[i] : NULL;
    const int64_t begin = before ? offset_of(before, before->length) : 0;
    const int64_t end = after ? after->offset : begin + BEHIND_END, has_base = before && before->length > 0;
    bool agrees = false, cut = false;
    if (end >= begin && end - begin <= LONGEST_HEADER) {
        char *bytes = gw_alloc(end - begin + 1, 1);
        if (!bytes) return GW_ERR_MEMORY;
        int64_t count;
        const gw_status status =
            gw_genome_file_read(&genome->file, begin - has_base, bytes, end - begin + has_base, &count);
        const bool last_base = !has_base || (count > 0 && !strchr("\r\n>", bytes[0]));
        const bool whole = !after || count == end - begin + has_base;
        cut = after ? !whole : has_base && count == 0;
        agrees = last_base && whole && is_gap(bytes + has_base, count - has_base, after ? after->name : NULL);
        free(bytes);
        if (status != GW_OK) return status;
    }
    if (agrees) return GW_OK;
    if (cut)
        return gw_fail(GW_ERR_MISMATCH, "%s is shorter than its index %s.fai says, at contig '%s': " CUT_SHORT,
                       genome->path, genome->path, (after ? after : before)->name);
    return gw_fail(GW_ERR_MISMATCH,
                   "%s.fai contradicts its FASTA at contig '%s'; remove it, or make it anew: samtools faidx %s",
                   genome->path, (after ? after : before)->name, genome->path);
}

// An index that is older than its FASTA may be of the whole file, of which a part is there now.
static gw_status check_older(const gw_genome *genome, const char *path) {
    gw_genome whole = {.path = genome->path};
    const int64_t last = genome->count - 1;
    gw_status status = gw_lines_each(path, parse_index_row, &whole);
    bool part = status == GW_OK && last >= 0 && last < whole.count;
    for (int64_t i = 0; part && i <= last; i++) {
        const indexed_contig *has = &genome->contigs[i], *of = &whole.contigs[i];
        part = strcmp(has->name, of->name) == 0 && has->offset == of->offset && has->line_bases <= of->line_bases &&
               (has->length == of->length || (i == last && has->length < of->length));
    }
    if (part && (last + 1 < whole.count || genome->contigs[last].length < whole.contigs[last].length))
        status = gw_fail(GW_ERR_MISMATCH, "%s is shorter than its index %s says, at contig '%s': " CUT_SHORT,
                         genome->path, path, genome->contigs[last].name);
    else if (status != GW_ERR_MEMORY) status = GW_OK;
    free_contigs(&whole);
    return status;
}

static gw_status read_index(gw_genome *genome) {
    char *path = gw_strprintf("%s.fai", genome->path);
    if (!path) return GW_ERR_MEMORY;
    struct stat of_fasta, of_index;
    const bool present = stat(path, &of_index) == 0 && stat(genome->path, &of_fasta) == 0;
    const bool older = present && of_index.st_mtime < of_fasta.st_mtime;
    if (older) gw_warn("%s is older than its FASTA: indexing in memory instead (samtools faidx makes a new one)", path);
    const bool read = present && !older;
    gw_status status = read ? gw_lines_each(path, parse_index_row, genome) : scan_fasta(genome);
    if (status == GW_OK && read && genome->count == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: the index names no contig", path);
    for (int64_t i = 0; status == GW_OK && read && i <= genome->count; i++) status = check_gap(genome, i);
    if (status == GW_OK && older) status = check_older(genome, path);
    free(path);
    return status;
}

static gw_status build(gw_genome *genome, const char *path) {
    GW_TRY(gw_genome_file_open(&genome->file, path));
    genome->path = gw_strdup(path);
    if (!genome->path) return GW_ERR_MEMORY;
    GW_TRY(read_index(genome));
    if (genome->count > INT32_MAX) return gw_fail(GW_ERR_UNSUPPORTED, "%s: too many contigs", path);
    for (int64_t i = 0; i < genome->count; i++)
        GW_TRY(gw_aliases_add(&genome->aliases, genome->contigs[i].name, (int)i));
    return gw_aliases_sort(&genome->aliases, path);
}

gw_status gw_genome_open(const char *path, gw_genome **out) {
    *out = NULL;
    gw_preparing("opening the genome %s, which is read once where it has no index", path);
    gw_genome *genome = gw_alloc(1, sizeof *genome);
    if (!genome) return GW_ERR_MEMORY;
    const gw_status status = build(genome, path);
    if (status == GW_OK) *out = genome;
    else gw_genome_close(genome);
    return status;
}

void gw_genome_close(gw_genome *genome) {
    if (!genome) return;
    gw_genome_file_close(&genome->file);
    free_contigs(genome);
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
    return (int)genome->count;
}

const char *gw_genome_name(const gw_genome *genome, int contig) {
    return genome->contigs[contig].name;
}

int64_t gw_genome_length(const gw_genome *genome, int contig) {
    return genome->contigs[contig].length;
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

static gw_status contradiction(const gw_genome *genome, const indexed_contig *contig, int64_t base) {
    return gw_fail(GW_ERR_MISMATCH,
                   "%s.fai contradicts its FASTA near %s:%lld; remove it, or make it anew: samtools faidx %s",
                   genome->path, contig->name, (long long)base + 1, genome->path);
}

// Copies bases [begin, end) out of raw, the file's bytes from base `begin` to behind base end - 1.
static gw_status strip_lines(const gw_genome *genome, const indexed_contig *contig, int64_t begin, int64_t end,
                             char *bases) {
    const char *raw = genome->raw;
    const int64_t end_bytes = contig->line_bytes - contig->line_bases;
    for (int64_t at = begin; at < end;) {
        const int64_t piece = gw_min(contig->line_bases - at % contig->line_bases, end - at);
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
    const indexed_contig *contig = &genome->contigs[contig_number];
    const int64_t from = offset_of(contig, begin), to = offset_of(contig, end - 1) + 1;
    GW_TRY(gw_reserve(&genome->raw, &genome->raw_capacity, to - from, 1));
    int64_t got;
    GW_TRY(gw_genome_file_read(&genome->file, from, genome->raw, to - from, &got));
    if (got != to - from) return contradiction(genome, contig, begin);
    return strip_lines(genome, contig, begin, end, bases);
}

static gw_status load(gw_genome *genome, cached_chunk *chunk, int contig, int64_t number) {
    const int64_t length = gw_genome_length(genome, contig), begin = number * CHUNK,
                  end = gw_min(begin + CHUNK, length);
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
        const int64_t stop = gw_min(end, chunk_end);
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
        const int64_t count = gw_min(end - at, PIECE);
        GW_TRY(gw_check_interrupt());
        GW_TRY(read_letters(genome, contig, at, at + count, piece));
        // As gw_normalise_bases(), but lower case stays lower.
        for (int64_t i = 0; i < count; i++) piece[i] = (char)(normal((unsigned char)piece[i]) | (piece[i] & 0x20));
    }
    return GW_OK;
}

// Reads a contig from the file and writes its MD5. `bases` has room for MD5_PIECE of them.
enum { MD5_PIECE = 1 << 18 };
static gw_status md5_of_contig(gw_genome *genome, int contig, char *bases, char hex[33]) {
    const int64_t length = gw_genome_length(genome, contig);
    gw_md5 *md5;
    gw_status status = gw_md5_start(&md5);
    if (status != GW_OK) return status;
    for (int64_t at = 0; status == GW_OK && at < length; at += MD5_PIECE) {
        const int64_t count = gw_min(length - at, MD5_PIECE);
        status = gw_check_interrupt();
        if (status == GW_OK) status = read_letters(genome, contig, at, at + count, bases);
        if (status == GW_OK) gw_normalise_bases(bases, count);
        if (status == GW_OK) gw_md5_add(md5, bases, count);
    }
    gw_md5_finish_hex(md5, hex);
    return status;
}

// A thread has a file of its own.
typedef struct {
    gw_genome *reader; // [threads] with the contigs of the genome; path NULL: not open
    char **bases;      // [threads][MD5_PIECE]
    char (*hex)[33];   // [contigs] empty: not known
    const gw_genome *genome;
} contig_md5s;

static void md5_of_some(void *context, int64_t begin, int64_t end, int thread) {
    const contig_md5s *all = context;
    gw_genome *reader = &all->reader[thread];
    if (!reader->path) {
        if (gw_genome_file_open(&reader->file, all->genome->path) != GW_OK) return;
        reader->path = all->genome->path;
        reader->contigs = all->genome->contigs;
        all->bases[thread] = gw_alloc(MD5_PIECE, 1);
    }
    for (int64_t i = begin; all->bases[thread] && i < end; i++)
        if (md5_of_contig(reader, (int)i, all->bases[thread], all->hex[i]) != GW_OK) all->hex[i][0] = 0;
}

// Tells `md5` a line of each contig's name, length and MD5. A contig without an MD5 is read again, for the message.
static gw_status add_lines(gw_genome *genome, contig_md5s *all, gw_md5 *md5) {
    char *bases = gw_alloc(MD5_PIECE, 1);
    gw_status status = bases ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < gw_genome_contigs(genome); i++) {
        char numbers[64];
        const char *name = gw_genome_name(genome, i);
        if (!all->hex[i][0]) status = md5_of_contig(genome, i, bases, all->hex[i]);
        gw_md5_add(md5, name, (int64_t)strlen(name));
        gw_md5_add(
            md5, numbers,
            snprintf(numbers, sizeof numbers, "\t%lld\t%s\n", (long long)gw_genome_length(genome, i), all->hex[i]));
    }
    free(bases);
    return status;
}

static gw_status add_contigs(gw_genome *genome, gw_md5 *md5) {
    const int threads = gw_threads();
    contig_md5s all = {.reader = gw_alloc(threads, sizeof *all.reader),
                       .bases = gw_alloc(threads, sizeof *all.bases),
                       .hex = gw_alloc(gw_genome_contigs(genome), sizeof *all.hex),
                       .genome = genome};
    gw_status status = all.reader && all.bases && all.hex ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) gw_parallel_for(gw_genome_contigs(genome), 1, md5_of_some, &all);
    if (status == GW_OK) status = add_lines(genome, &all, md5);
    for (int i = 0; all.reader && all.bases && i < threads; i++) {
        if (all.reader[i].path) gw_genome_file_close(&all.reader[i].file);
        free(all.reader[i].raw);
        free(all.bases[i]);
    }
    free(all.reader);
    free(all.bases);
    free(all.hex);
    return status;
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
