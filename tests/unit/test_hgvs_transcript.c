// SPDX-License-Identifier: MIT
// HGVS of transcripts: names of every base, told by walking along it, and what is said of those that are none.
#include "base/string.h"
#include "seq/vcf/variant_text.h"
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
    refused("T4:n.1C>T", "'T4' occurs at chr1:2 and at chr2:2");
    refused("NR_3:c.1C>T", "no coding base of 'NR_3'");
    refused("FORTH:c.1C>G", "the genome has 'A' at chr1:9, not 'C'");
    refused("BACK:c.1A>G", "the genome has 'C' at chr1:46, not 'T'");
    refused("FORTH:c.2+1A>G", "must follow the last base of an exon");
    refused("FORTH:c.6-1A>G", "must follow the first base of an exon");
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
    refused("FORTH:c.2_3delC", "1 bases are given, but the positions span 2");
    refused("FORTH:c.(4_5)del", "uncertain");
}

Test(hgvs_transcript, lists_read_the_annotation) {
    gw_variant_list_options options = {.list = "FORTH:c.1A>G,FORTH:p.V2M", .genes = "g.gtf"};
    gw_unread_variants unread = {0};
    gw_string out = {0};
    cr_assert_eq(gw_variant_list_write(&options, genome, &out, &unread), GW_OK, "%s", gw_message());
    cr_expect(strstr(out.data, "chr1\t9\tFORTH:c.1A>G\tA\tG\t"), "%s", out.data);
    gw_string_free(&out);
    cr_assert_eq(unread.count, 1);
    cr_expect_str_eq(unread.items[0].text, "FORTH:p.V2M");
    cr_expect(strstr(unread.items[0].reason, "20 bases, which are not whole codons"), "%s", unread.items[0].reason);
    gw_unread_variants_free(&unread);
    options = (gw_variant_list_options){.list = "chr1:g.9A>G", .genes = "none.gtf"};
    cr_expect_eq(gw_variant_list_write(&options, genome, &out, &unread), GW_OK, "%s", gw_message());
    gw_string_free(&out);
}

// Of bacteria CDS are all that there is: genes by locus tags, new and old, proteins by their identifiers, and positions
// before and behind them. M V W * on either strand, at 10 to 21 and at 28 to 39; two starts of one gene.
static const char BACTERIUM[] = "ACGTACGTAATGGTTTGGTAACCAAAATTACCAAACCATTTTCCGGAAC"; // 49 bases

static void put_cds(gw_string *out, const char *tag, const char *name, const char *protein, int first, int end,
                    char strand, const char *more) {
    gw_string_printf(out, "c\tRefSeq\tgene\t%d\t%d\t.\t%c\t.\tID=gene-%s;Name=%s;locus_tag=%s;old_locus_tag=%sx,%sy\n",
                     first, end, strand, tag, name, tag, tag, tag);
    gw_string_printf(out, "c\tRefSeq\tCDS\t%d\t%d\t.\t%c\t0\tID=cds-%s;Parent=gene-%s;locus_tag=%s;protein_id=%s%s\n",
                     first, end, strand, protein, tag, tag, protein, more);
}

Test(hgvs_transcript, bacteria) {
    static const char *const names[] = {"fwd", "b0001", "b0001x", "b0001y", "NP_01.2", "NP_01", "gene-b0001"};
    gw_genome *whole = genome;
    gw_gene_models before = transcripts;
    gw_string genes = {0}, fasta = {0};
    char text[64];
    gw_string_printf(&fasta, ">c\n%s\n>MT\n%s\n", BACTERIUM, BACTERIUM);
    scratch_text("b.fa", fasta.data);
    put_cds(&genes, "b0001", "fwd", "NP_01.2", 10, 21, '+', ";transl_table=11");
    put_cds(&genes, "b0002", "rev", "NP_02.1", 28, 39, '-', "");
    gw_string_puts(&genes, "c\tRefSeq\tCDS\t28\t36\t.\t-\t0\tID=cds-YP_03.1;Parent=gene-b0002;protein_id=YP_03.1\n");
    put_cds(&genes, "b0004", "four", "NP_04.1", 10, 21, '+', ";transl_table=4");
    gw_string_puts(&genes, "MT\tx\tCDS\t10\t21\t.\t+\t0\tID=cds-m;gene=mito\n");
    scratch_text("b.gff", genes.data);
    cr_assert_eq(gw_genome_open("b.fa", &genome), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_transcripts_read("b.gff", genome, &transcripts), GW_OK, "%s", gw_message());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text, "%s:c.2T>C", names[i]);
        expect(text, 11, "T", "C");
    }
    refused("NP_01.1:c.2T>C", "another version of 'NP_01.1', NP_01.2");
    expect("fwd:c.-1A>G", 9, "A", "G");
    expect("fwd:c.-9A>G", 1, "A", "G");
    expect("fwd:c.*1C>G", 22, "C", "G");
    expect("fwd:c.*28C>G", 49, "C", "G");
    expect("rev:c.-1A>G", 40, "T", "C");
    expect("rev:c.*1T>G", 27, "A", "C");
    expect("YP_03.1:c.1G>A", 36, "C", "T");
    refused("fwd:c.-10A>G", "-10 lies before the first base of the contig");
    refused("fwd:c.*29A>G", "past the end of 'c'");
    refused("fwd:c.-1-1A>G", "past the transcript's ends");
    refused("fwd:n.13A>G", "past the transcript's ends");

    expect("fwd:p.Val2Met", 13, "GTT", "ATG");
    expect_refused((variant_place){genome, &transcripts}, "fwd:p.Val2Leu", "6 changes of its codon have this effect");
    refused("fwd:p.Ala2Leu", "codon 2 of 'fwd' is GTT, Val, not Ala");
    refused("fwd:p.Val5Leu", "'fwd' has 4 codons: 5 lies behind them");
    refused("fwd:p.Met1=", "no codon but ATG makes Met");
    refused("four:p.Val2Leu", "'four' is translated by genetic code 4");
    refused("mito:p.Val2Leu", "'mito' is of a mitochondrion");
    gw_gene_models_free(&transcripts);
    gw_genome_close(genome);
    gw_string_free(&genes);
    gw_string_free(&fasta);
    genome = whole;
    transcripts = before;
}

