// SPDX-License-Identifier: MIT
// HGVS of transcripts: names of every base, told by walking along it, and what is said of those that are none.
#include "base/string.h"
#include "seq/vcf/variant_list.h"
#include "tests/unit/scratch.h"
#include "tests/unit/written_variants.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

//                             1         2         3         4         5         6
//                    123456789012345678901234567890123456789012345678901234567890
#define REFERENCE "ACGTTGCAACGGTCATTCAGGATCCTTAAGCGCATTACGGCATATCCGGAATTCTTGACAA"
enum { EXONS = 3 };
// First and last bases of exons and of the coding sequence, on either strand.
static const int begin[EXONS] = {4, 20, 41}, last[EXONS] = {12, 29, 55}, coding_first = 9, coding_last = 46;

static gw_genome *genome;
static gw_gene_models transcripts;

static void put_rows(gw_string *out, const char *gene, const char *id, char strand, const char *tag) {
    for (int e = 0; e < EXONS; e++) {
        const int from = begin[e] > coding_first ? begin[e] : coding_first;
        const int to = last[e] < coding_last ? last[e] : coding_last;
        gw_string_printf(out, "chr1\tx\texon\t%d\t%d\t.\t%c\t.\tgene_id \"%s\"; transcript_id \"%s\";%s\n", begin[e],
                         last[e], strand, gene, id, tag);
        gw_string_printf(out, "chr1\tx\tCDS\t%d\t%d\t.\t%c\t.\tgene_id \"%s\"; transcript_id \"%s\";\n", from, to,
                         strand, gene, id);
    }
}

static void enter(void) {
    gw_string genes = {0};
    scratch_enter();
    scratch_text("g.fa", ">chr1\n" REFERENCE "\n>chr2\n" REFERENCE "\n");
    put_rows(&genes, "FORTH", "ENST01.3", '+', " tag \"MANE_Select\";");
    put_rows(&genes, "BACK", "NM_02.1", '-', "");
    gw_string_puts(&genes, "chr1\tx\texon\t2\t6\t.\t+\t.\tgene_id \"FORTH\"; transcript_id \"NR_3\";\n"
                           "chr1\tx\texon\t2\t6\t.\t+\t.\tgene_id \"TWICE\"; transcript_id \"T4\";\n"
                           "chr2\tx\texon\t2\t6\t.\t+\t.\tgene_id \"TWICE\"; transcript_id \"T4\";\n");
    scratch_text("g.gtf", genes.data);
    gw_string_free(&genes);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_transcripts_read("g.gtf", genome, &transcripts), GW_OK, "%s", gw_message());
}

