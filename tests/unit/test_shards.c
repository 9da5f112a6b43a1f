// SPDX-License-Identifier: MIT
// Token shards: what is written is read, the bytes are Megatron's, and every contradiction is named.
#include "base/memory.h"
#include "base/output.h"
#include "data/shards.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/godwit-shards.XXXXXX", prefix[64], bin[64], idx[64];

static void enter(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(prefix, sizeof prefix, "%s/x", folder);
    snprintf(bin, sizeof bin, "%s/x.bin", folder);
    snprintf(idx, sizeof idx, "%s/x.idx", folder);
}

static void leave(void) {
    unlink(bin);
    unlink(idx);
    rmdir(folder);
}

TestSuite(shards, .init = enter, .fini = leave);

// Documents {{1 2 3} {}} and {{last}} .
static void write_three(int32_t vocabulary, int32_t last) {
    gw_shard_writer *writer;
    unlink(bin);
    unlink(idx);
    cr_assert_eq(gw_shard_writer_open(prefix, vocabulary, &writer), GW_OK);
    cr_assert_eq(gw_shard_writer_end_document(writer), GW_OK); // empty: not stored
    cr_assert_eq(gw_shard_writer_add(writer, (int32_t[]){1, 2, 3}, 3), GW_OK);
    cr_assert_eq(gw_shard_writer_add(writer, NULL, 0), GW_OK);
    cr_assert_eq(gw_shard_writer_end_document(writer), GW_OK);
    cr_assert_eq(gw_shard_writer_end_document(writer), GW_OK);
    cr_assert_eq(gw_shard_writer_add(writer, &last, 1), GW_OK);
    cr_assert(!gw_file_exists(bin) && !gw_file_exists(idx));
    cr_assert_eq(gw_shard_writer_close(writer), GW_OK);
}

static void assert_reads(int32_t last) {
    gw_shards *s;
    cr_assert_eq(gw_shards_open(prefix, &s), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_shards_documents(s), 2);
    cr_assert_eq(gw_shards_sentences(s), 3);
    cr_assert_eq(gw_shards_tokens(s), 4);
    int64_t begin, end;
    gw_shards_document(s, 0, &begin, &end);
    cr_assert(begin == 0 && end == 2);
    gw_shards_document(s, 1, &begin, &end);
    cr_assert(begin == 2 && end == 3);
    cr_assert_eq(gw_shards_sentence_length(s, 0), 3);
    cr_assert_eq(gw_shards_sentence_length(s, 1), 0);
    int32_t tokens[2] = {0};
    gw_shards_read(s, 0, 1, 2, tokens);
    cr_assert(tokens[0] == 2 && tokens[1] == 3);
    gw_shards_read(s, 2, 0, 1, tokens);
    cr_assert_eq(tokens[0], last);
    gw_shards_close(s);
}

Test(shards, small_vocabulary_takes_two_bytes) {
    write_three(65499, 65498);
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file(idx, &bytes, &count), GW_OK);
    static const unsigned char expected[] = {
        'M', 'M', 'I', 'D', 'I', 'D', 'X', 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, // magic, version, uint16
        3,   0,   0,   0,   0,   0,   0,   0, 3, 0, 0, 0, 0, 0, 0, 0,       // sequences, document entries
        3,   0,   0,   0,   0,   0,   0,   0, 1, 0, 0, 0,                   // lengths
        0,   0,   0,   0,   0,   0,   0,   0, 6, 0, 0, 0, 0, 0, 0, 0,       // offsets
        6,   0,   0,   0,   0,   0,   0,   0,                               //
        0,   0,   0,   0,   0,   0,   0,   0, 2, 0, 0, 0, 0, 0, 0, 0,       // documents
        3,   0,   0,   0,   0,   0,   0,   0};
    cr_assert_eq(count, (int64_t)sizeof expected);
    cr_assert_eq(memcmp(bytes, expected, sizeof expected), 0);
    free(bytes);
    assert_reads(65498);
}

Test(shards, large_vocabulary_takes_four_bytes) {
    write_three(65500, 65499);
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file(bin, &bytes, &count), GW_OK);
    cr_assert_eq(count, 16);
    free(bytes);
    assert_reads(65499);
}

