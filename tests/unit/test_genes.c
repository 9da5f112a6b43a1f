// SPDX-License-Identifier: MIT
// Genes by place against a plain loop over all of them.
#include "base/random.h"
#include "base/string.h"
#include "seq/genes/genes.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(genes, .init = scratch_enter, .fini = scratch_leave);

enum { CONTIGS = 3, LENGTH = 500, GENES = 60, PLACES = 2000 };

typedef struct {
    int contig, number; // of the file
    int64_t begin, end;
} gene;

static int compare(const void *a, const void *b) {
    const gene *x = a, *y = b;
    if (x->contig != y->contig) return x->contig - y->contig;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->number - y->number;
}

static void write_genome(void) {
    gw_string text = {0};
    for (int c = 0; c < CONTIGS; c++) {
        gw_string_printf(&text, ">c%d\n", c);
        for (int i = 0; i < LENGTH; i++) gw_string_putc(&text, "ACGT"[i % 4]);
        gw_string_putc(&text, '\n');
    }
    scratch_text("g.fa", text.data);
    gw_string_free(&text);
}

// Long genes and short ones, nested and apart; every third shares its name with others.
static void write_genes(gene *all, gw_random *random) {
    gw_string text = {0};
    for (int i = 0; i < GENES; i++) {
        const uint64_t most = i % 5 == 0 ? LENGTH / 2 : 12;
        const int64_t begin = (int64_t)gw_random_below(random, LENGTH - 1);
        const int64_t end = begin + 1 + (int64_t)gw_random_below(random, most);
        all[i] = (gene){(int)gw_random_below(random, CONTIGS), i, begin, end < LENGTH ? end : LENGTH};
        gw_string_printf(&text, "c%d\tx\tgene\t%lld\t%lld\t.\t+\t.\tID=%s%d\n", all[i].contig, (long long)begin + 1,
                         (long long)all[i].end, i % 3 ? "g" : "shared", i % 3 ? i : 0);
    }
    scratch_text("g.gff3", text.data);
    gw_string_free(&text);
}

static void expect_at(const gw_genes *genes, const gene *sorted, int contig, int64_t begin, int64_t end) {
    gw_string found = {0}, expected = {0};
    bool shared = false;
    for (int i = 0; i < GENES; i++) {
        const gene *g = &sorted[i];
        if (g->contig != contig || g->begin >= end || g->end <= begin) continue;
        if (g->number % 3 == 0 && shared) continue;
        if (expected.length > 0) gw_string_putc(&expected, '&');
        if (g->number % 3) gw_string_printf(&expected, "g%d", g->number);
        else gw_string_puts(&expected, "shared0");
        shared |= g->number % 3 == 0;
    }
    cr_assert_eq(gw_genes_at(genes, contig, begin, end, &found), expected.length > 0);
    cr_assert_eq(found.length, expected.length);
    if (expected.length > 0) cr_assert_str_eq(found.data, expected.data);
    gw_string_free(&found);
    gw_string_free(&expected);
}

Test(genes, as_a_loop_over_all_finds_them) {
    gene all[GENES];
    gw_random random = gw_random_at(11, GW_SITE_TEST, 0, 0);
    gw_genome *genome;
    gw_genes genes;
    write_genome();
    write_genes(all, &random);
    qsort(all, GENES, sizeof *all, compare);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_genes_read("g.gff3", genome, &genes), GW_OK, "%s", gw_message());
    for (int i = 0; i < PLACES; i++) {
        const int64_t begin = (int64_t)gw_random_below(&random, LENGTH), width = i % 2 ? 1 : 40;
        expect_at(&genes, all, (int)gw_random_below(&random, CONTIGS + 1) - 1, begin, begin + width);
    }
    gw_genes_free(&genes);
    gw_genome_close(genome);
}
