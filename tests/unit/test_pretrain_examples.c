// SPDX-License-Identifier: MIT
// Pretraining examples: order, chunks, sentence pairs, masks.
#include "base/random.h"
#include "data/batch.h"
#include "data/pack.h"
#include "data/shards.h"
#include "data/shuffle.h"
#include "seq/genome/genome.h"
#include "tests/unit/scratch.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { GENOME = 6000, LETTER_A = GW_SPECIAL_TOKENS };

TestSuite(examples, .init = scratch_enter, .fini = scratch_leave);

Test(examples, order_is_a_permutation_of_every_size) {
    const int64_t sizes[] = {1, 2, 3, 4, 5, 17, 64, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        char seen[1000] = {0};
        for (int64_t i = 0; i < sizes[s]; i++) {
            const int64_t at = gw_shuffle(7, 3, sizes[s], i);
            cr_assert(at >= 0 && at < sizes[s]);
            cr_assert_eq(seen[at]++, 0, "%lld comes twice of %lld", (long long)at, (long long)sizes[s]);
        }
    }
}

Test(examples, order_changes_with_epoch_and_seed) {
    int same_epoch = 0, same_seed = 0;
    for (int64_t i = 0; i < 1000; i++) {
        same_epoch += gw_shuffle(7, 0, 1000, i) == gw_shuffle(7, 1, 1000, i);
        same_seed += gw_shuffle(7, 0, 1000, i) == gw_shuffle(8, 0, 1000, i);
        cr_assert_eq(gw_shuffle(7, 0, 1000, i), gw_shuffle(7, 0, 1000, i));
    }
    cr_assert_lt(same_epoch, 10);
    cr_assert_lt(same_seed, 10);
}

// Shards of letters: documents of sentences of the given lengths, cut one after the other from `bases`.
static gw_shards *make_shards(const char *prefix, const char *bases, const int64_t (*lengths)[4], int documents) {
    gw_shard_writer *writer;
    gw_shards *shards;
    cr_assert_eq(gw_shard_writer_open(prefix, 10, &writer), GW_OK);
    for (int d = 0; d < documents; d++) {
        for (int s = 0; s < 4 && lengths[d][s] > 0; s++) {
            int32_t tokens[GENOME];
            for (int64_t i = 0; i < lengths[d][s]; i++) {
                const char *letter = strchr("ACGTN", *bases++);
                tokens[i] = LETTER_A + (int32_t)(letter - "ACGTN");
            }
            cr_assert_eq(gw_shard_writer_add(writer, tokens, lengths[d][s]), GW_OK);
        }
        cr_assert_eq(gw_shard_writer_end_document(writer), GW_OK);
    }
    cr_assert_eq(gw_shard_writer_close(writer), GW_OK);
    cr_assert_eq(gw_shards_open(prefix, &shards), GW_OK, "%s", gw_message());
    return shards;
}

static void random_bases(char *bases, int64_t count) {
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int64_t i = 0; i < count; i++) bases[i] = "ACGT"[gw_random_below(&random, 4)];
}

Test(examples, chunks_hold_every_token_once_and_are_nearly_equal) {
    char bases[GENOME];
    random_bases(bases, GENOME);
    gw_shards *shards = make_shards("x", bases, (const int64_t[][4]){{100, 57, 3}, {1}, {64}, {65}}, 4);
    gw_pack *pack;
    int64_t at = 0;
    cr_assert_eq(gw_pack_new(&shards, 1, 64, 1, &pack), GW_OK);
    cr_assert_eq(gw_pack_chunks(pack), 3 + 1 + 1 + 2);
    for (int64_t c = 0; c < gw_pack_chunks(pack); c++) {
        const gw_span chunk = gw_pack_chunk(pack, c);
        int32_t tokens[64];
        cr_assert(chunk.count >= 1 && chunk.count <= 64);
        if (chunk.document == 0) cr_assert(chunk.count == 53 || chunk.count == 54);
        gw_pack_read(pack, chunk, tokens);
        for (int64_t i = 0; i < chunk.count; i++) cr_assert_eq("ACGTN"[tokens[i] - LETTER_A], bases[at++]);
    }
    cr_assert_eq(at, 160 + 1 + 64 + 65);
    gw_pack_free(pack);
    cr_assert_eq(gw_pack_new(&shards, 1, 64, 2, &pack), GW_OK); // the document of one token is left out
    cr_assert_eq(gw_pack_chunks(pack), 3 + 1 + 2);
    gw_pack_free(pack);
    cr_assert_eq(gw_pack_new(&shards, 1, 200, 161, &pack), GW_ERR_FORMAT);
    gw_shards_close(shards);
}

