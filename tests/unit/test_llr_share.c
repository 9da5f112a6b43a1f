// SPDX-License-Identifier: MIT
// Which sites share a window: distances, reach, and independence of the order.
#include "base/random.h"
#include "score/score_llr.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SITES = 400, SPAN = 100, APART = 8, MOST = 6 };
static const gw_share_options options = {SPAN, APART, MOST};

static void draw(gw_shared_site *sites, int64_t count, uint64_t seed) {
    gw_random random = gw_random_at(seed, GW_SITE_TEST, 0, 0);
    for (int64_t i = 0; i < count; i++)
        sites[i] = (gw_shared_site){(int)gw_random_below(&random, 2), gw_random_below(&random, 900), i, 0};
}

static void check_window(const gw_shared_site *sites, const gw_shared_window *w) {
    int64_t different = 1;
    for (int64_t i = w->first + 1; i < w->first + w->count; i++) {
        const int64_t step = sites[i].position - sites[i - 1].position;
        cr_assert(step == 0 || step >= APART);
        cr_assert_eq(sites[i].contig, sites[i - 1].contig);
        different += step > 0;
    }
    const int64_t first = sites[w->first].position, last = sites[w->first + w->count - 1].position;
    cr_assert(last - first <= SPAN && w->middle == (first + last) / 2);
    cr_assert(different <= MOST);
}

Test(llr_share, windows_hold_sites_that_are_apart) {
    gw_shared_site sites[SITES];
    gw_shared_window windows[SITES];
    int64_t count, shared = 0;
    draw(sites, SITES, 1);
    cr_assert_eq(gw_share_windows(sites, SITES, &options, windows, &count), GW_OK);
    bool seen[SITES] = {false};
    int64_t next = 0;
    for (int64_t w = 0; w < count; w++) {
        cr_assert_eq(windows[w].first, next);
        next += windows[w].count;
        check_window(sites, &windows[w]);
        shared += windows[w].count > 1;
    }
    cr_assert_eq(next, SITES);
    cr_assert_gt(shared, SITES / 10);
    for (int64_t i = 0; i < SITES; i++) seen[sites[i].allele] = true;
    for (int64_t i = 0; i < SITES; i++) cr_assert(seen[i]);
    for (int64_t i = 1; i < SITES; i++) // alleles of one site stay together
        for (int64_t j = 0; j < i; j++)
            if (sites[i].contig == sites[j].contig && sites[i].position == sites[j].position)
                cr_assert_eq(sites[i].group, sites[j].group);
}

Test(llr_share, the_order_of_the_sites_does_not_count) {
    gw_shared_site forward[SITES], backward[SITES];
    gw_shared_window windows[SITES], others[SITES];
    int64_t count, other_count;
    draw(forward, SITES, 2);
    for (int64_t i = 0; i < SITES; i++) backward[i] = forward[SITES - 1 - i];
    cr_assert_eq(gw_share_windows(forward, SITES, &options, windows, &count), GW_OK);
    cr_assert_eq(gw_share_windows(backward, SITES, &options, others, &other_count), GW_OK);
    cr_assert_eq(count, other_count);
    cr_assert_eq(memcmp(windows, others, (size_t)count * sizeof *windows), 0);
    for (int64_t i = 0; i < SITES; i++) cr_assert_eq(forward[i].allele, backward[i].allele);
}

Test(llr_share, one_in_so_many_bases) {
    gw_shared_site sites[64];
    gw_shared_window windows[64];
    int64_t count;
    for (int64_t i = 0; i < 64; i++) sites[i] = (gw_shared_site){0, 1000 + i, i, 0};
    cr_assert_eq(gw_share_windows(sites, 64, &(gw_share_options){SPAN, 16, 100}, windows, &count), GW_OK);
    cr_assert_eq(count, 16);
    for (int64_t w = 0; w < 16; w++) cr_assert_eq(windows[w].count, 4);
    cr_assert_eq(gw_share_windows(sites, 0, &options, windows, &count), GW_OK);
    cr_assert_eq(count, 0);
}