static void leave(void) {
    gw_gene_models_free(&transcripts);
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(hgvs_transcript, .init = enter, .fini = leave);

static char complement(char base) {
    return base == 'A' ? 'T' : base == 'C' ? 'G' : base == 'G' ? 'C' : 'A';
}

static bool in_exon(int position) {
    for (int e = 0; e < EXONS; e++)
        if (position >= begin[e] && position <= last[e]) return true;
    return false;
}

// Names of a base that lies in an exon, by counting the bases of exons from the coding sequence's ends on.
static void name_exonic(int position, int step, char *c, char *n) {
    const int start = step > 0 ? coding_first : coding_last, stop = step > 0 ? coding_last : coding_first;
    const int front = step > 0 ? begin[0] : last[EXONS - 1];
    int in_all = 0, to_start = 0, past_stop = 0;
    for (int at = front;; at += step) {
        in_all += in_exon(at);
        if (at == position) break;
    }
    for (int at = position; at != start; at += (start > position) ? 1 : -1) to_start += in_exon(at);
    for (int at = stop; (position - at) * step > 0; at += step) past_stop += in_exon(at + step);
    sprintf(n, "%d", in_all);
    if (past_stop > 0) sprintf(c, "*%d", past_stop);
    else sprintf(c, "%d", (position - start) * step < 0 ? -to_start : to_start + 1);
}

static void expect_substitution(const char *transcript, char kind, const char *place, int position, bool reverse) {
    char text[128];
    const char ref = REFERENCE[position - 1], alt = ref == 'A' ? 'C' : 'A';
    gw_written_alleles v;
    snprintf(text, sizeof text, "%s:%c.%s%c>%c", transcript, kind, place, reverse ? complement(ref) : ref,
             reverse ? complement(alt) : alt);
    cr_assert_eq(gw_variant_text_read(text, genome, &transcripts, &v), GW_OK, "%s: %s", text, gw_message());
    cr_expect_eq(v.position + 1, position, "%s: at %lld, not %d", text, (long long)v.position + 1, position);
    cr_expect(v.ref[0] == ref && v.alt[0] == alt, "%s: %s>%s", text, v.ref, v.alt);
    gw_written_alleles_free(&v);
}

// Of an intron both ends may be counted from.
static void try_base(const char *transcript, int position, int step) {
    char c[32], n[32], with[64];
    if (in_exon(position)) {
        name_exonic(position, step, c, n);
        expect_substitution(transcript, 'c', c, position, step < 0);
        expect_substitution(transcript, 'n', n, position, step < 0);
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        int at = position, away = 0;
        for (; !in_exon(at); at -= side * step) away++;
        name_exonic(at, step, c, n);
        snprintf(with, sizeof with, "%s%+d", c, side * away);
        expect_substitution(transcript, 'c', with, position, step < 0);
        snprintf(with, sizeof with, "%s%+d", n, side * away);
        expect_substitution(transcript, 'n', with, position, step < 0);
    }
}

Test(hgvs_transcript, every_base) {
    for (int position = begin[0]; position <= last[EXONS - 1]; position++) {
        try_base("ENST01.3", position, 1);
        try_base("NM_02.1", position, -1);
    }
}

static void expect(const char *text, int64_t position, const char *ref, const char *alt) {
    expect_written((variant_place){genome, &transcripts}, text, position, ref, alt);
}

Test(hgvs_transcript, names) {
    static const char *const forth[] = {"ENST01.3", "ENST01", "ENST01.3(FORTH)", "FORTH"};
    char text[64];
    for (size_t i = 0; i < sizeof forth / sizeof *forth; i++) {
        snprintf(text, sizeof text, "%s:c.1A>G", forth[i]);
        expect(text, 9, "A", "G");
    }
    expect("NR_3.7:n.1C>T", 2, "C", "T"); // the annotation has no versions
    expect("BACK:c.1G>A", 46, "C", "T");
}

// On the reverse strand texts are turned, and the end of a repeat is its beginning.
Test(hgvs_transcript, changes) {
    expect("FORTH:c.2_3del", 9, "ACG", "A");
    expect("FORTH:c.2_3delCG", 9, "ACG", "A");
    expect("FORTH:c.1_2insTT", 9, "A", "ATT");
    expect("FORTH:c.3_4dup", 10, "C", "CGG");
    expect("FORTH:c.2_3delinsTA", 10, "CG", "TA");
    expect("FORTH:c.4+1_4+3del", 12, "GTCA", "G");
    expect("FORTH:c.4_4+1insA", 12, "G", "GA");
    expect("BACK:c.1_2insCC", 45, "T", "TGG");
}

static void refused(const char *text, const char *message) {
    expect_refused((variant_place){genome, &transcripts}, text, message);
}

Test(hgvs_transcript, refusals) {
    refused("ENST09:c.1A>G", "no transcript and no gene 'ENST09'");
    refused("ENST01.2:c.1A>G", "another version of 'ENST01.2', ENST01.3");
    refused("T4:n.1C>T", "'T4' stands at chr1:2 and at chr2:2");
    refused("NR_3:c.1C>T", "of no base of 'NR_3' that it is coding");
    refused("FORTH:c.1C>G", "the genome has 'A' at chr1:9, not 'C'");
    refused("BACK:c.1A>G", "the genome has 'C' at chr1:46, not 'T'");
    refused("FORTH:c.2+1A>G", "goes on from the last base of an exon");
    refused("FORTH:c.6-1A>G", "goes on from the first base of an exon");
    refused("FORTH:c.4+8A>G", "leaves the intron, which has 7 bases");
    refused("FORTH:c.-5-1A>G", "leaves the transcript");
    refused("FORTH:c.-6A>G", "-6 lies past the transcript's ends");
    refused("FORTH:c.*10A>G", "*10 lies past the transcript's ends");
    refused("FORTH:c.21A>G", "the coding sequence has 20 bases: 21 lies behind it and is *1");
    refused("FORTH:n.0A>G", "begin at 1");
    refused("FORTH:n.-1A>G", "expected a position");
    refused("FORTH:c.4_5insA", "between two neighbours");
    refused("FORTH:c.3_1del", "ends before it begins");
    refused("BACK:c.3_1del", "ends before it begins");
    refused("FORTH:c.2_3delC", "1 bases are named where the positions hold 2");
    refused("FORTH:c.(4_5)del", "uncertain");
}

Test(hgvs_transcript, lists_read_the_annotation) {
    gw_string out = {0};
    cr_assert_eq(gw_variant_list_write("FORTH:c.1A>G", NULL, "g.gtf", genome, &out), GW_OK, "%s", gw_message());
    cr_expect(strstr(out.data, "chr1\t9\tFORTH:c.1A>G\tA\tG\t"), "%s", out.data);
    gw_string_free(&out);
    out = (gw_string){0};
    cr_expect_eq(gw_variant_list_write("chr1:g.9A>G", NULL, "none.gtf", genome, &out), GW_OK, "%s", gw_message());
    gw_string_free(&out);
}
