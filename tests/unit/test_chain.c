// SPDX-License-Identifier: MIT
// Chains against a table of single bases, written base by base while the chain file is made; and files that are wrong.
#include "base/random.h"
#include "base/string.h"
#include "seq/lift/chain.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(chain, .init = scratch_enter, .fini = scratch_leave);

enum { CHAINS = 12, SOURCE = 400, TARGET = 500, TRIALS = 3000 };

// target_of[chain][base]: the base of the target on its + strand, or -1.
typedef struct {
    int target_of[CHAINS][SOURCE];
    bool reverse[CHAINS];
    double score[CHAINS];
} base_table;

static int64_t draw(gw_random *random, int64_t most) {
    return (int64_t)gw_random_below(random, (uint64_t)most);
}

static void write_chain(gw_string *file, base_table *table, int chain, gw_random *random) {
    gw_string blocks = {0};
    int64_t source = draw(random, SOURCE / 2), target = draw(random, TARGET / 2);
    const int64_t source_begin = source, target_begin = target;
    table->reverse[chain] = draw(random, 2);
    table->score[chain] = (double)(1000 + draw(random, 5) * 10);
    for (int i = 0; i < SOURCE; i++) table->target_of[chain][i] = -1;
    for (int block = 0; block < 6; block++) {
        const int64_t size = 1 + draw(random, 12), source_gap = draw(random, 10), target_gap = draw(random, 10);
        for (int64_t i = 0; i < size; i++, source++, target++)
            table->target_of[chain][source] = (int)(table->reverse[chain] ? TARGET - 1 - target : target);
        if (block == 5) {
            gw_string_printf(&blocks, "%lld\n\n", (long long)size);
            break;
        }
        gw_string_printf(&blocks, "%lld\t%lld\t%lld\n", (long long)size, (long long)source_gap, (long long)target_gap);
        source += source_gap;
        target += target_gap;
    }
    gw_string_printf(file, "chain %.0f a %d + %lld %lld b %d %c %lld %lld %d\n%s", table->score[chain], SOURCE,
                     (long long)source_begin, (long long)source, TARGET, table->reverse[chain] ? '-' : '+',
                     (long long)target_begin, (long long)target, chain + 1, blocks.data);
    gw_string_free(&blocks);
}

static int aligned_in(const base_table *table, int chain, gw_span span) {
    int aligned = 0;
    for (int64_t i = span.begin; i < span.end; i++) aligned += table->target_of[chain][i] >= 0;
    return aligned;
}

static gw_lifted hull_of(const base_table *table, int chain, gw_span span) {
    gw_lifted hull = {.begin = TARGET, .reverse = table->reverse[chain], .aligned = aligned_in(table, chain, span)};
    for (int64_t i = span.begin; i < span.end; i++) {
        const int target = table->target_of[chain][i];
        if (target < 0) continue;
        if (target < hull.begin) hull.begin = target;
        if (target >= hull.end) hull.end = target + 1;
    }
    return hull;
}

// Exactly one chain of the table must be this one.
static bool is_chain(const base_table *table, int chain, const gw_chains *chains, int64_t found, gw_span span) {
    const gw_lifted want = hull_of(table, chain, span), got = gw_chains_map(chains, found, span);
    return want.begin == got.begin && want.end == got.end && want.reverse == got.reverse &&
           want.aligned == got.aligned && gw_chains_score(chains, found) == table->score[chain];
}

static void check_span(const base_table *table, const gw_chains *chains, gw_span span, double min_match,
                       gw_chain_list *list) {
    gw_lift_result result;
    int enough = 0, some = 0, met = 0;
    cr_assert_eq(gw_chains_find(chains, 0, &span, 1, min_match, list, &result), GW_OK);
    for (int c = 0; c < CHAINS; c++) {
        const int aligned = aligned_in(table, c, span);
        some += aligned > 0;
        if (aligned == 0 || aligned < min_match * (double)(span.end - span.begin)) continue;
        enough++;
        for (int64_t i = 0; i < list->count; i++) met += is_chain(table, c, chains, list->items[i], span);
    }
    cr_assert_eq(list->count, enough);
    cr_assert_geq(met, enough, "%d of %d chains of [%lld, %lld) were found", met, enough, (long long)span.begin,
                  (long long)span.end);
    for (int64_t i = 1; i < list->count; i++)
        cr_assert_geq(gw_chains_score(chains, list->items[i - 1]), gw_chains_score(chains, list->items[i]));
    const gw_lift_result failed = some > 1 ? GW_LIFT_SPLIT : some ? GW_LIFT_PARTIAL : GW_LIFT_DELETED;
    cr_assert_eq(result, enough > 1 ? GW_LIFT_DUPLICATED : enough ? GW_LIFT_ONE : failed);
}

