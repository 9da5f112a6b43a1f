// SPDX-License-Identifier: MIT
// Motifs: MEME's format and what is refused; sites and p-values beside a count over all words; matches that cannot be.
#include "base/parallel.h"
#include "motif/match.h"
#include "motif/scan.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(motif, .init = scratch_enter, .fini = scratch_leave);

#define HEAD "MEME version 4\n\nALPHABET= ACGT\n\n"
#define MATRIX "letter-probability matrix: alength= 4 w= 2 nsites= 7 E= 1e-3\n0.5 0.5 0 0\n 0.25\t0.25 0.25 0.25\n"

Test(motif, reads_meme) {
    gw_motifs motifs;
    scratch_text("a.meme",
                 HEAD "strands: +\n\nBackground letter frequencies (from x):\nA 0.3 C 0.2\nG 0.2 T 0.3\n\n"
                      "MOTIF one first\n" MATRIX "URL none\n\nMOTIF two\nlog-odds matrix: alength= 4 w= 1\n"
                      "-1 2 -3 4\nletter-probability matrix:\n1 0 0 0\n0 0 0 1\n0 1e0 0 0\nMOTIF three\n" MATRIX);
    cr_assert_eq(gw_motifs_read("a.meme", &motifs), GW_OK, "%s", gw_message());
    cr_assert_eq(motifs.count, 3);
    cr_assert(motifs.one_strand && fabs(motifs.background[3] - 0.3) < 1e-12 && motifs.background[1] < 0.21);
    const gw_motif *m = motifs.items;
    cr_assert(strcmp(m[0].id, "one") == 0 && strcmp(m[0].name, "first") == 0 && strcmp(m[1].name, "") == 0);
    cr_assert(m[0].width == 2 && m[1].width == 3 && m[2].width == 2);
    cr_assert(m[0].sites == 7 && m[0].evalue == 1e-3 && m[1].sites == 20);
    cr_assert(m[0].columns[0][1] == 0.5 && m[1].columns[1][3] == 1 && m[1].columns[2][1] == 1);
    gw_motifs_free(&motifs);
}

static void refused(const char *text, const char *message) {
    gw_motifs motifs;
    scratch_text("bad.meme", text);
    cr_assert_neq(gw_motifs_read("bad.meme", &motifs), GW_OK, "%s", text);
    cr_assert(strstr(gw_message(), message), "found '%s', expected '%s'", gw_message(), message);
    cr_assert(motifs.count == 0 && !motifs.items);
}

Test(motif, refuses_what_is_no_meme) {
    refused("", "is not a MEME file");
    refused(HEAD, "bad.meme has no motif");
    refused("MOTIF a\n" MATRIX, "bad.meme:1: a motif before the line");
    refused("MEME version 4\nALPHABET= ACDEFGHIKLMNPQRSTVWY\n", "bad.meme:2: the alphabet is 'ACDEFGHIKLMNPQRSTVWY'");
    refused("MEME version 4\nALPHABET= ACGU\n", "the alphabet is 'ACGU', expected ACGT");
    refused(HEAD "Background letter frequencies\nA 0.5 C 0.5 G 0.5 T 0.5\n",
            "bad.meme:6: the background's frequencies sum to 2");
    refused(HEAD "Background letter frequencies\nA 0.5 G 0.5\n", "expected the background of C");
    refused(HEAD "MOTIF\n", "the motif has no name");
    refused(HEAD "MOTIF a\nMOTIF b\n" MATRIX, "bad.meme:5: motif a has no letter-probability matrix");
    refused(HEAD "MOTIF a\n", "bad.meme:5: motif a has no letter-probability matrix");
    refused(HEAD MATRIX, "a matrix that belongs to no MOTIF line");
    refused(HEAD "MOTIF a\nletter-probability matrix: alength= 20 w= 2\n", "bad.meme:6: motif a: ");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 2\n0.5 0.5 0 0\n",
            "motif a ends after 1 of 2 rows, where the file ends");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 1\n1 0 0 0\n1 0 0 0\n",
            "bad.meme:8: motif a has more than 1 rows");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 1\n0.5 0.4 0 0\n",
            "bad.meme:7: motif a: the probabilities of a column sum to 0.9");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 1\n5 1 0 0\n",
            "sum to 6, not to 1 (counts have to be divided");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 1\n1.5 -0.5 0 0\n", "the probability -0.5 is below 0");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 1\n1 0 0\n", "found 3 numbers");
    refused(HEAD "MOTIF a\nletter-probability matrix: w= 1\n1 0 0 x\n", "'x' is not a number");
}

