// SPDX-License-Identifier: MIT
// Bytes as the journal of `score`, the hash of whose first block is made right: what it gives back of a chunk names
// only what the run has, and a chunk can be added behind it.
#include "base/hash.h"
#include "score/score_journal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { ALLELES = 2, RAW = 2, CHUNK = 5, LABELS = 4, SITES = 2, HEAD = 48, BLOCK_HEAD = 32, HASH = 24 };

static void check(const gw_allele *alleles) {
    for (int i = 0; i < ALLELES; i++) {
        const gw_allele *a = &alleles[i];
        if ((unsigned)a->status >= GW_ALLELE_STATUSES) abort();
        if (gw_allele_is_scored(a->status) && (a->top < 0 || a->top >= LABELS || a->site < -1 || a->site >= SITES))
            abort();
    }
}

static uint8_t *with_hash(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size + 1);
    uint64_t length;
    if (!bytes) abort();
    memcpy(bytes, data, size);
    if (size < HEAD + BLOCK_HEAD) return bytes;
    memcpy(&length, bytes + HEAD + sizeof length, sizeof length);
    if (length > size - HEAD - BLOCK_HEAD) return bytes;
    const uint64_t hash = gw_hash_bytes(GW_HASH_START, bytes + HEAD + BLOCK_HEAD, (int64_t)length);
    memcpy(bytes + HEAD + HASH, &hash, sizeof hash);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const gw_score_journal_run run = {"0123456789abcdef0123456789abcdef", RAW, LABELS, SITES};
    char path[64], output[64];
    gw_score_journal *journal;
    gw_allele alleles[ALLELES];
    float raw[ALLELES * RAW] = {0};
    bool found = true;
    uint8_t *bytes = with_hash(data, size);
    fuzz_file(path, "out.vcf.journal", bytes, size);
    free(bytes);
    if (gw_score_journal_open(fuzz_path(output, "out.vcf"), &run, &journal) != GW_OK) return 0;
    for (int chunk = 0; found && chunk < 100; chunk++) {
        memset(alleles, 0, sizeof alleles);
        if (gw_score_journal_next(journal, CHUNK, alleles, ALLELES, raw, &found) != GW_OK) break;
        check(alleles);
    }
    if (!found && gw_score_journal_add(journal, CHUNK, alleles, ALLELES, raw) != GW_OK) abort();
    gw_score_journal_close(journal, false);
    return 0;
}
