// SPDX-License-Identifier: MIT
// Windows of genomes: where they lie, which strand, repeats by case, by BED and by counting, and their batches.
#include "base/random.h"
#include "data/batch.h"
#include "data/genome_text.h"
#include "task/masked/pretrain_data.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(genome_windows, .init = scratch_enter, .fini = scratch_leave);

enum { LONG = 3000, SHORT = 40, COPY = 200 };
static char first[LONG + 1], second[SHORT + 1];

// Contig a: random bases, [1000, 1200) again at 2000 on the other strand, N at [500, 700); contig b is short.
static void write_genome(bool mixed_case) {
    gw_random random = gw_random_at(5, GW_SITE_TEST, 0, 0);
    char text[LONG + SHORT + 100];
    for (int i = 0; i < LONG; i++) first[i] = "ACGT"[gw_random_below(&random, 4)];
    for (int i = 0; i < SHORT; i++) second[i] = "ACGT"[gw_random_below(&random, 4)];
    memset(first + 500, 'N', 200);
    gw_reverse_complement(first + 1000, COPY, first + 2000);
    for (int i = 100; mixed_case && i < 150; i++) first[i] = (char)tolower(first[i]);
    snprintf(text, sizeof text, ">a\n%s\n>b\n%s\n", first, second);
    scratch_text("g.fa", text);
}

static gw_genome_text read_text(gw_genome_source part) {
    gw_genome_text text = {0};
    cr_assert_eq(gw_genome_text_add(&text, &part), GW_OK, "%s", gw_message());
    return text;
}

Test(genome_windows, text_is_the_merged_regions) {
    write_genome(true);
    scratch_text("r.bed", "b\t3\t9\na\t200\t300\na\t90\t210\na\t400\t400\n");
    gw_genome_text text = read_text((gw_genome_source){.fasta = "g.fa", .regions = "r.bed"});
    cr_assert_eq(text.region_count, 2);
    cr_assert_eq(text.regions[0].begin, 90);
    cr_assert_eq(text.regions[0].end, 300);
    cr_assert_eq(text.regions[1].first, 210);
    cr_assert_eq(text.count, 216);
    for (int i = 0; i < 210; i++) cr_assert_eq(text.bases[i], toupper(first[90 + i]));
    cr_assert(memcmp(text.bases + 210, second + 3, 6) == 0);
    gw_genome_text_free(&text);
}

Test(genome_windows, repeats_are_lower_case) {
    write_genome(true);
    scratch_text("rep.bed", "b\t30\t40\na\t10\t20\na\t15\t25\n");
    gw_genome_text soft = read_text((gw_genome_source){.fasta = "g.fa", .soft_masked = true, .repeats = "rep.bed"});
    for (int i = 0; i < LONG + SHORT; i++) {
        const bool wanted = (i >= 100 && i < 150) || (i >= 10 && i < 25) || i >= LONG + 30;
        cr_assert_eq(gw_text_is_repeat(soft.bases[i]), wanted, "base %d", i);
    }
    gw_genome_text_free(&soft);
    // The piece that comes again on the other strand, and nothing else.
    gw_genome_text self = read_text((gw_genome_source){.fasta = "g.fa", .repeats = GW_REPEATS_SELF});
    for (int i = 0; i < LONG; i++) {
        const bool wanted = (i >= 1000 && i < 1000 + COPY) || (i >= 2000 && i < 2000 + COPY);
        cr_assert_eq(gw_text_is_repeat(self.bases[i]), wanted, "base %d", i);
    }
    gw_genome_text_free(&self);
}

Test(genome_windows, one_case_is_no_soft_masking) {
    write_genome(false);
    gw_genome_text text = {0};
    cr_assert_eq(gw_genome_text_add(&text, &(gw_genome_source){.fasta = "g.fa", .soft_masked = true}), GW_ERR_FORMAT);
    cr_assert(strstr(gw_message(), "all of upper case"), "%s", gw_message());
    gw_genome_text_free(&text);
    scratch_text("r.bed", "a\t500\t700\n");
    cr_assert_eq(gw_genome_text_add(&text, &(gw_genome_source){.fasta = "g.fa", .regions = "r.bed"}), GW_ERR_FORMAT);
    cr_assert(strstr(gw_message(), "no base but N"), "%s", gw_message());
    gw_genome_text_free(&text);
}

