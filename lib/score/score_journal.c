// SPDX-License-Identifier: MIT
// Blocks are read one by one while they match the requests. At the first mismatch, the file is truncated and written
// from there on. Each block is written with one write(2), so that it survives the process.
#include "score/score_journal.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char MAGIC[] = "godwit scores 1\n";
enum { MAGIC_LENGTH = sizeof MAGIC - 1, KEY_LENGTH = 32, HEAD = MAGIC_LENGTH + KEY_LENGTH };

typedef struct {
    uint64_t alleles, bytes, chunk, hash;
} block_head;

struct gw_score_journal {
    char *path;
    int file;
    int64_t raw_values, labels, sites; // gw_score_journal_run
    int64_t end;                       // of the blocks that hold
    bool began;                        // this run wrote its head
    bool reading;                      // the block at `end` may answer the next chunk
    gw_string block;
};

static gw_status cannot(const char *verb, const gw_score_journal *journal) {
    return gw_fail(GW_ERR_IO, "cannot %s %s: %s", verb, journal->path, strerror(errno));
}

// Reads until `count` bytes are there or the file ends.
static int64_t read_at(const gw_score_journal *journal, void *bytes, int64_t count, int64_t from) {
    int64_t got = 0;
    for (ssize_t part = 1; got < count && part > 0; got += part > 0 ? part : 0)
        part = pread(journal->file, (char *)bytes + got, (size_t)(count - got), (off_t)(from + got));
    return got;
}

static gw_status write_at(gw_score_journal *journal, const void *bytes, int64_t count) {
    for (int64_t done = 0; done < count;) {
        const ssize_t part =
            pwrite(journal->file, (const char *)bytes + done, (size_t)(count - done), (off_t)(journal->end + done));
        if (part <= 0) return cannot("write", journal);
        done += part;
    }
    journal->end += count;
    return GW_OK;
}