// A protein's changes.
static void expect_codons(const char *text, const char *codons) {
    gw_written_list found = {0};
    gw_string out = {0};
    cr_assert_eq(gw_variant_text_read_all(text, genome, &transcripts, &found), GW_OK, "%s: %s", text, gw_message());
    for (int64_t i = 0; i < found.count; i++) {
        const gw_written_alleles *v = &found.items[i];
        gw_string_printf(&out, "%s %lld %s %s\n", v->codons, (long long)v->position + 1, v->ref, v->alt);
    }
    cr_expect_str_eq(out.data, codons, "%s: %s", text, out.data);
    gw_string_free(&out);
    gw_written_list_free(&found);
}

// The second codon of P lies on both sides of an intron; that of Q on the reverse strand.
Test(hgvs_transcript, proteins) {
    gw_genome *whole = genome;
    gw_gene_models before = transcripts;
    //                        1         2
    //               123456789012345678901234
    scratch_text("p.fa", ">c\nCATGTGTAAGCTGGTAACCCATCC\n>d\nCCTTACCACATACC\n");
    scratch_text("p.gtf", "c\tx\tCDS\t2\t6\t.\t+\t.\tgene_id \"P\"; transcript_id \"P.1\";\n"
                          "c\tx\tCDS\t12\t18\t.\t+\t.\tgene_id \"P\"; transcript_id \"P.1\";\n"
                          "d\tx\tCDS\t3\t11\t.\t-\t.\tgene_id \"Q\"; transcript_id \"Q.1\";\n");
    cr_assert_eq(gw_genome_open("p.fa", &genome), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_transcripts_read("p.gtf", genome, &transcripts), GW_OK, "%s", gw_message());
    static const char *const stops[] = {"Q:p.W2*", "Q:p.Trp2Ter", "Q:p.(Trp2Ter)", "Q.1:p.W2X", "Q:p.trp2*"};
    expect_codons("P:p.C2W", "TGT>TGG 12 T G\n");
    expect_codons("P:p.C2S", "TGT>AGT 5 T A\nTGT>TCT 6 G C\nTGT>AGC 5 TGTAAGCT AGTAAGCC\nTGT>TCA 6 GTAAGCT CTAAGCA\n"
                             "TGT>TCC 6 GTAAGCT CTAAGCC\nTGT>TCG 6 GTAAGCT CTAAGCG\n");
    expect_codons("P:p.C2=", "TGT>TGC 12 T C\n");
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        expect_codons(stops[i], "TGG>TAG 7 C T\nTGG>TGA 6 C T\nTGG>TAA 6 CC TT\n");
    static const char *const unread[] = {"P:p.C2",  "P:p.C2fs",    "P:p.Cys2_Gly3del", "P:p.?",
                                         "P:p.0",   "P:p.C2W;G3A", "P:p.(Cys2Trp",     "P:p.Cys2Tr",
                                         "P:p.B2W", "P:p.2W",      "P:p.Cys2ext*4",    "P:p."};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        refused(unread[i], "a change of a protein (p.) replaces one residue by another");
    refused("P:p.C0W", "a change of a protein (p.) replaces one residue by another");
    refused("P:p.C999999999W", "'P' has 4 codons");
    gw_gene_models_free(&transcripts);
    gw_genome_close(genome);
    genome = whole;
    transcripts = before;
}