Test(examples, borders_lie_between_sentences) {
    char bases[GENOME];
    random_bases(bases, GENOME);
    gw_shards *shards = make_shards("x", bases, (const int64_t[][4]){{10, 20, 30}}, 1);
    gw_pack *pack;
    int64_t offset = -1;
    cr_assert_eq(gw_pack_new(&shards, 1, 100, 1, &pack), GW_OK);
    const gw_span whole = {0, 0, 0, 60}, inside = {0, 0, 10, 20}, both = {0, 0, 5, 26};
    cr_assert_eq(gw_pack_borders(pack, whole, 1, &offset), 2);
    cr_assert_eq(offset, 30);
    offset = -1;
    cr_assert_eq(gw_pack_borders(pack, inside, 0, &offset), 0);
    cr_assert_eq(offset, -1);
    cr_assert_eq(gw_pack_borders(pack, both, 1, &offset), 2);
    cr_assert_eq(offset, 25);
    gw_pack_free(pack);
    gw_shards_close(shards);
}

Test(examples, texts_overlap_where_ends_agree) {
    const char *text = "ACGTTGCATGCCGATTACGGATCCATGCAAT";
    cr_assert(gw_texts_overlap(text, 20, text + 10, 20));     // 10 common bases
    cr_assert(gw_texts_overlap(text + 10, 20, text, 20));     // the other way round
    cr_assert(gw_texts_overlap(text, 30, text + 5, 9));       // inside
    cr_assert(gw_texts_overlap(text, 30, text + 5, 3));       // a short piece inside
    cr_assert_not(gw_texts_overlap(text, 15, text + 15, 15)); // neighbours
    char changed[32];
    memcpy(changed, text, 31);
    changed[16] = changed[16] == 'A' ? 'C' : 'A';
    cr_assert_not(gw_texts_overlap(text, 20, changed + 10, 20)); // one base within the overlap differs
    cr_assert_not(gw_texts_overlap(text, 0, text, 0));
}

// Two repeats of the same genome, the second one on the other strand and cut elsewhere, plus a third of half the
// genome.
static gw_shards *repeated_genome(char genome[GENOME], int64_t begin[3]) {
    static char text[3 * GENOME];
    random_bases(genome, GENOME);
    genome[2500] = 'N';
    memcpy(text, genome, GENOME);
    gw_reverse_complement(genome, GENOME, text + GENOME);
    memcpy(text + 2 * GENOME, genome, GENOME / 2);
    begin[0] = 0;
    begin[1] = GENOME;
    begin[2] = 2 * GENOME;
    static const int64_t lengths[][4] = {{700, 800, 500},  {900, 1100}, {700, 700, 600}, {650, 850, 900},
                                         {600, 900, 1000}, {500, 600},  {900, 600},      {700, 800}};
    return make_shards("repeats", text, lengths, 8);
}

// Where a document of repeated_genome() was read, forward coordinates.
static void locus(gw_span span, int64_t *begin, int64_t *end) {
    static const int64_t first[] = {0, 2000, 4000, 6000, 8400, 10900, 12000, 13500};
    const int64_t b = first[span.document] + span.begin, e = b + span.count;
    const int64_t repeat = b / GENOME;
    *begin = repeat == 1 ? 2 * GENOME - e : b - repeat * GENOME;
    *end = repeat == 1 ? 2 * GENOME - b : e - repeat * GENOME;
}

