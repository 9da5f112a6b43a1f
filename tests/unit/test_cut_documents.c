// SPDX-License-Identifier: MIT
// Cutting documents: lengths, starts, runs of N, strands, and draws that depend on nothing but their own place.
#include "base/memory.h"
#include "data/corpus.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_cut *items;
    int64_t count, capacity;
} cuts;

static gw_status keep(void *context, const gw_cut *cut) {
    cuts *list = context;
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *cut));
    list->items[list->count++] = *cut;
    return GW_OK;
}

static cuts cut(const gw_cut_options *options, const char *bases, int64_t length, uint64_t contig) {
    cuts list = {0};
    cr_assert_eq(gw_cut_documents(options, bases, length, contig, keep, &list), GW_OK, "%s", gw_message());
    return list;
}

static char *repeat_base(char base, int64_t length) {
    char *bases = gw_alloc(length + 1, 1);
    memset(bases, base, (size_t)length);
    return bases;
}

// One sentence of every kind: exact lengths make exact documents.
Test(cut_documents, fixed_sizes) {
    const gw_cut_options options = {
        .repeats = 1, .sentences = {2, 2}, .sentence_length = {10, 10}, .both_strands = true};
    char *bases = repeat_base('A', 45);
    cuts list = cut(&options, bases, 45, 0);
    const gw_cut expected[] = {{0, 10, '+', true},  {10, 20, '+', false}, {20, 30, '+', true},  {30, 40, '+', false},
                               {40, 45, '+', true}, {35, 45, '-', true},  {25, 35, '-', false}, {15, 25, '-', true},
                               {5, 15, '-', false}, {0, 5, '-', true}};
    cr_assert_eq(list.count, 10);
    for (int i = 0; i < 10; i++) {
        const gw_cut *a = &list.items[i], *b = &expected[i];
        cr_assert(a->begin == b->begin && a->end == b->end && a->strand == b->strand && a->first == b->first,
                  "sentence %d: %lld-%lld%c %d", i, (long long)a->begin, (long long)a->end, a->strand, a->first);
    }
    free(list.items);
    free(bases);
}

// Ten N stay inside a sentence, eleven end the document.
Test(cut_documents, runs_of_n) {
    const gw_cut_options options = {
        .repeats = 1, .sentences = {9, 9}, .sentence_length = {20, 20}, .both_strands = true};
    char *bases = repeat_base('C', 80);
    memset(bases + 5, 'N', 10);
    memset(bases + 30, 'N', 11);
    memset(bases + 60, 'N', 20); // to the end
    cuts list = cut(&options, bases, 80, 0);
    const gw_cut expected[] = {{0, 20, '+', true},  {20, 30, '+', false}, {41, 60, '+', true},
                               {41, 60, '-', true}, {10, 30, '-', true},  {0, 10, '-', false}};
    cr_assert_eq(list.count, 6);
    for (int i = 0; i < 6; i++) {
        const gw_cut *a = &list.items[i], *b = &expected[i];
        cr_assert(a->begin == b->begin && a->end == b->end && a->strand == b->strand && a->first == b->first,
                  "sentence %d: %lld-%lld%c %d", i, (long long)a->begin, (long long)a->end, a->strand, a->first);
    }
    free(list.items);
    memset(bases, 'N', 80);
    list = cut(&options, bases, 80, 0);
    cr_assert_eq(list.count, 0);
    list = cut(&options, bases, 0, 0);
    cr_assert_eq(list.count, 0);
    free(bases);
}

Test(cut_documents, the_papers_sizes) {
    const gw_cut_options options = {
        .repeats = 10, .sentences = {50, 100}, .sentence_length = {500, 1000}, .max_offset = 5000, .seed = 7};
    enum { LENGTH = 1000000 };
    char *bases = repeat_base('G', LENGTH);
    cuts list = cut(&options, bases, LENGTH, 3);
    int64_t passes = 0, sentences = 0, starts = 0, lengths[2] = {INT64_MAX, 0}, counts[2] = {INT64_MAX, 0};
    for (int64_t i = 0; i < list.count; i++) {
        const gw_cut *c = &list.items[i], *before = i > 0 ? c - 1 : NULL;
        const bool new_pass = !before || before->end == LENGTH, last = c->end == LENGTH;
        if (new_pass) {
            cr_assert(c->first && c->begin <= 5000);
            starts += c->begin;
            passes++;
        } else {
            cr_assert_eq(c->begin, before->end, "sentences are consecutive");
        }
        if (c->first && !new_pass) {
            counts[0] = sentences < counts[0] ? sentences : counts[0];
            counts[1] = sentences > counts[1] ? sentences : counts[1];
        }
        sentences = c->first ? 1 : sentences + 1;
        const int64_t length = c->end - c->begin;
        cr_assert(length <= 1000 && (last || length >= 500));
        if (!last && length < lengths[0]) lengths[0] = length;
        if (length > lengths[1]) lengths[1] = length;
    }
    cr_assert_eq(passes, 10);
    cr_assert(starts > 10 * 1000 && starts < 10 * 4000, "mean start %lld", (long long)starts / 10);
    cr_assert(lengths[0] == 500 && lengths[1] == 1000, "both ends of the range occur in 13,000 draws");
    cr_assert(counts[0] >= 50 && counts[0] < 60 && counts[1] > 90 && counts[1] <= 100);
    free(list.items);
    free(bases);
}

// A repeat's draws depend on the seed, the contig, the repeat and the strand, and on nothing before them.
Test(cut_documents, draws_are_a_function_of_their_place) {
    gw_cut_options options = {.repeats = 2,
                              .sentences = {2, 5},
                              .sentence_length = {10, 99},
                              .max_offset = 300,
                              .both_strands = true,
                              .seed = 1};
    char *bases = repeat_base('T', 5000);
    cuts both = cut(&options, bases, 5000, 4);
    options.both_strands = false;
    cuts forward = cut(&options, bases, 5000, 4);
    options.repeats = 1;
    cuts once = cut(&options, bases, 5000, 4);
    cuts other = cut(&options, bases, 5000, 5);
    options.seed = 2;
    cuts seeded = cut(&options, bases, 5000, 4);
    int64_t at = 0;
    for (int64_t i = 0; i < both.count; i++)
        if (both.items[i].strand == '+') {
            cr_assert(at < forward.count && both.items[i].begin == forward.items[at].begin &&
                      both.items[i].first == forward.items[at].first);
            at++;
        }
    cr_assert_eq(at, forward.count);
    for (int64_t i = 0; i < once.count; i++)
        cr_assert(once.items[i].begin == forward.items[i].begin && once.items[i].end == forward.items[i].end);
    cr_assert_neq(once.items[1].begin, other.items[1].begin);
    cr_assert_neq(once.items[1].begin, seeded.items[1].begin);
    cuts *all[] = {&both, &forward, &once, &other, &seeded};
    for (int i = 0; i < 5; i++) free(all[i]->items);
    free(bases);
}

static gw_status refuse(void *context, const gw_cut *cut) {
    (void)context;
    return cut->begin >= 20 ? gw_fail(GW_ERR_IO, "no more") : GW_OK;
}

Test(cut_documents, failing_sink_ends_the_work) {
    const gw_cut_options options = {.repeats = 3, .sentences = {2, 2}, .sentence_length = {10, 10}};
    cr_assert_eq(gw_cut_documents(&options, "ACGTACGTACGTACGTACGTACGTACGT", 28, 0, refuse, NULL), GW_ERR_IO);
    cr_assert_str_eq(gw_message(), "no more");
}
