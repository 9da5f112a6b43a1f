// SPDX-License-Identifier: MIT
// Writing token shards: .bin is streamed; .idx is made at the end from the lengths, since offsets are their sums.
#include "base/memory.h"
#include "base/output.h"
#include "data/shard_format.h"
#include "data/shards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void release(gw_shard_writer *w) {
    free(w->idx_path);
    free(w->lengths);
    free(w->starts);
    free(w->narrow);
    free(w);
}

void gw_shard_writer_abandon(gw_shard_writer *writer) {
    if (!writer) return;
    gw_output_abandon(&writer->bin);
    release(writer);
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

static gw_status narrowed(gw_shard_writer *w, const int32_t *tokens, int64_t count) {
    GW_TRY(gw_reserve(&w->narrow, &w->narrow_capacity, count, sizeof *w->narrow));
    for (int64_t i = 0; i < count; i++) w->narrow[i] = (uint16_t)tokens[i];
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
        GW_TRY(narrowed(writer, tokens, count));
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

static gw_status write_offsets(const gw_shard_writer *w, gw_output *idx) {
    int64_t offset = 0;
    for (int64_t i = 0; i < w->sentences; i++) {
        GW_TRY(gw_output_write(idx, &offset, sizeof offset));
        offset += (int64_t)w->lengths[i] * w->token_bytes;
    }
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
    GW_TRY(write_offsets(w, idx));
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
