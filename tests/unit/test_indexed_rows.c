// SPDX-License-Identifier: MIT
// Rows by place against a list of them: stretches that go on where the one before ended, that begin a little before its
// end, that lie far ahead, behind, and on another contig, and gaps longer than what the index is asked for at a time.
#include "seq/vcf/indexed_rows.h"

#include "base/random.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <htslib/bgzf.h>
#include <htslib/tbx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTIGS = 2, ROWS = 4000, LENGTH = 6000000 };

static int64_t places[CONTIGS][ROWS];
static gw_genome *genome;
static gw_indexed_rows *rows;
static gw_random lot;

// Rows lie densely, with gaps of some kb, and of more than a million bases.
static void make_table(void) {
    char line[64];
    BGZF *file = bgzf_open("table.tsv.gz", "w");
    const char header[] = "#CHROM\tPOS\tNUMBER\n";
    cr_assert_eq(bgzf_write(file, header, sizeof header - 1), (ssize_t)sizeof header - 1);
    for (int c = 0; c < CONTIGS; c++)
        for (int64_t i = 0, at = 100; i < ROWS; i++) {
            places[c][i] = at;
            const int length = snprintf(line, sizeof line, "%d\t%lld\t%lld\n", c + 1, (long long)at + 1, (long long)i);
            cr_assert_eq(bgzf_write(file, line, (size_t)length), length);
            at += i % 1500 == 1499 ? 1500000
                  : i % 100 == 99  ? gw_random_between(&lot, 0, 40000)
                                   : gw_random_between(&lot, 0, 3);
        }
    cr_assert_eq(bgzf_close(file), 0);
    const tbx_conf_t columns = {.preset = TBX_GENERIC, .sc = 1, .bc = 2, .ec = 2, .meta_char = '#'};
    cr_assert_eq(tbx_index_build("table.tsv.gz", 0, &columns), 0);
}

static void enter(void) {
    scratch_enter();
    char *bases = malloc(LENGTH);
    FILE *fasta = fopen("g.fa", "w");
    cr_assert(bases && fasta);
    memset(bases, 'A', LENGTH);
    for (int c = 1; c <= CONTIGS + 1; c++) fprintf(fasta, ">chr%d\n%.*s\n", c, LENGTH, bases);
    cr_assert_eq(fclose(fasta), 0);
    free(bases);
    lot = gw_random_at(1, GW_SITE_NULL, 0, 0);
    make_table();
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_indexed_rows_open("table.tsv.gz", genome, &rows), GW_OK, "%s", gw_message());
}

static void leave(void) {
    gw_indexed_rows_close(rows);
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(indexed_rows, .init = enter, .fini = leave);

// Every row of [begin, end), in order and once; those before it are let by.
static void expect(int contig, int64_t begin, int64_t end) {
    gw_indexed_row row;
    int64_t next = 0;
    while (contig < CONTIGS && next < ROWS && places[contig][next] < begin) next++;
    cr_assert_eq(gw_indexed_rows_seek(rows, contig, begin, end), GW_OK, "%s", gw_message());
    for (bool got = true; got;) {
        cr_assert_eq(gw_indexed_rows_next(rows, &row, &got), GW_OK, "%s", gw_message());
        if (!got || row.position < begin) continue;
        cr_assert(next < ROWS, "a row behind the last");
        const long long number = atoll(strrchr(row.line, '\t') + 1);
        cr_assert_eq(number, next, "row %lld in the place of %lld of %d:%lld-%lld", number, (long long)next, contig,
                     (long long)begin, (long long)end);
        cr_assert_eq(row.position, places[contig][next]);
        cr_assert_eq(row.contig, contig);
        next++;
    }
    cr_assert(contig >= CONTIGS || next == ROWS || places[contig][next] >= end, "%d:%lld-%lld lacks row %lld", contig,
              (long long)begin, (long long)end, (long long)next);
}

Test(indexed_rows, come_in_order_whatever_stretch_is_asked_for) {
    int contig = 0;
    int64_t at = 0;
    cr_expect_str_eq(gw_indexed_rows_header(rows), "#CHROM\tPOS\tNUMBER\n");
    for (int i = 0; i < 3000; i++) {
        const int64_t kind = gw_random_between(&lot, 0, 9);
        if (kind == 0) contig = (int)gw_random_between(&lot, 0, CONTIGS);
        if (kind == 1) at = gw_random_between(&lot, 0, LENGTH - 1);
        if (kind == 2 && at > 60) at -= gw_random_between(&lot, 0, 60);
        if (kind == 3 && contig < CONTIGS) at = places[contig][gw_random_between(&lot, 0, ROWS - 1)];
        const int64_t longest = kind == 4 ? 3000000 : kind == 5 ? 20000 : 200;
        const int64_t end = at + gw_random_between(&lot, 1, longest);
        expect(contig, at, end);
        at = end < LENGTH ? end - (end > 10 ? gw_random_between(&lot, 0, 10) : 0) : 0;
    }
}

Test(indexed_rows, come_all_in_one_stretch) {
    for (int contig = 0; contig <= CONTIGS; contig++) expect(contig, 0, LENGTH);
}