Test(examples, pairs_are_half_random_alike_in_length_and_never_overlap) {
    char genome[GENOME];
    int64_t starts[3];
    gw_tokenizer *letters;
    gw_pack *pack;
    gw_pair_maker *maker;
    gw_shards *shards = repeated_genome(genome, starts);
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_pack_new(&shards, 1, 253, 2, &pack), GW_OK);
    cr_assert_eq(gw_pair_maker_new(pack, letters, 5, &maker), GW_OK);
    enum { DRAWS = 4000 };
    int64_t count[2] = {0}, sum[2] = {0};
    for (int64_t i = 0; i < DRAWS; i++) {
        gw_pair pair, again;
        const int64_t c = i % gw_pack_chunks(pack);
        const gw_span chunk = gw_pack_chunk(pack, c);
        cr_assert_eq(gw_pair_draw(maker, GW_SITE_PAIR, i, c, &pair), GW_OK);
        cr_assert_eq(gw_pair_draw(maker, GW_SITE_PAIR, i, c, &again), GW_OK);
        cr_assert_eq(memcmp(&pair.b, &again.b, sizeof pair.b), 0);
        cr_assert(pair.a.count >= 1 && pair.b.count >= 1);
        cr_assert_eq(pair.a.count + pair.b.count, chunk.count);
        cr_assert_eq(pair.a.begin, chunk.begin);
        count[pair.label]++;
        sum[pair.label] += pair.b.count;
        if (pair.label == 0) {
            cr_assert_eq(pair.b.document, pair.a.document);
            cr_assert_eq(pair.b.begin, pair.a.begin + pair.a.count);
            continue;
        }
        int64_t a[2], b[2];
        locus(pair.a, &a[0], &a[1]);
        locus(pair.b, &b[0], &b[1]);
        cr_assert_neq(pair.a.document, pair.b.document);
        cr_assert(a[1] <= b[0] || b[1] <= a[0], "[%lld, %lld) and [%lld, %lld) overlap", (long long)a[0],
                  (long long)a[1], (long long)b[0], (long long)b[1]);
    }
    cr_assert(count[1] > DRAWS * 46 / 100 && count[1] < DRAWS * 54 / 100, "%lld random", (long long)count[1]);
    const double difference = (double)sum[0] / (double)count[0] - (double)sum[1] / (double)count[1];
    cr_assert(difference > -10 && difference < 10, "mean lengths differ by %g", difference);
    gw_pair_maker_free(maker);
    gw_pack_free(pack);
    gw_tokenizer_free(letters);
    gw_shards_close(shards);
}

Test(examples, overlap_of_one_base_is_seen) {
    char genome[GENOME];
    int64_t starts[3];
    gw_tokenizer *letters;
    gw_pack *pack;
    gw_pair_maker *maker;
    bool overlap;
    gw_shards *shards = repeated_genome(genome, starts);
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_pack_new(&shards, 1, 253, 2, &pack), GW_OK);
    cr_assert_eq(gw_pair_maker_new(pack, letters, 5, &maker), GW_OK);
    const gw_span a = {0, 0, 100, 200}, last_base = {0, 6, 299, 100}, far = {0, 6, 320, 100};
    cr_assert_eq(gw_spans_overlap(maker, a, last_base, &overlap), GW_OK);
    cr_assert(overlap);
    cr_assert_eq(gw_spans_overlap(maker, a, far, &overlap), GW_OK);
    cr_assert_not(overlap);
    const gw_span reverse = {0, 5, 1100 - 300, 150}; // the genome's [150, 300), read on the other strand
    cr_assert_eq(gw_spans_overlap(maker, a, reverse, &overlap), GW_OK);
    cr_assert(overlap);
    gw_pair_maker_free(maker);
    gw_pack_free(pack);
    gw_tokenizer_free(letters);
    gw_shards_close(shards);
}

