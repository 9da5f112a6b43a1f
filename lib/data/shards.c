// SPDX-License-Identifier: MIT
// Token shards: written as a stream, read from mapped files.
#include "data/shards.h"

#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// --- writing: .bin is streamed; .idx is made at the end from the lengths, since offsets are their sums --------------

struct gw_shard_writer {
    char *idx_path;
    gw_output bin;
    int32_t vocabulary;
    int token_bytes;
    int32_t *lengths; // of sentences
    int64_t sentences, lengths_capacity;
    int64_t *starts; // first sentence of each document, and one past the last
    int64_t documents, starts_capacity;
    uint16_t *narrow; // a sentence as uint16
    int64_t narrow_capacity;
};

void gw_shard_writer_abandon(gw_shard_writer *writer) {
    if (!writer) return;
    gw_output_abandon(&writer->bin);
    free(writer->idx_path);
    free(writer->lengths);
    free(writer->starts);
    free(writer->narrow);
    free(writer);
}

gw_status gw_shard_writer_open(const char *prefix, int32_t vocabulary, gw_shard_writer **out) {
    *out = NULL;
    gw_shard_writer *w = gw_alloc(1, sizeof *w);
    if (!w) return GW_ERR_MEMORY;
    w->vocabulary = vocabulary;
    w->token_bytes = vocabulary < GW_SHARD_UINT16_VOCABULARY ? 2 : 4;
    w->idx_path = gw_strprintf("%s.idx", prefix);
    char *bin_path = gw_strprintf("%s.bin", prefix);
    gw_status status = w->idx_path && bin_path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_reserve(&w->starts, &w->starts_capacity, 1, sizeof *w->starts);
    if (status == GW_OK) status = gw_output_open(&w->bin, bin_path);
    free(bin_path);
    if (status != GW_OK) {
        gw_shard_writer_abandon(w);
        return status;
    }
    w->starts[0] = 0;
    *out = w;
    return GW_OK;
}

