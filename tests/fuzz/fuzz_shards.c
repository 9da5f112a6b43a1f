// SPDX-License-Identifier: MIT
// Bytes as both files of token shards, of which the first two bytes say how many are the index's: every token of every
// sentence of every document that it claims can be read.
#include "data/shards.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { MOST = 64 };

static int64_t read_sentence(const gw_shards *shards, int64_t sentence) {
    int32_t tokens[MOST];
    const int64_t length = gw_shards_sentence_length(shards, sentence);
    for (int64_t from = 0; from < length; from += MOST) {
        const int64_t count = length - from < MOST ? length - from : MOST;
        gw_shards_read(shards, sentence, from, count, tokens);
    }
    return length;
}

static void read_all(const gw_shards *shards) {
    int64_t tokens = 0, begin, end, before = 0;
    for (int64_t d = 0; d < gw_shards_documents(shards); d++) {
        gw_shards_document(shards, d, &begin, &end);
        if (begin != before || end < begin || end > gw_shards_sentences(shards)) abort();
        for (int64_t s = begin; s < end; s++) tokens += read_sentence(shards, s);
        before = end;
    }
    if (before != gw_shards_sentences(shards) || tokens != gw_shards_tokens(shards)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_shards *shards;
    if (size < 2) return 0;
    const size_t rest = size - 2, index = data[0] + 256u * data[1];
    const size_t split = index < rest ? index : rest;
    fuzz_file(path, "in.idx", data + 2, split);
    fuzz_file(path, "in.bin", data + 2 + split, rest - split);
    if (gw_shards_open(fuzz_path(path, "in"), &shards) != GW_OK) return 0;
    read_all(shards);
    gw_shards_close(shards);
    return 0;
}