Test(examples, masks_keep_their_rates_and_leave_n_alone) {
    enum { LENGTH = 403, ROUNDS = 400, N = LETTER_A + 4 };
    gw_tokenizer *letters;
    gw_masker masker;
    int32_t original[LENGTH], token[LENGTH], row[LENGTH], label[LENGTH];
    int64_t masked = 0, replaced = 0, kept = 0, total = 0;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_masker_make(&masker, letters, 0.15), GW_OK);
    cr_assert_eq(masker.ordinary_count, 4);
    original[0] = GW_TOKEN_CLS;
    for (int i = 1; i < LENGTH - 1; i++) original[i] = i % 10 == 0 ? N : LETTER_A + i % 4;
    original[LENGTH - 1] = GW_TOKEN_SEP;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        gw_random random = gw_random_at(1, GW_SITE_MASK, round, 0);
        memcpy(token, original, sizeof token);
        const int64_t count = gw_mask(&masker, &random, token, LENGTH, row, label);
        cr_assert_eq(count, 54); // 15 % of the 361 letters that are no N
        for (int64_t i = 0; i < count; i++) {
            cr_assert(i == 0 || row[i] > row[i - 1]);
            cr_assert_eq(label[i], original[row[i]]);
            cr_assert(label[i] >= LETTER_A && label[i] < N);
            masked += token[row[i]] == GW_TOKEN_MASK;
            kept += token[row[i]] == label[i];
            replaced += token[row[i]] != GW_TOKEN_MASK && token[row[i]] != label[i];
            cr_assert_neq(token[row[i]], N);
            token[row[i]] = label[i];
        }
        cr_assert_eq(memcmp(token, original, sizeof token), 0, "a token that was not chosen changed");
        total += count;
    }
    // 80 % [MASK]; of the 10 % random letters a quarter are the letter that was there.
    cr_assert(masked > total * 79 / 100 && masked < total * 81 / 100);
    cr_assert(replaced > total * 65 / 1000 && replaced < total * 85 / 1000);
    cr_assert(kept > total * 115 / 1000 && kept < total * 135 / 1000);
    gw_masker_free(&masker);
    gw_tokenizer_free(letters);
}

Test(examples, nothing_to_mask_is_no_endless_loop) {
    gw_tokenizer *letters;
    gw_masker masker;
    int32_t token[3] = {GW_TOKEN_CLS, LETTER_A + 4, GW_TOKEN_SEP}, row[1], label[1];
    gw_random random = gw_random_at(1, GW_SITE_MASK, 0, 0);
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_masker_make(&masker, letters, 0.15), GW_OK);
    cr_assert_eq(gw_mask(&masker, &random, token, 3, row, label), 0);
    gw_masker_free(&masker);
    gw_tokenizer_free(letters);
}

