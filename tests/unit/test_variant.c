// SPDX-License-Identifier: MIT
// Alleles and their windows, to the base.
#include "seq/vcf/variant.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(variant, .init = scratch_enter, .fini = scratch_leave);

//                              0         1         2         3
//                              0123456789012345678901234567890123456789
static const char REFERENCE[] = "ACGTTGCAACGGTCTAGACCATGCATTTGACGNNRACGTA";

static gw_genome *open_genome(const char *bases) {
    char text[256];
    gw_genome *genome;
    snprintf(text, sizeof text, ">c\n%s\n", bases);
    scratch_text("g.fa", text);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    return genome;
}

static gw_allele_status windows(gw_genome *genome, int64_t position, const char *ref, const char *alt, int64_t window,
                                char out[2][64]) {
    const gw_variant v = gw_variant_trim(0, position, ref, alt);
    gw_allele_status status;
    memset(out, 0, 128);
    cr_assert_eq(gw_variant_windows(genome, &v, window, 0, out[0], out[1], &status), GW_OK, "%s", gw_message());
    return status;
}

static void expect(int64_t position, const char *ref, const char *alt, int64_t window, const char *ref_window,
                   const char *alt_window) {
    char out[2][64];
    gw_genome *genome = open_genome(REFERENCE);
    cr_assert_eq(windows(genome, position, ref, alt, window, out), GW_ALLELE_PASS, "%s>%s", ref, alt);
    cr_expect_str_eq(out[0], ref_window, "%s>%s: %s", ref, alt, out[0]);
    cr_expect_str_eq(out[1], alt_window, "%s>%s: %s", ref, alt, out[1]);
    gw_genome_close(genome);
}

Test(variant, kinds) {
    cr_expect_eq(gw_allele_kind("A"), GW_ALLELE_PASS);
    cr_expect_eq(gw_allele_kind("acgtn"), GW_ALLELE_PASS);
    cr_expect_eq(gw_allele_kind("."), GW_ALLELE_NOALT);
    cr_expect_eq(gw_allele_kind("*"), GW_ALLELE_SPANNING);
    cr_expect_eq(gw_allele_kind("<DEL>"), GW_ALLELE_SYMBOLIC);
    cr_expect_eq(gw_allele_kind("<*>"), GW_ALLELE_SYMBOLIC);
    cr_expect_eq(gw_allele_kind("G]17:198982]"), GW_ALLELE_BREAKEND);
    cr_expect_eq(gw_allele_kind("G."), GW_ALLELE_BREAKEND);
    cr_expect_eq(gw_allele_kind(".G"), GW_ALLELE_BREAKEND);
    cr_expect_str_eq(gw_allele_status_name(GW_ALLELE_NOSITE), "NOSITE");
}

static void expect_trim(const char *ref, const char *alt, int64_t position, const char *ref_left,
                        const char *alt_left) {
    const gw_variant v = gw_variant_trim(0, 100, ref, alt);
    cr_expect_eq(v.position, position, "%s>%s at %lld", ref, alt, (long long)v.position);
    cr_expect(v.ref_length == (int64_t)strlen(ref_left) && strncmp(v.ref, ref_left, strlen(ref_left)) == 0, "%s>%s",
              ref, alt);
    cr_expect(v.alt_length == (int64_t)strlen(alt_left) && strncmp(v.alt, alt_left, strlen(alt_left)) == 0, "%s>%s",
              ref, alt);
}

Test(variant, suffix_goes_before_prefix_and_one_base_is_kept) {
    expect_trim("A", "C", 100, "A", "C");
    expect_trim("ACG", "ATG", 101, "C", "T");
    expect_trim("ACG", "TCG", 100, "A", "T");
    expect_trim("CAAA", "CA", 100, "CAA", "C"); // the suffix first: the deletion moves left
    expect_trim("CA", "CAAA", 100, "C", "CAA");
    expect_trim("ACGT", "AGGA", 101, "CGT", "GGA"); // delins
    expect_trim("ACG", "ACG", 100, "A", "A");
    expect_trim("acG", "ATg", 101, "c", "T"); // case does not count
    expect_trim("GGTC", "GGTCTC", 101, "G", "GTC");
}