// Numbers that follow from a seed.
static uint32_t seed;
static uint32_t draw(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

enum { MOTIFS = 4, BASES = 20000, RANGE = 4000 };

// A motif whose columns are mostly sure, but for one.
static void draw_motif(gw_motif *motif, int width) {
    *motif = (gw_motif){.width = width, .columns = calloc((size_t)width, sizeof *motif->columns)};
    for (int j = 0; j < width; j++) {
        double sum = 0;
        for (int a = 0; a < 4; a++) sum += motif->columns[j][a] = draw(4) ? 0.02 * (1 + draw(9)) : 0.2 + 0.1 * draw(9);
        for (int a = 0; a < 4; a++) motif->columns[j][a] /= sum;
    }
}

// P(rounded score >= bin), by each of the 4^width words; bins from -RANGE to RANGE.
static void count_words(const gw_motif *motif, const double background[4], double tail[2 * RANGE + 1]) {
    memset(tail, 0, (2 * RANGE + 1) * sizeof *tail);
    for (int64_t word = 0; word < (int64_t)1 << 2 * motif->width; word++) {
        double chance = 1;
        int bin = 0;
        for (int j = 0; j < motif->width; j++) {
            const int a = word >> 2 * j & 3;
            bin += (int)rint((log2(motif->columns[j][a] + 1e-4) - log2(background[a])) / 0.1);
            chance *= background[a];
        }
        tail[bin + RANGE] += chance;
    }
    for (int k = 2 * RANGE - 1; k >= 0; k--) tail[k] += tail[k + 1];
}

Test(motif, sites_are_those_of_all_windows) {
    static const double background[4] = {0.3, 0.2, 0.2, 0.3}, alpha = 2e-3;
    static const int widths[MOTIFS] = {3, 5, 8, 9};
    static double tails[MOTIFS][2 * RANGE + 1];
    seed = 5;
    gw_motif items[MOTIFS];
    gw_motifs motifs = {items, MOTIFS, MOTIFS, {0.35, 0.1, 0.3, 0.25}, false}; // with both strands: the one above
    for (int m = 0; m < MOTIFS; m++) draw_motif(&items[m], widths[m]), count_words(&items[m], background, tails[m]);
    char *bases = malloc(BASES);
    for (int i = 0; i < BASES; i++) bases[i] = draw(700) ? "ACGT"[draw(4)] : 'N';
    memset(bases + 500, 'N', 300);
    gw_motif_scanner *scanner;
    gw_motif_sites sites = {0};
    cr_assert_eq(gw_motif_scanner_make(&motifs, alpha, false, &scanner), GW_OK, "%s", gw_message());
    for (int threads = 1; threads <= 2; threads++) {
        gw_set_threads(threads);
        sites.count = 0;
        cr_assert_eq(gw_motif_scan(scanner, bases, BASES, &sites), GW_OK, "%s", gw_message());
        int64_t at = 0;
        for (int i = 0; i < BASES; i++)
            for (int k = 0; k < 2 * MOTIFS; k++) {
                const gw_motif *motif = &items[k / 2];
                if (i + motif->width > BASES || memchr(bases + i, 'N', (size_t)motif->width)) continue;
                double score = 0;
                for (int j = 0; j < motif->width; j++) {
                    const char base = bases[k % 2 ? i + motif->width - 1 - j : i + j];
                    const int a = (int)(strchr("ACGT", base) - "ACGT"), letter = k % 2 ? 3 - a : a;
                    score += log2(motif->columns[j][letter] + 1e-4) - log2(background[letter]);
                }
                const int bin = (int)(score / 0.1);
                int most = 2 * RANGE;
                while (tails[k / 2][most] == 0) most--;
                const double p = tails[k / 2][bin + RANGE < most ? bin + RANGE : most];
                if (p >= alpha) continue;
                cr_assert_lt(at, sites.count, "a site at %d is missing", i);
                const gw_motif_site *site = &sites.items[at++];
                cr_assert(site->begin == i && site->motif == k / 2 && site->reverse == k % 2,
                          "found %lld %d %d, expected %d %d", (long long)site->begin, site->motif, site->reverse, i, k);
                cr_assert(fabs(site->score - score) < 1e-9 && fabs(site->p_value / p - 1) < 1e-9, "%g %g",
                          site->p_value, p);
            }
        cr_assert_eq(at, sites.count, "%lld sites too many", (long long)(sites.count - at));
        cr_assert_gt(at, 100);
    }
    gw_motif_scanner_free(scanner);
    free(sites.items);
    free(bases);
    for (int m = 0; m < MOTIFS; m++) free(items[m].columns);
}

Test(motif, contributions_make_a_matrix) {
    const float carried[4] = {1, -0.5F, 2, NAN}, lost[4] = {-1, 0.5F, -2, -4};
    double columns[4][4];
    gw_motif_of_contributions("GANA", carried, 4, columns);
    cr_assert(columns[0][2] == 0.625 && columns[0][0] == 0.125);
    for (int j = 1; j < 4; j++) cr_assert(columns[j][0] == 0.25 && columns[j][3] == 0.25);
    gw_motif_of_contributions("GANA", lost, 4, columns);
    cr_assert(columns[0][2] == 0.4375 && columns[1][0] == 0.25 && columns[3][0] == 1 && columns[3][1] == 0);
}

Test(motif, matches_that_cannot_be) {
    seed = 9;
    gw_motif items[3];
    gw_motifs known = {items, 3, 3, {0.25, 0.25, 0.25, 0.25}, false};
    gw_motif_match matches[3];
    for (int m = 0; m < 3; m++) draw_motif(&items[m], 6 + m);
    const double zeros[2][4] = {{0}}, odd[1][4] = {{1, 0, NAN, 0}};
    cr_assert_eq(gw_motif_match_all(&known, zeros, 2, matches), GW_ERR_RANGE);
    cr_assert_eq(gw_motif_match_all(&known, odd, 1, matches), GW_ERR_RANGE);
    cr_assert_eq(gw_motif_match_all(&known, zeros, 0, matches), GW_ERR_RANGE);
    // A motif is most like itself, on its own strand; its reverse complement on the other one, with the same p-value.
    double other[7][4];
    for (int j = 0; j < 7; j++)
        for (int a = 0; a < 4; a++) other[j][a] = items[1].columns[6 - j][3 - a];
    cr_assert_eq(gw_motif_match_all(&known, (const double(*)[4])items[1].columns, 7, matches), GW_OK);
    const gw_motif_match own = matches[0];
    cr_assert(own.motif == 1 && own.offset == 0 && own.overlap == 7 && !own.reverse &&
              own.p_value < matches[1].p_value);
    cr_assert_eq(gw_motif_match_all(&known, (const double(*)[4])other, 7, matches), GW_OK);
    cr_assert(matches[0].motif == 1 && matches[0].reverse && fabs(matches[0].p_value / own.p_value - 1) < 1e-9);
    for (int m = 0; m < 3; m++) free(items[m].columns);
}