// Words of several tokens, as a vocabulary of bytes with one merge spells them.
Test(examples, words_are_masked_whole_and_as_often_as_tokens) {
    enum { LENGTH = 400, ROUNDS = 400 };
    gw_bpe_trainer *trainer;
    gw_tokenizer *t;
    gw_masker masker;
    gw_random random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    cr_assert_eq(gw_bpe_trainer_new_bytes(&trainer), GW_OK);
    cr_assert_eq(gw_bpe_trainer_add(trainer, " xy xy", 6), GW_OK);
    cr_assert_eq(gw_bpe_trainer_run(trainer, GW_BYTE_VOCABULARY + 1, &t), GW_OK);
    gw_bpe_trainer_free(trainer);
    cr_assert_eq(gw_masker_make(&masker, t, 0.15), GW_OK);
    cr_assert_eq(gw_masker_take_words(&masker, t), GW_OK, "%s", gw_message());
    int32_t letter = 0, begin = 0;
    for (int32_t i = 0; i < gw_tokenizer_size(t); i++) {
        if (strcmp(gw_tokenizer_text(t, i), "a") == 0) letter = i;
        if (strcmp(gw_tokenizer_text(t, i), "\xc4\xa0") == 0) begin = i;
    }
    cr_assert(!masker.continues[begin] && masker.continues[letter]);
    int64_t chosen = 0, of_place[4] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        int32_t token[LENGTH], row[LENGTH], label[LENGTH];
        bool masked[LENGTH] = {0};
        for (int i = 0; i < LENGTH; i++) token[i] = i % 4 == 0 ? begin : letter; // words of four
        token[4 * 20] = GW_TOKEN_SEP;                                            // of which one lacks its first
        const int64_t count = gw_mask(&masker, &random, token, LENGTH, row, label);
        cr_assert(count <= gw_mask_most(&masker, LENGTH) && count > gw_mask_most(&masker, LENGTH) - 5);
        for (int64_t i = 0; i < count; i++) {
            masked[row[i]] = true;
            cr_assert_eq(label[i], row[i] % 4 == 0 ? begin : letter);
        }
        cr_assert_not(masked[4 * 20]);
        for (int i = 0; i < LENGTH; i++)
            if (i / 4 != 20) cr_assert_eq(masked[i], masked[i / 4 * 4], "round %d, token %d", round, i);
        cr_assert(masked[81] == masked[82] && masked[82] == masked[83]);
        chosen += count;
        for (int i = 0; i < LENGTH; i++) of_place[i / (LENGTH / 4)] += masked[i];
    }
    cr_assert(chosen > ROUNDS * LENGTH * 0.145 && chosen < ROUNDS * LENGTH * 0.15, "%lld", (long long)chosen);
    for (int place = 0; place < 4; place++) // early words as often as late ones
        cr_assert(of_place[place] > ROUNDS * LENGTH / 4 * 0.135 && of_place[place] < ROUNDS * LENGTH / 4 * 0.165,
                  "%d: %lld", place, (long long)of_place[place]);
    gw_masker_free(&masker);
    gw_tokenizer_free(t);
}

Test(examples, tokens_of_dna_are_no_words) {
    gw_tokenizer *letters;
    gw_masker masker;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_masker_make(&masker, letters, 0.15), GW_OK);
    cr_assert_eq(gw_masker_take_words(&masker, letters), GW_ERR_UNSUPPORTED);
    gw_masker_free(&masker);
    gw_tokenizer_free(letters);
}

Test(examples, short_documents_are_joined) {
    enum { SEPARATOR = 3, ROOM = 64 };
    static const int64_t documents[][3] = {{20, 10, 0}, {33, 0, 0}, {1, 0, 0}, {60, 0, 0},
                                           {65, 35, 0}, {30, 0, 0}, {33, 0, 0}};
    char bases[GENOME];
    random_bases(bases, GENOME);
    gw_shards *shards =
        make_shards("x", bases, (const int64_t[][4]){{20, 10}, {33}, {1}, {60}, {65, 35}, {30}, {33}}, 7);
    gw_pack *pack;
    static const struct {
        int first, last;
    } joined[] = {{0, 1}, {2, 3}, {4, 4}, {4, 4}, {5, 6}}; // 64, 62, two halves of 100, 64
    int64_t at = 0;
    cr_assert_eq(gw_pack_joined(&shards, 1, ROOM, 1, SEPARATOR, &pack), GW_OK);
    cr_assert_eq(gw_pack_chunks(pack), 5);
    cr_assert_float_eq(gw_pack_mean_chunk(pack), (64 + 62 + 100 + 64) / 5.0, 1e-12);
    for (int c = 0; c < 5; c++) {
        const gw_span chunk = gw_pack_chunk(pack, c);
        int32_t tokens[ROOM];
        int64_t i = 0;
        gw_pack_read(pack, chunk, tokens);
        for (int d = joined[c].first; d <= joined[c].last; d++) {
            const int64_t length = joined[c].first == 4 ? 50 : documents[d][0] + documents[d][1];
            if (d > joined[c].first) cr_assert_eq(tokens[i++], SEPARATOR);
            for (int64_t end = i + length; i < end; i++) cr_assert_eq("ACGTN"[tokens[i] - LETTER_A], bases[at++]);
        }
        cr_assert_eq(chunk.count, i, "chunk %d", c);
    }
    gw_pack_free(pack);
    gw_shards_close(shards);
}