Test(genome_windows, lie_in_regions_at_all_offsets_on_both_strands) {
    write_genome(true);
    enum { LENGTH = 64, DRAWS = 40000 };
    gw_genome_text text = read_text((gw_genome_source){.fasta = "g.fa", .soft_masked = true});
    gw_genome_windows windows, other;
    cr_assert_eq(gw_genome_windows_make(&windows, &text, LENGTH, 7), GW_OK);
    cr_assert_eq(gw_genome_windows_make(&other, &text, LENGTH, 8), GW_OK);
    int starts[LONG] = {0}, reverse = 0, shorter = 0, same = 0;
    for (int64_t i = 0; i < DRAWS; i++) {
        const gw_genome_window window = gw_genome_window_draw(&windows, i), again = gw_genome_window_draw(&windows, i);
        cr_assert(window.region == again.region && window.begin == again.begin && window.count == again.count &&
                  window.reverse == again.reverse);
        const gw_genome_window differs = gw_genome_window_draw(&other, i);
        same += differs.begin == window.begin;
        char bases[LENGTH];
        gw_genome_window_read(&text, window, bases);
        const char *forward = window.region->contig == 0 ? first + window.begin : second;
        for (int64_t j = 0; j < window.count; j++) {
            const char base = forward[window.reverse ? window.count - 1 - j : j];
            const char *from = "ACGTNacgtn", *to = window.reverse ? "TGCANtgcan" : from;
            cr_assert_eq(bases[j], to[strchr(from, base) - from]);
        }
        reverse += window.reverse;
        if (window.region->contig == 1) {
            cr_assert_eq(window.count, SHORT);
            shorter++;
        } else {
            cr_assert_eq(window.count, LENGTH);
            cr_assert_leq(window.begin + LENGTH, LONG);
            starts[window.begin]++;
        }
    }
    cr_assert(reverse > DRAWS * 0.48 && reverse < DRAWS * 0.52, "%d", reverse);
    cr_assert(shorter > 2 && shorter < 40, "one of 2,938 windows came %d times", shorter);
    cr_assert_lt(same, 40);
    int never = 0;
    for (int i = 0; i + LENGTH <= LONG; i++) {
        const bool unknown = i >= 500 - LENGTH / 2 + 1 && i < 700 - LENGTH / 2;
        cr_assert(!unknown || starts[i] == 0, "a window at %d of N", i);
        never += !unknown && starts[i] == 0;
    }
    cr_assert_lt(never, 5);
    gw_genome_windows_free(&other);
    gw_genome_windows_free(&windows);
    gw_genome_text_free(&text);
}

typedef struct {
    int64_t sequences, masked, repeats, tokens;
    uint64_t digest;
} batch_sums;

// What the steps hold, checked against the text.
static batch_sums sum_steps(const gw_pretrain_source *source, int64_t steps) {
    const gw_examples *e = &source->examples;
    const gw_rows *tokens = &e->batch->of[GW_ROWS_TOKENS], *rows = &e->batch->of[GW_ROWS_MASKED];
    batch_sums sums = {0};
    const int32_t mask = gw_tokenizer_special(source->tokenizer, GW_SPECIAL_MASK);
    for (int64_t s = 0; s < steps; s++) {
        int64_t masked = 0, labels[GW_BATCH_ROWS] = {0};
        for (int64_t next = 0; next < e->sequences;) {
            cr_assert_eq(gw_examples_fill(e, s, &next, e->sequences, 1), GW_OK);
            cr_assert_leq(tokens->count, e->limits.tokens);
            cr_assert_leq(tokens->sequences, e->limits.sequences);
            cr_assert_leq(rows->count, e->limits.masked);
            for (int64_t i = 0; i < rows->count; i++) {
                const char *letter = gw_tokenizer_text(source->tokenizer, rows->label[i]);
                cr_assert(strchr("ACGT", letter[0]) && !letter[1], "%s is masked", letter);
                cr_assert(i == 0 || rows->row[i] > rows->row[i - 1]);
                sums.digest = sums.digest * 31 + (uint64_t)rows->row[i] * 16 + (uint64_t)rows->label[i];
            }
            for (int64_t i = 0; i < tokens->count; i++) sums.masked += tokens->token[i] == mask;
            sums.sequences += tokens->sequences;
            masked += rows->count;
            sums.tokens += tokens->count;
        }
        for (int64_t i = 0; i < e->sequences; i++) cr_assert_eq(e->labels(e->self, s, i, labels), GW_OK);
        cr_assert_eq(masked, labels[GW_ROWS_MASKED]);
        cr_assert_eq(labels[GW_ROWS_FIRST], 0);
        sums.repeats += masked;
    }
    return sums;
}