Test(variant, windows_of_every_kind) {
    // floor((9 - 1) / 2) = 4 bases before; floor((8 - 1) / 2) = 3
    expect(10, "G", "T", 9, "CAACGGTCT", "CAACTGTCT");
    expect(10, "G", "T", 8, "AACGGTCT", "AACTGTCT");
    expect(10, "g", "t", 8, "AACGGTCT", "AACTGTCT");
    expect(10, "GG", "TA", 9, "CAACGGTCT", "CAACTATCT");         // MNV
    expect(10, "G", "GA", 9, "CAACGGTCT", "CAACGAGTC");          // insertion
    expect(10, "GG", "G", 9, "CAACGGTCT", "CAACGTCTA");          // deletion: one more base enters
    expect(10, "GGT", "CA", 12, "GCAACGGTCTAG", "GCAACCACTAGA"); // delins
    expect(10, "G", "R", 9, "CAACGGTCT", "CAACNGTCT");           // IUPAC ALT
    expect(9, "CG", "CT", 9, "CAACGGTCT", "CAACTGTCT");          // trimmed POS is what counts
    expect(10, "G", "G", 9, "CAACGGTCT", "CAACGGTCT");
}

Test(variant, edges_and_long_alleles) {
    char out[2][64];
    gw_genome *genome = open_genome(REFERENCE);
    cr_expect_eq(windows(genome, 3, "T", "A", 9, out), GW_ALLELE_EDGE);
    cr_expect_eq(windows(genome, 4, "T", "A", 9, out), GW_ALLELE_PASS);
    cr_expect_eq(windows(genome, 35, "A", "C", 9, out), GW_ALLELE_PASS); // [31, 40) ends with the contig
    cr_expect_eq(windows(genome, 36, "C", "A", 9, out), GW_ALLELE_EDGE);
    cr_expect_eq(windows(genome, 35, "AC", "A", 9, out), GW_ALLELE_EDGE);  // what fills ALT leaves it
    cr_expect_eq(windows(genome, 10, "GG", "TT", 8, out), GW_ALLELE_PASS); // 2 = W / 4
    cr_expect_eq(windows(genome, 10, "GGT", "TTA", 8, out), GW_ALLELE_TOOLONG);
    cr_expect_eq(windows(genome, 10, "G", "GTTT", 12, out), GW_ALLELE_TOOLONG);
    gw_genome_close(genome);
}

// The genome that has ALT gives the same two windows, exchanged.
Test(variant, swapped_alleles_swap_windows) {
    static const char *const cases[][2] = {{"G", "T"}, {"G", "GTA"}, {"GGT", "G"}, {"GGT", "CA"}}; // REF, ALT
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char there[2][64], back[2][64], changed[128];
        gw_genome *genome = open_genome(REFERENCE);
        cr_assert_eq(windows(genome, 10, cases[i][0], cases[i][1], 16, there), GW_ALLELE_PASS);
        gw_genome_close(genome);
        snprintf(changed, sizeof changed, "%.10s%s%s", REFERENCE, cases[i][1], REFERENCE + 10 + strlen(cases[i][0]));
        genome = open_genome(changed);
        cr_assert_eq(windows(genome, 10, cases[i][1], cases[i][0], 16, back), GW_ALLELE_PASS);
        gw_genome_close(genome);
        cr_expect_str_eq(there[0], back[1]);
        cr_expect_str_eq(there[1], back[0]);
    }
}

Test(variant, fixed_windows_keep_the_anchored_side) {
    gw_genome *genome = open_genome(REFERENCE);
    char ref[64] = "", alt[64] = "";
    gw_allele_status status;
    const gw_variant insertion = gw_variant_trim(0, 10, "G", "GA");
    cr_assert_eq(gw_variant_windows_at(genome, &insertion, 6, 9, false, ref, alt, &status), GW_OK);
    cr_expect_eq(status, GW_ALLELE_PASS);
    cr_expect_str_eq(ref, "CAACGGTCT");
    cr_expect_str_eq(alt, "CAACGAGTC");
    cr_assert_eq(gw_variant_windows_at(genome, &insertion, 6, 9, true, ref, alt, &status), GW_OK);
    cr_expect_str_eq(alt, "AACGAGTCT");
    cr_assert_eq(gw_variant_windows_at(genome, &insertion, 11, 9, true, ref, alt, &status), GW_OK);
    cr_expect_eq(status, GW_ALLELE_NOSITE);
    gw_genome_close(genome);
}