Test(chain, spans_agree_with_single_bases) {
    static base_table table;
    gw_random random = gw_random_at(7, 0, 0, 0);
    gw_string file = {0};
    gw_chains *chains;
    gw_chain_list list = {0};
    for (int c = 0; c < CHAINS; c++) write_chain(&file, &table, c, &random);
    scratch_bgzf("x.chain.gz", file.data);
    cr_assert_eq(gw_chains_read("x.chain.gz", &chains), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_chains_find_source(chains, "a"), 0);
    for (int t = 0; t < TRIALS; t++) {
        const int64_t begin = draw(&random, SOURCE - 1),
                      end = begin + 1 + draw(&random, t % 2 ? 3 : SOURCE - begin - 1);
        check_span(&table, chains, (gw_span){begin, end < SOURCE ? end : SOURCE}, (double)draw(&random, 11) / 10,
                   &list);
    }
    free(list.items);
    gw_chains_free(chains);
    gw_string_free(&file);
}

Test(chain, a_place_between_bases) {
    gw_chains *chains;
    gw_chain_list list = {0};
    gw_lift_result result;
    // a:10-20 to b:30-40 of the + strand, a gap in the target, a:20-30 to b:45-55.
    scratch_text("x.chain", "chain 5 a 40 + 10 30 b 60 + 30 55 1\n10 0 5\n10\n"
                            "chain 4 a2 40 + 0 40 b 60 - 0 40 2\n40\n");
    cr_assert_eq(gw_chains_read("x.chain", &chains), GW_OK, "%s", gw_message());
    const struct {
        int source;
        int64_t at, want; // -1: no partner
    } cases[] = {{0, 15, 35}, {0, 10, -1}, {0, 20, -1}, {0, 21, 46}, {0, 30, -1}, {1, 0, 60}, {1, 40, 20}, {1, 1, 59}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const gw_span place = {cases[i].at, cases[i].at};
        cr_assert_eq(gw_chains_find(chains, cases[i].source, &place, 1, 1, &list, &result), GW_OK);
        cr_assert_eq(result, cases[i].want < 0 ? GW_LIFT_DELETED : GW_LIFT_ONE, "case %zu", i);
        if (cases[i].want < 0) continue;
        const gw_lifted lifted = gw_chains_map(chains, list.items[0], place);
        cr_assert_eq(lifted.begin, cases[i].want, "case %zu: %lld", i, (long long)lifted.begin);
        cr_assert_eq(lifted.end, cases[i].want);
    }
    free(list.items);
    gw_chains_free(chains);
}

Test(chain, wrong_files) {
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "holds no chain"},
        {"10 0 0\n", "x.chain:1: expected 'chain' and its columns, found '10'"},
        {"chain 5 a 40 + 10 30 b 60 + 30\n", "x.chain:1: the header of a chain has 13 columns, found 11"},
        {"chain 5 a 40 + 10 50 b 60 + 30 50 1\n20\n", "x.chain:1: the end: 50 is outside [0, 40]"},
        {"chain 5 a 40 - 10 30 b 60 + 30 50 1\n20\n", "x.chain:1: the first strand of a chain must be +"},
        {"chain 5 a 40 ? 10 30 b 60 + 30 50 1\n20\n", "the strand: expected + or -, found '?'"},
        {"chain x a 40 + 10 30 b 60 + 30 50 1\n20\n", "x.chain:1: the score: 'x' is not a number"},
        {"chain 5 a 40 + 30 30 b 60 + 30 50 1\n20\n", "the chain ends before it begins"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n19\n", "the blocks of the chain of line 1 end at 29 and 49"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n15 6 5\n4\n", "x.chain:2: the block reaches past the end of its chain"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n-4\n", "x.chain:2: the size of the block: -4 is outside"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n10 5\n", "x.chain:2: a block has 3 columns"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n10 0 0\n", "it is truncated"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n10 0 0\nchain 5 a 40 + 10 30 b 60 + 30 50 1\n20\n",
         "x.chain:3: the chain of line 1 has no last block"},
        {"chain 5 a 40 + 10 30 b 60 + 30 50 1\n20\n\nchain 5 a 41 + 10 30 b 60 + 30 50 2\n20\n",
         "x.chain:4: contig 'a' has 41 bp here, but 40 bp in chains above"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gw_chains *chains;
        scratch_text("x.chain", cases[i].text);
        cr_assert_eq(gw_chains_read("x.chain", &chains), GW_ERR_FORMAT, "case %zu was read", i);
        cr_assert(strstr(gw_message(), cases[i].message), "case %zu: %s", i, gw_message());
        cr_assert_null(chains);
    }
}