Test(examples, a_pair_is_laid_out_as_bert_does) {
    char bases[GENOME];
    random_bases(bases, GENOME);
    gw_shards *shards = make_shards("x", bases, (const int64_t[][4]){{3, 2}}, 1);
    gw_pack *pack;
    enum { STREAM, MASKED, PAIRS };
    gw_example_format format = {.tokens = STREAM, .masked = MASKED, .pairs = PAIRS};
    gw_batch batch;
    gw_tokenizer *letters;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_pack_new(&shards, 1, 5, 2, &pack), GW_OK);
    cr_assert_eq(gw_example_format_make(&format, letters), GW_OK);
    cr_assert_eq(gw_example_batch_make(&format, &batch, 2, 16, 4), GW_OK);
    const gw_rows *stream = &batch.of[STREAM];
    gw_tokenizer_free(letters);
    const gw_pair pair = {{0, 0, 0, 3}, {0, 0, 3, 2}, 0};
    cr_assert(gw_example_fits(&format, &batch, (gw_example_size){5, 1, 0, 1, 0}));
    gw_example_append(&format, &batch, pack, &pair);
    gw_example_append(&format, &batch, pack, &pair);
    cr_assert_not(gw_example_fits(&format, &batch, (gw_example_size){0, 0, 0, 1, 0}));
    const int32_t segments[] = {0, 0, 0, 0, 0, 1, 1, 1};
    cr_assert_eq(stream->start[1], 8);
    cr_assert_eq(stream->start[2], 16);
    cr_assert_eq(memcmp(stream->segment, segments, sizeof segments), 0);
    cr_assert_eq(stream->token[0], GW_TOKEN_CLS);
    cr_assert_eq(stream->token[4], GW_TOKEN_SEP);
    cr_assert_eq(stream->token[7], GW_TOKEN_SEP);
    gw_batch_free(&batch);
    gw_pack_free(pack);
    gw_shards_close(shards);
}