gw_status gw_shard_writer_add(gw_shard_writer *writer, const int32_t *tokens, int64_t count) {
    if (count > INT32_MAX)
        return gw_fail(GW_ERR_RANGE, "a sentence of %lld tokens, expected at most %d", (long long)count, INT32_MAX);
    for (int64_t i = 0; i < count; i++)
        if (tokens[i] < 0 || tokens[i] >= writer->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d lies outside the vocabulary of %d", tokens[i], writer->vocabulary);
    GW_TRY(gw_reserve(&writer->lengths, &writer->lengths_capacity, writer->sentences + 1, sizeof *writer->lengths));
    const void *bytes = tokens;
    if (writer->token_bytes == 2) {
        GW_TRY(gw_reserve(&writer->narrow, &writer->narrow_capacity, count, sizeof *writer->narrow));
        for (int64_t i = 0; i < count; i++) writer->narrow[i] = (uint16_t)tokens[i];
        bytes = writer->narrow;
    }
    GW_TRY(gw_output_write(&writer->bin, bytes, count * writer->token_bytes));
    writer->lengths[writer->sentences++] = (int32_t)count;
    return GW_OK;
}

gw_status gw_shard_writer_end_document(gw_shard_writer *writer) {
    if (writer->starts[writer->documents] == writer->sentences) return GW_OK;
    GW_TRY(gw_reserve(&writer->starts, &writer->starts_capacity, writer->documents + 2, sizeof *writer->starts));
    writer->starts[++writer->documents] = writer->sentences;
    return GW_OK;
}

static gw_status write_index(const gw_shard_writer *w, gw_output *idx) {
    gw_shard_header header = {.version = 1,
                              .dtype = w->token_bytes == 2 ? GW_SHARD_UINT16 : GW_SHARD_INT32,
                              .sentences = (uint64_t)w->sentences,
                              .document_entries = (uint64_t)w->documents + 1};
    memcpy(header.magic, GW_SHARD_MAGIC, sizeof header.magic);
    GW_TRY(gw_output_write(idx, &header, sizeof header));
    GW_TRY(gw_output_write(idx, w->lengths, w->sentences * (int64_t)sizeof *w->lengths));
    int64_t offset = 0;
    for (int64_t i = 0; i < w->sentences; i++) {
        GW_TRY(gw_output_write(idx, &offset, sizeof offset));
        offset += (int64_t)w->lengths[i] * w->token_bytes;
    }
    GW_TRY(gw_output_write(idx, w->starts, (w->documents + 1) * (int64_t)sizeof *w->starts));
    if (fflush(idx->stream) != 0) return gw_fail(GW_ERR_IO, "cannot write %s: %s", w->idx_path, strerror(errno));
    return GW_OK;
}

// Both files are complete on the disk before the first of them gets its name.
gw_status gw_shard_writer_close(gw_shard_writer *writer) {
    gw_output idx = {0};
    gw_status status = gw_shard_writer_end_document(writer);
    if (status == GW_OK) status = gw_output_open(&idx, writer->idx_path);
    if (status == GW_OK) status = write_index(writer, &idx);
    if (status == GW_OK) status = gw_output_close(&writer->bin);
    if (status == GW_OK) status = gw_output_close(&idx);
    else gw_output_abandon(&idx);
    gw_shard_writer_abandon(writer);
    return status;
}

// --- reading --------------------------------------------------------------------------------------------------------
//
// The index is checked once against itself and against the size of .bin; after that no access can
// leave the files. Little endian, as every machine this runs on.

typedef struct {
    char *path;
    const char *bytes; // NULL for an empty file
    int64_t size;
} mapped_file;

struct gw_shards {
    mapped_file bin, idx;
    int64_t sentences, documents, tokens;
    int token_bytes;
    const char *lengths, *offsets, *starts; // i32, i64, i64; not aligned in the file
};

static int64_t i64_at(const char *array, int64_t index) {
    int64_t value;
    memcpy(&value, array + 8 * index, sizeof value);
    return value;
}

static int32_t i32_at(const char *array, int64_t index) {
    int32_t value;
    memcpy(&value, array + 4 * index, sizeof value);
    return value;
}

static gw_status map_file(const char *prefix, const char *suffix, mapped_file *out) {
    out->path = gw_strprintf("%s%s", prefix, suffix);
    if (!out->path) return GW_ERR_MEMORY;
    const int file = open(out->path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return gw_fail(GW_ERR_IO, "cannot open %s: %s", out->path, strerror(errno));
    struct stat info;
    gw_status status = GW_OK;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        status = gw_fail(GW_ERR_IO, "cannot read %s: not a regular file", out->path);
    else out->size = info.st_size;
    if (status == GW_OK && out->size > 0) {
        void *memory = mmap(NULL, (size_t)out->size, PROT_READ, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) status = gw_fail(GW_ERR_IO, "cannot map %s: %s", out->path, strerror(errno));
        else out->bytes = memory;
    }
    close(file);
    return status;
}

static void unmap_file(mapped_file *file) {
    if (file->bytes) munmap((void *)(uintptr_t)file->bytes, (size_t)file->size);
    free(file->path);
}

static gw_status read_header(gw_shards *s) {
    const char *path = s->idx.path;
    gw_shard_header header;
    if (s->idx.size < (int64_t)sizeof header)
        return gw_fail(GW_ERR_FORMAT, "%s: %lld bytes, too short for the header of an index", path,
                       (long long)s->idx.size);
    memcpy(&header, s->idx.bytes, sizeof header);
    if (memcmp(header.magic, GW_SHARD_MAGIC, sizeof header.magic) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: not an index of token shards (it does not begin with MMIDIDX)", path);
    if (header.version != 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: version %llu of the format, expected 1", path,
                       (unsigned long long)header.version);
    s->token_bytes = header.dtype == GW_SHARD_UINT16 ? 2 : header.dtype == GW_SHARD_INT32 ? 4 : 0;
    if (s->token_bytes == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: token type %d, expected %d (int32) or %d (uint16)", path, header.dtype,
                       GW_SHARD_INT32, GW_SHARD_UINT16);
    const uint64_t sentences = header.sentences, starts = header.document_entries, most = (uint64_t)s->idx.size;
    const bool fits = sentences <= most && starts <= most && starts > 0;
    const uint64_t expected = fits ? sizeof header + 12 * sentences + 8 * starts : 0;
    if (!fits || expected != most)
        return gw_fail(GW_ERR_FORMAT,
                       "%s: %lld bytes do not hold %llu sentences and %llu document entries; is it cut short?", path,
                       (long long)s->idx.size, (unsigned long long)sentences, (unsigned long long)starts);
    s->sentences = (int64_t)sentences;
    s->documents = (int64_t)starts - 1;
    s->lengths = s->idx.bytes + sizeof header;
    s->offsets = s->lengths + 4 * sentences;
    s->starts = s->offsets + 8 * sentences;
    return GW_OK;
}

static gw_status check_sentences(gw_shards *s) {
    for (int64_t i = 0; i < s->sentences; i++) {
        const int32_t length = i32_at(s->lengths, i);
        if (length < 0)
            return gw_fail(GW_ERR_FORMAT, "%s: sentence %lld has length %d", s->idx.path, (long long)i, length);
        if (i64_at(s->offsets, i) != s->tokens * s->token_bytes)
            return gw_fail(GW_ERR_FORMAT,
                           "%s: sentence %lld is at byte %lld, expected %lld (the end of the one before)", s->idx.path,
                           (long long)i, (long long)i64_at(s->offsets, i), (long long)(s->tokens * s->token_bytes));
        s->tokens += length;
    }
    if (s->tokens * s->token_bytes != s->bin.size)
        return gw_fail(GW_ERR_MISMATCH, "%s has %lld bytes, but %s lists %lld tokens of %d bytes", s->bin.path,
                       (long long)s->bin.size, s->idx.path, (long long)s->tokens, s->token_bytes);
    return GW_OK;
}

static gw_status check_documents(const gw_shards *s) {
    int64_t before = 0;
    for (int64_t i = 0; i <= s->documents; i++) {
        const int64_t start = i64_at(s->starts, i);
        if (start < before || start > s->sentences || (i == 0 && start != 0))
            return gw_fail(GW_ERR_FORMAT,
                           "%s: document %lld starts at sentence %lld of %lld, after one that starts at %lld",
                           s->idx.path, (long long)i, (long long)start, (long long)s->sentences, (long long)before);
        before = start;
    }
    if (before != s->sentences)
        return gw_fail(GW_ERR_FORMAT, "%s: the documents end at sentence %lld of %lld", s->idx.path, (long long)before,
                       (long long)s->sentences);
    return GW_OK;
}

gw_status gw_shards_open(const char *prefix, gw_shards **out) {
    *out = NULL;
    gw_shards *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    gw_status status = map_file(prefix, ".idx", &s->idx);
    if (status == GW_OK) status = map_file(prefix, ".bin", &s->bin);
    if (status == GW_OK) status = read_header(s);
    if (status == GW_OK) status = check_sentences(s);
    if (status == GW_OK) status = check_documents(s);
    if (status == GW_OK) *out = s;
    else gw_shards_close(s);
    return status;
}

void gw_shards_close(gw_shards *shards) {
    if (!shards) return;
    unmap_file(&shards->bin);
    unmap_file(&shards->idx);
    free(shards);
}

int64_t gw_shards_documents(const gw_shards *shards) {
    return shards->documents;
}

int64_t gw_shards_sentences(const gw_shards *shards) {
    return shards->sentences;
}

int64_t gw_shards_tokens(const gw_shards *shards) {
    return shards->tokens;
}

void gw_shards_document(const gw_shards *shards, int64_t document, int64_t *begin, int64_t *end) {
    *begin = i64_at(shards->starts, document);
    *end = i64_at(shards->starts, document + 1);
}

int64_t gw_shards_sentence_length(const gw_shards *shards, int64_t sentence) {
    return i32_at(shards->lengths, sentence);
}

void gw_shards_read(const gw_shards *shards, int64_t sentence, int64_t from, int64_t count, int32_t *tokens) {
    if (count <= 0) return;
    const char *bytes = shards->bin.bytes + i64_at(shards->offsets, sentence) + from * shards->token_bytes;
    if (shards->token_bytes == 4) {
        memcpy(tokens, bytes, (size_t)count * 4);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        uint16_t token;
        memcpy(&token, bytes + 2 * i, sizeof token);
        tokens[i] = token;
    }
}