static void expect_ref(gw_genome *genome, int64_t position, const char *ref, gw_allele_status expected) {
    gw_allele_status status;
    cr_assert_eq(gw_variant_check_ref(genome, 0, position, ref, &status), GW_OK, "%s", gw_message());
    cr_expect_eq(status, expected, "%s at %lld: %s", ref, (long long)position, gw_allele_status_name(status));
}

Test(variant, ref_against_the_reference) {
    gw_genome *genome = open_genome(REFERENCE);
    expect_ref(genome, 10, "GGT", GW_ALLELE_PASS);
    expect_ref(genome, 10, "ggt", GW_ALLELE_PASS);
    expect_ref(genome, 10, "RKY", GW_ALLELE_PASS);
    expect_ref(genome, 10, "N", GW_ALLELE_PASS);
    expect_ref(genome, 10, "Y", GW_ALLELE_REFMISMATCH);
    expect_ref(genome, 10, "GGA", GW_ALLELE_REFMISMATCH);
    expect_ref(genome, 31, "GA", GW_ALLELE_PASS);   // N in the reference fits
    expect_ref(genome, 32, "AC", GW_ALLELE_ABSENT); // and nothing but N holds no base
    expect_ref(genome, 34, "A", GW_ALLELE_ABSENT);  // R in the reference reads as N
    expect_ref(genome, 39, "A", GW_ALLELE_PASS);
    expect_ref(genome, 39, "AC", GW_ALLELE_REFMISMATCH); // past the end
    expect_ref(genome, 1000, "A", GW_ALLELE_REFMISMATCH);
    expect_ref(genome, -1, "A", GW_ALLELE_EDGE); // POS 0
    gw_genome_close(genome);
}

// Two insertions or deletions are one where they make one sequence of the reference. All of up to three bases, of a
// reference that repeats itself for longer than it is read at a time.
Test(variant, are_the_same_where_they_make_the_same_sequence) {
    enum { LENGTH = 124, INSERTED = 5, MOST = LENGTH * (3 + INSERTED) };
    static const char *const inserted[INSERTED] = {"A", "C", "CA", "AC", "ACA"};
    static char texts[MOST][2][8], made[MOST][LENGTH + 8];
    static gw_variant variants[MOST];
    static int64_t left[MOST];
    char reference[LENGTH + 1] = "";
    int64_t count = 0, right, same = 0;
    for (int i = 0; i < LENGTH; i++) reference[i] = i == 7 ? 'G' : i < 90 ? 'A' : "AC"[i % 2];
    gw_genome *genome = open_genome(reference);
    for (int at = 0; at < LENGTH; at++)
        for (int kind = 1; kind <= 3 + INSERTED; kind++) {
            char *one = texts[count][kind <= 3], *several = texts[count][kind > 3];
            const char *more = kind > 3 ? inserted[kind - 4] : reference + at + 1;
            if (kind <= 3 && at + 1 + kind > LENGTH) continue;
            snprintf(one, 2, "%c", reference[at]);
            snprintf(several, 8, "%c%.*s", reference[at], kind > 3 ? 3 : kind, more);
            variants[count] = gw_variant_trim(0, at, texts[count][0], texts[count][1]);
            snprintf(made[count], sizeof made[count], "%.*s%s%s", at, reference, texts[count][1],
                     reference + at + strlen(texts[count][0]));
            cr_assert_eq(gw_variant_steps(genome, &variants[count], LENGTH, &left[count], &right), GW_OK);
            cr_assert(gw_variant_is_indel(&variants[count]));
            count++;
        }
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b < count; b++) {
            const bool expected = strcmp(made[a], made[b]) == 0;
            same += expected && a != b;
            cr_assert_eq(gw_variant_is_same(&variants[a], left[a], &variants[b], left[b]), expected,
                         "%lld %s>%s and %lld %s>%s", (long long)variants[a].position, texts[a][0], texts[a][1],
                         (long long)variants[b].position, texts[b][0], texts[b][1]);
        }
    cr_expect_gt(same, 1000);
    gw_genome_close(genome);
}