Test(genome_windows, batches_are_functions_of_seed_and_step) {
    write_genome(true);
    gw_tokenizer *letters;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    gw_genome_text text = read_text((gw_genome_source){.fasta = "g.fa", .soft_masked = true});
    const gw_pretrain_genome_options options = {.text = &text,
                                                .tokenizer = letters,
                                                .length = 66,
                                                .tokens_per_step = 20000,
                                                .mask_rate = 0.2,
                                                .repeat_weight = 1,
                                                .seed = 3};
    gw_pretrain_source source, again;
    cr_assert_eq(gw_pretrain_genome_open(&options, &source), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_pretrain_genome_open(&options, &again), GW_OK);
    cr_assert_eq(source.examples.sequences, 303);
    const batch_sums sums = sum_steps(&source, 3);
    cr_assert_eq(sums.sequences, 3 * 303);
    cr_assert_eq(gw_examples_fill(&again.examples, 7, &(int64_t){0}, 303, 1), GW_OK); // of another step first
    cr_assert_eq(sum_steps(&again, 3).digest, sums.digest);
    cr_assert_str_eq(again.digest, source.digest);
    cr_assert(sums.masked > 0.79 * (double)sums.repeats && sums.masked < 0.81 * (double)sums.repeats);
    gw_examples_free(&again.examples);
    gw_examples_free(&source.examples);
    gw_genome_text_free(&text);
    gw_tokenizer_free(letters);
}

Test(genome_windows, repeats_count_by_their_weight) {
    write_genome(true);
    scratch_text("r.bed", "a\t100\t300\n"); // a quarter of it repeats
    gw_tokenizer *letters;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    gw_genome_text text = read_text((gw_genome_source){.fasta = "g.fa", .regions = "r.bed", .soft_masked = true});
    double counted[3];
    int64_t masked[3];
    for (int w = 0; w < 3; w++) {
        const gw_pretrain_genome_options options = {.text = &text,
                                                    .tokenizer = letters,
                                                    .length = 202,
                                                    .tokens_per_step = 20200,
                                                    .mask_rate = 0.2,
                                                    .repeat_weight = 0.5 * w,
                                                    .seed = 3};
        gw_pretrain_source source;
        cr_assert_eq(gw_pretrain_genome_open(&options, &source), GW_OK, "%s", gw_message());
        const batch_sums sums = sum_steps(&source, 5);
        counted[w] = (double)sums.repeats / (5 * 100 * 40);
        masked[w] = sums.masked;
        gw_examples_free(&source.examples);
    }
    cr_assert_eq(counted[2], 1);
    cr_assert(counted[1] > 0.86 && counted[1] < 0.89, "%g", counted[1]);
    cr_assert(counted[0] > 0.73 && counted[0] < 0.77, "%g", counted[0]);
    cr_assert(masked[0] == masked[1] && masked[1] == masked[2]);
    gw_genome_text_free(&text);
    gw_tokenizer_free(letters);
}