Test(shards, no_documents_at_all) {
    gw_shard_writer *writer;
    gw_shards *s;
    cr_assert_eq(gw_shard_writer_open(prefix, 10, &writer), GW_OK);
    cr_assert_eq(gw_shard_writer_close(writer), GW_OK);
    cr_assert_eq(gw_shards_open(prefix, &s), GW_OK, "%s", gw_message());
    cr_assert(gw_shards_documents(s) == 0 && gw_shards_sentences(s) == 0 && gw_shards_tokens(s) == 0);
    gw_shards_close(s);
}

Test(shards, writer_refuses_tokens_outside_the_vocabulary_and_leaves_nothing) {
    gw_shard_writer *writer;
    cr_assert_eq(gw_shard_writer_open(prefix, 10, &writer), GW_OK);
    cr_assert_eq(gw_shard_writer_add(writer, (int32_t[]){10}, 1), GW_ERR_RANGE);
    cr_assert_str_eq(gw_message(), "token 10 lies outside the vocabulary of 10");
    gw_shard_writer_abandon(writer);
    cr_assert(!gw_file_exists(bin) && !gw_file_exists(idx));
}

// Opens shards whose index had `count` bytes at `at` changed, or was cut to `at` bytes where count is 0.
static void assert_refused(int64_t at, int64_t count, const void *bytes, const char *message) {
    write_three(100, 7);
    char *index;
    int64_t size;
    cr_assert_eq(gw_read_file(idx, &index, &size), GW_OK);
    memcpy(index + at, bytes, (size_t)count);
    cr_assert_eq(gw_write_file(idx, index, count ? size : at), GW_OK);
    free(index);
    gw_shards *s;
    cr_assert_neq(gw_shards_open(prefix, &s), GW_OK, "expected: %s", message);
    cr_assert_null(s);
    cr_assert_not_null(strstr(gw_message(), message), "message '%s', expected '%s'", gw_message(), message);
    cr_assert_not_null(strstr(gw_message(), prefix));
}

Test(shards, damaged_index) {
    assert_refused(33, 0, "", "33 bytes, too short for the header");
    assert_refused(101, 0, "", "101 bytes do not hold 3 sentences and 3 document entries; is it cut short?");
    assert_refused(0, 1, "X", "does not begin with MMIDIDX");
    assert_refused(9, 1, "\2", "version 2 of the format, expected 1");
    assert_refused(17, 1, "\6", "token type 6");
    assert_refused(18, 1, "\4", "do not hold 4 sentences");
    assert_refused(18, 8, "\377\377\377\377\377\377\377\377", "do not hold 18446744073709551615 sentences");
    assert_refused(26, 8, "\0\0\0\0\0\0\0\0", "0 document entries");
    assert_refused(34, 4, "\377\377\377\377", "sentence 0 has length -1");
    assert_refused(34, 1, "\2", "sentence 1 is at byte 6, expected 4");
    assert_refused(42, 1, "\2", "8 bytes, but");
    assert_refused(46, 1, "\1", "sentence 0 is at byte 1, expected 0");
    assert_refused(70, 1, "\1", "document 0 starts at sentence 1");
    assert_refused(78, 1, "\4", "document 1 starts at sentence 4 of 3");
    assert_refused(86, 1, "\1", "document 2 starts at sentence 1 of 3, after one that starts at 2");
    assert_refused(86, 1, "\2", "the documents end at sentence 2 of 3");
}

Test(shards, missing_and_truncated_files) {
    gw_shards *s;
    cr_assert_eq(gw_shards_open(prefix, &s), GW_ERR_IO);
    cr_assert_not_null(strstr(gw_message(), "x.idx"));
    write_three(100, 7);
    cr_assert_eq(truncate(bin, 6), 0);
    cr_assert_eq(gw_shards_open(prefix, &s), GW_ERR_MISMATCH);
    cr_assert_not_null(strstr(gw_message(), "x.bin has 6 bytes, but"), "%s", gw_message());
    cr_assert_eq(unlink(bin), 0);
    cr_assert_eq(gw_shards_open(prefix, &s), GW_ERR_IO);
    cr_assert_not_null(strstr(gw_message(), "x.bin"));
}