// Two documents: eight sentences, of which one is predicted, and two, which do not have any that are.
Test(examples, sentences_have_global_tokens_and_some_are_predicted) {
    enum { STREAM, MASKED, PAIRS, GLOBALS, PREDICTED, ENCODED, MOST = 12, LENGTH = 3 };
    char bases[GENOME];
    random_bases(bases, GENOME);
    gw_shards *shards;
    gw_shard_writer *writer;
    int32_t text[LENGTH * 10];
    for (int i = 0; i < LENGTH * 10; i++) text[i] = LETTER_A + (int32_t)(strchr("ACGT", bases[i]) - "ACGT");
    cr_assert_eq(gw_shard_writer_open("x", 10, &writer), GW_OK);
    for (int s = 0; s < 10; s++) {
        cr_assert_eq(gw_shard_writer_add(writer, text + LENGTH * s, LENGTH), GW_OK);
        if (s == 7 || s == 9) cr_assert_eq(gw_shard_writer_end_document(writer), GW_OK);
    }
    cr_assert_eq(gw_shard_writer_close(writer), GW_OK);
    cr_assert_eq(gw_shards_open("x", &shards), GW_OK);
    gw_example_format format = {.tokens = STREAM,
                                .masked = MASKED,
                                .pairs = PAIRS,
                                .globals = GLOBALS,
                                .most_globals = MOST,
                                .predicted = PREDICTED,
                                .encoded = ENCODED};
    gw_tokenizer *letters;
    gw_pack *pack;
    gw_contrast contrast;
    gw_batch batch;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    cr_assert_eq(gw_example_format_make(&format, letters), GW_OK);
    format.most_contrasts = gw_contrast_most(&format);
    cr_assert_eq(gw_contrast_make(&contrast, &format, 64), GW_OK);
    cr_assert_eq(gw_example_batch_make(&format, &batch, 6, 128, 20), GW_OK);
    cr_assert_eq(gw_pack_of_sentences(&shards, 1, 64, 2, 3, &pack), GW_OK);
    cr_assert_eq(gw_pack_chunks(pack), 1);
    gw_pack_free(pack);
    cr_assert_eq(gw_pack_new(&shards, 1, 64, 2, &pack), GW_OK);
    for (int64_t chunk = 1; chunk >= 0; chunk--) {
        const gw_pair pair = {.a = gw_pack_chunk(pack, chunk)};
        gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
        gw_example_size size = gw_example_size_of(&format, pack, &pair);
        cr_expect_eq(size.globals, chunk == 0 ? 9 : 3);
        gw_contrast_draw(&contrast, &format, pack, &pair, &random, &size);
        cr_expect_eq(size.contrasts, chunk == 0);
        cr_assert(gw_example_fits(&format, &batch, size));
        gw_example_append(&format, &batch, pack, &pair);
        gw_contrast_mask(&contrast, &format, &batch, GW_TOKEN_MASK);
        gw_contrast_append(&contrast, &format, &batch);
    }
    const gw_rows *stream = &batch.of[STREAM], *globals = &batch.of[GLOBALS];
    cr_assert_eq(stream->sequences, 3);
    cr_assert_eq(globals->sequences, 3);
    cr_expect_eq(globals->begin[0], -1);
    cr_expect_eq(globals->token[0], GW_TOKEN_CLS);
    for (int s = 0; s < 2; s++)
        cr_expect(globals->begin[1 + s] == 1 + LENGTH * s && globals->end[1 + s] == 4 + LENGTH * s);
    // the masked one, and the same alone
    cr_assert_eq(batch.of[PREDICTED].count, 1);
    cr_assert_eq(batch.of[ENCODED].count, 1);
    const int32_t g = batch.of[PREDICTED].row[0], sentence = g - 4, alone = batch.of[ENCODED].row[0];
    cr_assert(sentence >= 0 && sentence < 8, "%d", sentence);
    cr_expect_eq(globals->token[g], GW_TOKEN_MASK);
    cr_expect_eq(globals->token[alone], -1);
    cr_expect(globals->begin[alone] == 1 && globals->end[alone] == 1 + LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        cr_expect_eq(stream->token[stream->start[1] + globals->begin[g] + i], GW_TOKEN_MASK);
        cr_expect_eq(stream->token[stream->start[2] + 1 + i], text[LENGTH * sentence + i]);
    }
    int masked = 0;
    for (int64_t i = 0; i < stream->count; i++) masked += stream->token[i] == GW_TOKEN_MASK;
    cr_expect_eq(masked, LENGTH);
    cr_expect_eq(stream->count, stream->start[2] + LENGTH + 2);
    gw_contrast_free(&contrast);
    gw_batch_free(&batch);
    gw_tokenizer_free(letters);
    gw_pack_free(pack);
    gw_shards_close(shards);
}

// Where a sequence may have fewer global tokens than it has sentences, neighbours share one.
Test(examples, sentences_share_global_tokens_evenly) {
    char bases[GENOME];
    random_bases(bases, GENOME);
    gw_shards *shards = make_shards("x", bases, (const int64_t[][4]){{4, 2, 3, 5}}, 1);
    gw_pack *pack;
    cr_assert_eq(gw_pack_new(&shards, 1, 64, 1, &pack), GW_OK);
    const gw_span whole = gw_pack_chunk(pack, 0), part = {0, 0, 5, 7};
    int32_t begin[4];
    cr_assert_eq(gw_pack_sentences(pack, whole, 9, begin), 4);
    cr_expect(begin[0] == 0 && begin[1] == 4 && begin[2] == 6 && begin[3] == 9);
    cr_assert_eq(gw_pack_sentences(pack, whole, 2, begin), 2);
    cr_expect(begin[0] == 0 && begin[1] == 6);
    cr_assert_eq(gw_pack_sentences(pack, whole, 3, begin), 3);
    cr_expect(begin[0] == 0 && begin[1] == 6 && begin[2] == 9, "%d %d", begin[1], begin[2]);
    cr_assert_eq(gw_pack_sentences(pack, part, 4, begin), 3);
    cr_expect(begin[0] == 0 && begin[1] == 1 && begin[2] == 4);
    gw_pack_free(pack);
    gw_shards_close(shards);
}