// Of another genome goes what it shares with held-out sequence on either strand, with 1 kb around, and nothing else.
Test(genome_windows, homologs_are_cut_out_of_other_genomes) {
    enum { COUNT = 20000, SHARED = 30 };
    static char other[COUNT + 1], file[COUNT + 8];
    gw_random random = gw_random_at(6, GW_SITE_TEST, 0, 0);
    write_genome(false);
    for (int i = 0; i < COUNT; i++) other[i] = "ACGT"[gw_random_below(&random, 4)];
    memcpy(other + 5000, first + 100, SHARED);
    memcpy(other + 5500, first + 300, SHARED);
    memcpy(other + 8000, first + 200, GW_HOMOLOG_LENGTH - 1); // too short
    other[8000 + GW_HOMOLOG_LENGTH - 1] = first[200 + GW_HOMOLOG_LENGTH - 1] == 'A' ? 'C' : 'A';
    other[7999] = first[199] == 'A' ? 'C' : 'A';
    gw_reverse_complement(first + 400, SHARED, other + 12000);
    memcpy(other + 19990, first + 450, 10);
    snprintf(file, sizeof file, ">o\n%s\n", other);
    scratch_text("o.fa", file);
    scratch_text("held.bed", "a\t0\t500\n");
    scratch_text("train.bed", "a\t700\t3000\n");
    gw_genome_text text = read_text((gw_genome_source){.fasta = "g.fa", .regions = "train.bed"});
    cr_assert_eq(gw_genome_text_add(&text, &(gw_genome_source){.fasta = "o.fa"}), GW_OK);
    gw_genome_text held_out = read_text((gw_genome_source){.fasta = "g.fa", .regions = "held.bed"});
    int64_t cut;
    cr_assert_eq(gw_homologs_cut(&text, &held_out, &cut), GW_OK, "%s", gw_message());
    const int64_t want[][2] = {{700, 3000}, {0, 4000}, {5530 + 1000, 11000}, {12030 + 1000, COUNT}};
    cr_assert_eq(text.region_count, 4);
    int64_t left = 0;
    for (int r = 0; r < 4; r++) {
        const gw_text_region *region = &text.regions[r];
        cr_assert_eq(region->begin, want[r][0], "region %d begins at %lld", r, (long long)region->begin);
        cr_assert_eq(region->end, want[r][1], "region %d ends at %lld", r, (long long)region->end);
        const char *bases = r == 0 ? first : other;
        cr_assert(memcmp(text.bases + region->first, bases + region->begin, (size_t)(region->end - region->begin)) ==
                  0);
        left += region->end - region->begin;
    }
    cr_assert_eq(cut, 2300 + COUNT - left);
    gw_genome_text_free(&held_out);
    gw_genome_text_free(&text);
}

// The first token tells the genomes apart, and no other does.
Test(genome_windows, species_have_tokens) {
    write_genome(true);
    gw_tokenizer *letters;
    gw_pretrain_source source;
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    gw_genome_text text = read_text((gw_genome_source){.fasta = "g.fa"});
    scratch_text("two.fa", ">x\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n");
    scratch_text("three.fa", ">x\nCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC\n");
    cr_assert_eq(gw_genome_text_add(&text, &(gw_genome_source){.fasta = "two.fa"}), GW_OK);
    cr_assert_eq(gw_genome_text_add(&text, &(gw_genome_source){.fasta = "three.fa"}), GW_OK);
    const gw_pretrain_genome_options options = {
        .text = &text, .tokenizer = letters, .length = 12, .tokens_per_step = 60000, .mask_rate = 0.1, .species = true};
    cr_assert_eq(gw_species_vocabulary(letters, 3), 12);
    cr_assert_eq(gw_pretrain_genome_open(&options, &source), GW_OK, "%s", gw_message());
    const gw_rows *tokens = &source.examples.batch->of[GW_ROWS_TOKENS];
    int64_t of_species[3] = {0};
    for (int64_t next = 0; next < source.examples.sequences;) {
        cr_assert_eq(gw_examples_fill(&source.examples, 0, &next, source.examples.sequences, 1), GW_OK);
        for (int64_t s = 0; s < tokens->sequences; s++) {
            const int32_t *token = tokens->token + tokens->start[s];
            int of_base[4] = {0};
            for (int i = 1; i < 12; i++) {
                cr_assert_lt(token[i], 10);
                if (token[i] >= 5 && token[i] < 9) of_base[token[i] - 5]++;
            }
            if (token[0] == 10) cr_assert(of_base[0] + of_base[3] >= 8, "no A or T in a window of A");
            else if (token[0] == 11) cr_assert(of_base[1] + of_base[2] >= 8, "no C or G in a window of C");
            else cr_assert_eq(token[0], 2);
            of_species[token[0] == 2 ? 0 : token[0] - 9]++;
        }
    }
    cr_assert(of_species[0] > 1000 && of_species[1] > 20 && of_species[2] > 20);
    gw_examples_free(&source.examples);
    gw_genome_text_free(&text);
    gw_tokenizer_free(letters);
}