static gw_status open_file(gw_score_journal *journal, const char *key) {
    char head[HEAD], found[HEAD];
    memcpy(head, MAGIC, MAGIC_LENGTH);
    memcpy(head + MAGIC_LENGTH, key, KEY_LENGTH);
    journal->file = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (journal->file < 0 && errno == ELOOP)
        return gw_fail(GW_ERR_IO, "%s is a link, which a journal never is: remove it", journal->path);
    if (journal->file < 0) return cannot("create", journal);
    if (flock(journal->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return gw_fail(GW_ERR_IO, "%s is in use: another run writes the same output", journal->path);
    const bool same = read_at(journal, found, HEAD, 0) == HEAD && memcmp(head, found, HEAD) == 0;
    if (!same) {
        journal->began = true;
        if (ftruncate(journal->file, 0) != 0) return cannot("write", journal);
        return write_at(journal, head, HEAD);
    }
    journal->end = HEAD;
    journal->reading = true;
    return GW_OK;
}

gw_status gw_score_journal_open(const char *output, const gw_score_journal_run *run, gw_score_journal **out) {
    *out = NULL;
    gw_score_journal *journal = gw_alloc(1, sizeof *journal);
    if (!journal) return GW_ERR_MEMORY;
    journal->file = -1;
    journal->raw_values = run->raw_values;
    journal->labels = run->labels;
    journal->sites = run->sites;
    journal->path = gw_strprintf("%s.journal", output);
    const gw_status status = journal->path ? open_file(journal, run->key) : GW_ERR_MEMORY;
    if (status == GW_OK) *out = journal;
    else {
        if (journal->began) unlink(journal->path); // of a full disk
        if (journal->file >= 0) close(journal->file);
        free(journal->path);
        free(journal);
    }
    return status;
}

static int64_t block_bytes(const gw_score_journal *journal, int64_t count) {
    return count * (int64_t)sizeof(gw_allele) + count * journal->raw_values * (int64_t)sizeof(float);
}

// Whether what the block keeps can be of the alleles: anyone may have written the file.
static bool is_of(const gw_score_journal *journal, const gw_allele *alleles, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        gw_allele kept;
        unsigned char swapped; // a byte that is neither 0 nor 1 is not a bool
        memcpy(&kept, journal->block.data + i * (int64_t)sizeof kept, sizeof kept);
        memcpy(&swapped, (const char *)&kept + offsetof(gw_allele, swapped), sizeof swapped);
        if ((unsigned)kept.status >= GW_ALLELE_STATUSES || swapped != alleles[i].swapped) return false;
        if (kept.known != alleles[i].known) return false;
        if (!gw_allele_is_scored(kept.status)) continue;
        const bool top = journal->labels == 0 || (kept.top >= 0 && kept.top < journal->labels);
        const bool site = journal->sites == 0 || (kept.site >= -1 && kept.site < journal->sites);
        if ((alleles[i].status != GW_ALLELE_PASS && alleles[i].known == GW_COMPUTED) || !top || !site) return false;
    }
    return true;
}

// Whether the block at the end is whole and answers the chunk; its bytes are then in journal->block.
static gw_status read_block(gw_score_journal *journal, uint64_t chunk, const gw_allele *alleles, int64_t count,
                            bool *found) {
    block_head head;
    const int64_t bytes = block_bytes(journal, count);
    *found = false;
    if (read_at(journal, &head, sizeof head, journal->end) != sizeof head) return GW_OK;
    if (head.alleles != (uint64_t)count || head.bytes != (uint64_t)bytes || head.chunk != chunk) return GW_OK;
    gw_string_clear(&journal->block);
    GW_TRY(gw_reserve(&journal->block.data, &journal->block.capacity, bytes + 1, 1));
    if (read_at(journal, journal->block.data, bytes, journal->end + (int64_t)sizeof head) != bytes) return GW_OK;
    *found = gw_hash_bytes(GW_HASH_START, journal->block.data, bytes) == head.hash && is_of(journal, alleles, count);
    return GW_OK;
}

gw_status gw_score_journal_next(gw_score_journal *journal, uint64_t chunk, gw_allele *alleles, int64_t count,
                                float *raw, bool *found) {
    *found = false;
    if (journal->reading) GW_TRY(read_block(journal, chunk, alleles, count, found));
    if (!*found) {
        if (journal->reading && ftruncate(journal->file, (off_t)journal->end) != 0) return cannot("write", journal);
        journal->reading = false;
        return GW_OK;
    }
    const char *from = journal->block.data;
    for (int64_t i = 0; i < count; i++, from += sizeof *alleles) {
        const gw_variant variant = alleles[i].variant; // its texts are the record's
        memcpy(&alleles[i], from, sizeof *alleles);
        alleles[i].variant = variant;
    }
    if (raw) memcpy(raw, from, (size_t)(count * journal->raw_values) * sizeof *raw);
    journal->end += (int64_t)sizeof(block_head) + block_bytes(journal, count);
    return GW_OK;
}

gw_status gw_score_journal_add(gw_score_journal *journal, uint64_t chunk, const gw_allele *alleles, int64_t count,
                               const float *raw) {
    gw_string *block = &journal->block;
    block_head head = {(uint64_t)count, (uint64_t)block_bytes(journal, count), chunk, 0};
    gw_string_clear(block);
    gw_string_append(block, &head, sizeof head);
    for (int64_t i = 0; i < count; i++) {
        gw_allele allele = alleles[i];
        allele.variant = (gw_variant){0};
        gw_string_append(block, &allele, sizeof allele);
    }
    if (raw) gw_string_append(block, raw, count * journal->raw_values * (int64_t)sizeof *raw);
    GW_TRY(gw_string_status(block));
    head.hash = gw_hash_bytes(GW_HASH_START, block->data + sizeof head, (int64_t)head.bytes);
    memcpy(block->data, &head, sizeof head);
    return write_at(journal, block->data, block->length);
}

const char *gw_score_journal_path(const gw_score_journal *journal) {
    return journal->path;
}

bool gw_score_journal_is_empty(const gw_score_journal *journal) {
    return journal->end <= HEAD;
}

void gw_score_journal_close(gw_score_journal *journal, bool done) {
    if (!journal) return;
    if (done) gw_outputs_remove_later(journal->path);
    else if (gw_score_journal_is_empty(journal)) unlink(journal->path);
    close(journal->file);
    gw_string_free(&journal->block);
    free(journal->path);
    free(journal);
}
