// SPDX-License-Identifier: MIT
// Consequences by hand: a gene of two exons with its UTRs on both strands, and what annotations say otherwise. The
// entries are those that bcftools csq 1.21 writes, too.
#include "seq/genes/codons.h"
#include "seq/genes/consequence.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(consequence, .init = scratch_enter, .fini = scratch_leave);

// p: 20 bases, 5' UTR 21-25, M A W K 26-37, an intron 38-67, R D stop 68-76, 3' UTR 77-81, 20 bases. m: its other
// strand. s: two starts 11-16 in ATG ATG GCT TAA.
#define FLANK "ACGTTGCATCGATCGGATCA"
static const char genome_text[] =
    ">p\n" FLANK "GGCCAATGGCTTGGAAAGTAAGTACTTTTTTTTTTTTTTTTTTTCAGCGTGATTAACCGGTTCAGGATCTAGCCATGCATT\n"
    ">m\nAATGCATGGCTAGATCCTGAACCGGTTAATCACGCTGAAAAAAAAAAAAAAAAAAAGTACTTACTTTCCAAGCCATTGGCC"
    "TGATCCGATCGATGCAACGT\n>s\nCCCCCCCCCCATGATGGCTTAACCCCCCCCCC\n";

#define ROW(contig, type, begin, end, strand, phase, rest)                                                             \
    contig "\tx\t" type "\t" #begin "\t" #end "\t.\t" strand "\t" phase "\t" rest "\n"
#define T1 "Parent=transcript:t1"
#define T2 "Parent=transcript:t2"
static const char gff3[] = ROW("p", "gene", 21, 81, "+", ".", "ID=gene:g1;Name=one;biotype=protein_coding") //
    ROW("p", "mRNA", 21, 81, "+", ".", "ID=transcript:t1;Parent=gene:g1;biotype=protein_coding")            //
    ROW("p", "exon", 21, 37, "+", ".", T1) ROW("p", "exon", 68, 81, "+", ".", T1)                           //
    ROW("p", "five_prime_UTR", 21, 25, "+", ".", T1) ROW("p", "CDS", 26, 37, "+", "0", T1)                  //
    ROW("p", "CDS", 68, 76, "+", "0", T1) ROW("p", "three_prime_UTR", 77, 81, "+", ".", T1)                 //
    ROW("m", "gene", 21, 81, "-", ".", "ID=gene:g2;Name=two;biotype=protein_coding")                        //
    ROW("m", "mRNA", 21, 81, "-", ".", "ID=transcript:t2;Parent=gene:g2;biotype=protein_coding")            //
    ROW("m", "exon", 65, 81, "-", ".", T2) ROW("m", "exon", 21, 34, "-", ".", T2)                           //
    ROW("m", "five_prime_UTR", 77, 81, "-", ".", T2) ROW("m", "CDS", 65, 76, "-", "0", T2)                  //
    ROW("m", "CDS", 26, 34, "-", "0", T2) ROW("m", "three_prime_UTR", 21, 25, "-", ".", T2);

static const char start_gff3[] = ROW("s", "gene", 11, 22, "+", ".", "ID=gene:g;Name=start")
    ROW("s", "mRNA", 11, 22, "+", ".", "ID=transcript:t;Parent=gene:g;biotype=protein_coding")
        ROW("s", "CDS", 11, 22, "+", "0", "Parent=transcript:t");

typedef struct {
    gw_genome *genome;
    gw_annotation annotation;
    gw_consequences *consequences;
} teller;

static void open_teller(teller *t, const char *text) {
    scratch_text("g.fa", genome_text);
    scratch_text("genes", text);
    cr_assert_eq(gw_genome_open("g.fa", &t->genome), GW_OK);
    cr_assert_eq(gw_annotation_read("genes", t->genome, &t->annotation), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_consequences_new(&t->annotation, t->genome, &t->consequences), GW_OK);
}

static void close_teller(teller *t) {
    gw_consequences_free(t->consequences);
    gw_annotation_free(&t->annotation);
    gw_genome_close(t->genome);
}

// A change of a contig (0 p, 1 m, 2 s) at a 1-based place.
typedef struct {
    int contig;
    int64_t position;
    const char *ref, *alt, *expected;
} example;

static void expect_alleles(teller *t, const example *e, const char *const *alts, int count) {
    gw_string out = {0};
    bool any;
    const gw_consequence_site site = {e->contig, e->position - 1, e->ref, alts, count};
    cr_assert_eq(gw_consequences_of(t->consequences, &site, &out, &any), GW_OK, "%s", gw_message());
    cr_expect_str_eq(any ? out.data : "", e->expected, "%lld %s>%s: %s, expected %s", (long long)e->position, e->ref,
                     alts[0] ? alts[0] : "-", any ? out.data : "", e->expected);
    gw_string_free(&out);
}

static void expect_examples(const char *text, const example *examples, size_t count) {
    teller t;
    open_teller(&t, text);
    for (size_t i = 0; i < count; i++) expect_alleles(&t, &examples[i], &examples[i].alt, 1);
    close_teller(&t);
}

#define EXPECT(text, examples) expect_examples(text, examples, sizeof(examples) / sizeof(examples)[0])
#define ONE "|one|t1|protein_coding"
#define TWO "|two|t2|protein_coding"

Test(consequence, terms_on_the_forward_strand) {
    static const example examples[] = {
        {0, 10, "C", "T", ""},
        {0, 22, "G", "A", "5_prime_utr" ONE},
        {0, 79, "G", "A", "3_prime_utr" ONE},
        {0, 52, "T", "A", "intron|one||protein_coding"},
        {0, 31, "T", "C", "synonymous" ONE "|+|2A|31T>C"},
        {0, 31, "t", "c", "synonymous" ONE "|+|2A|31t>c"},
        {0, 30, "C", "A", "missense" ONE "|+|2A>2D|30C>A"},
        {0, 33, "G", "A", "stop_gained" ONE "|+|3W>3*|33G>A"},
        {0, 74, "T", "C", "stop_lost" ONE "|+|7*>7Q|74T>C"},
        {0, 76, "A", "G", "stop_retained" ONE "|+|7*|76A>G"},
        {0, 28, "G", "A", "start_lost" ONE "|+"},
        {0, 38, "G", "A", "splice_donor" ONE},
        {0, 67, "G", "A", "splice_acceptor" ONE},
        {0, 40, "A", "G", "splice_region" ONE},
        {0, 37, "A", "G", "splice_region" ONE ",synonymous" ONE "|+|4K|37A>G"},
        {0, 30, "CTTGG", "CGTGA", "stop_gained" ONE "|+|2AW>2A*|30CTTGG>CGTGA"},
        {0, 28, "GGCT", "G", "inframe_deletion" ONE "|+|1MA>1M|28GGCT>G"},
        {0, 31, "T", "TAAC", "inframe_insertion" ONE "|+|2A>2AN|31T>TAAC"},
        {0, 31, "T", "TA", "frameshift" ONE "|+|2AWKRD*>2AMET*|31T>TA"},
        {0, 30, "CTTGG", "C", "frameshift" ONE "|+|2AWKRD*>2ANVI|30CTTGG>C"},
        {0, 75, "AA", "A", "stop_lost&frameshift" ONE "|+|7*>7N|75AA>A"},
        {0, 31, "T", "T", ""},
        {-1, 31, "T", "C", ""},
    };
    EXPECT(gff3, examples);
}

Test(consequence, terms_on_the_other_strand) {
    static const example examples[] = {
        {1, 80, "C", "T", "5_prime_utr" TWO},
        {1, 23, "C", "T", "3_prime_utr" TWO},
        {1, 50, "A", "T", "intron|two||protein_coding"},
        {1, 71, "A", "G", "synonymous" TWO "|-|2A|71A>G"},
        {1, 72, "G", "T", "missense" TWO "|-|2A>2D|72G>T"},
        {1, 69, "C", "T", "stop_gained" TWO "|-|3W>3*|69C>T"},
        {1, 28, "A", "G", "stop_lost" TWO "|-|7*>7Q|28A>G"},
        {1, 26, "T", "C", "stop_retained" TWO "|-|7*|26T>C"},
        {1, 74, "C", "T", "start_lost" TWO "|-"},
        {1, 64, "C", "T", "splice_donor" TWO},
        {1, 35, "C", "T", "splice_acceptor" TWO},
        {1, 62, "T", "C", "splice_region" TWO},
        {1, 65, "T", "C", "splice_region" TWO ",synonymous" TWO "|-|4K|65T>C"},
        {1, 68, "CCAAG", "TCACG", "stop_gained" TWO "|-|2AW>2A*|68CCAAG>TCACG"},
        {1, 70, "AAGC", "A", "inframe_deletion" TWO "|-|2AW>2W|70AAGC>A"},
        {1, 70, "A", "AGTT", "inframe_insertion" TWO "|-|3W>3NW|70A>AGTT"},
        {1, 70, "A", "AT", "frameshift" TWO "|-|3WKRD*>3MET*|70A>AT"},
        {1, 67, "TCCAA", "T", "frameshift" TWO "|-|2AWKRD*>2ANVI|67TCCAA>T"},
    };
    EXPECT(gff3, examples);
}

// Insertions and deletions at the ends of exons and of the coding sequence.
Test(consequence, changes_across_boundaries) {
    static const example examples[] = {
        {0, 20, "AGGCC", "A", "5_prime_utr" ONE},
        {0, 25, "A", "AATG", "5_prime_utr" ONE},
        {0, 24, "CAATG", "C", "5_prime_utr&coding_sequence" ONE},
        {0, 36, "AAGT", "A", "splice_donor" ONE},
        {0, 66, "AGCG", "A", "splice_acceptor&coding_sequence" ONE},
        {0, 73, "TTAACC", "T", "stop_lost&inframe_deletion" ONE "|+,3_prime_utr" ONE},
        {1, 23, "CGGTTA", "C", "3_prime_utr&coding_sequence" TWO},
        {1, 25, "GT", "G", "stop_lost&frameshift" TWO "|-|7*>7?|25GT>G"},
        {1, 32, "ACGC", "A", "synonymous&frameshift&splice_acceptor" TWO},
        {1, 62, "TACT", "T", "splice_donor" TWO},
        {1, 73, "CCATT", "C", "inframe_deletion&start_lost" TWO "|-,5_prime_utr" TWO},
        {1, 76, "T", "TCAT", "5_prime_utr" TWO},
        {1, 77, "TGGCC", "T", "5_prime_utr" TWO},
    };
    EXPECT(gff3, examples);
}

Test(consequence, a_deleted_start_that_stands_beside_another_is_retained) {
    static const example examples[] = {{2, 13, "GATG", "G", "start_retained|start|t|protein_coding|+"}};
    EXPECT(start_gff3, examples);
}

Test(consequence, symbols_for_insertions_elongate) {
    static const example examples[] = {
        {0, 30, "C", "<INS>", "coding_sequence&feature_elongation" ONE},
        {0, 52, "T", "<INS:ME>", "intron&feature_elongation" ONE},
        {0, 10, "C", "<INS>", ""},
    };
    EXPECT(gff3, examples);
}

Test(consequence, alleles_of_a_record_have_their_entries) {
    teller t;
    open_teller(&t, gff3);
    static const char *const both[] = {"A", "T"}, *const second[] = {NULL, "T"}, *const none[] = {NULL};
    const example all = {0, 30, "C", NULL, "missense" ONE "|+|2A>2D|30C>A,missense" ONE "|+|2A>2V|30C>T"};
    const example one = {0, 30, "C", NULL, "missense" ONE "|+|2A>2V|30C>T"}, no = {0, 30, "C", NULL, ""};
    expect_alleles(&t, &all, both, 2);
    expect_alleles(&t, &one, second, 2);
    expect_alleles(&t, &no, none, 1);
    close_teller(&t);
}

// Without coding sequence, decaying, and of a biotype that is none.
Test(consequence, biotypes) {
    static const char text[] = ROW("p", "gene", 21, 81, "+", ".", "ID=gene:g") //
        ROW("p", "snoRNA", 21, 81, "+", ".", "ID=transcript:a;Parent=gene:g")
            ROW("p", "transcript", 21, 60, "+", ".", "ID=transcript:b;Parent=gene:g;biotype=nonsense_mediated_decay")
                ROW("p", "CDS", 26, 37, "+", "0", "Parent=transcript:b")
                    ROW("p", "thing", 21, 81, "+", ".", "ID=transcript:c;Parent=gene:g;biotype=unheard_of")
                        ROW("p", "exon", 21, 81, "+", ".", "Parent=transcript:c");
    static const example examples[] = {
        {0, 70, "T", "A", "non_coding|g||snoRNA"},
        {0, 30, "C", "A", "missense&NMD_transcript|g|b|NMD|+|2A>2D|30C>A"},
        {0, 45, "C", "A", "non_coding|g||snoRNA,intron|g||NMD"},
    };
    EXPECT(text, examples);
    cr_expect(gw_biotype_of("protein_coding")->coding && !gw_biotype_of("lncRNA")->coding);
    cr_expect_str_eq(gw_biotype_name(gw_biotype_of("mRNA")), "protein_coding");
    cr_expect_str_eq(gw_biotype_name(gw_biotype_of("IG_C_pseudogene")), "IG_C_pseudogene");
    cr_expect_null(gw_biotype_of("unheard_of"));
}

// A first phase of 1 leaves TGG CTT GGA AA: no start is looked for, nor a stop where bases are left over.
Test(consequence, incomplete_coding_sequence) {
    static const char text[] = ROW("p", "gene", 21, 81, "+", ".", "ID=gene:g;Name=n")
        ROW("p", "mRNA", 21, 81, "+", ".", "ID=transcript:t;Parent=gene:g") //
        ROW("p", "CDS", 26, 37, "+", "1", "Parent=transcript:t");
    static const example examples[] = {
        {0, 27, "T", "C", "missense|n|t|protein_coding|+|1W>1R|27T>C"},
        {0, 35, "A", "G", "synonymous|n|t|protein_coding|+|3G|35A>G"},
        {0, 37, "A", "G", "intron|n||protein_coding"},
        {0, 24, "C", "G", "intron|n||protein_coding"},
    };
    EXPECT(text, examples);
}

// CDS of GTF ends before the stop codon; UTRs are what is left of exons.
Test(consequence, gtf_is_read_as_gff3) {
#define GTF "gene_id \"g\"; transcript_id \"t1\"; gene_name \"one\"; transcript_biotype \"protein_coding\";"
    static const char gtf[] = ROW("p", "transcript", 21, 81, "+", ".", GTF) ROW("p", "exon", 21, 37, "+", ".", GTF) //
        ROW("p", "exon", 68, 81, "+", ".", GTF) ROW("p", "CDS", 26, 37, "+", "0", GTF)                              //
        ROW("p", "CDS", 68, 73, "+", "0", GTF) ROW("p", "stop_codon", 74, 76, "+", "0", GTF);
    static const example examples[] = {
        {0, 22, "G", "A", "5_prime_utr" ONE},
        {0, 79, "G", "A", "3_prime_utr" ONE},
        {0, 74, "T", "C", "stop_lost" ONE "|+|7*>7Q|74T>C"},
        {0, 67, "G", "A", "splice_acceptor" ONE},
        {0, 30, "C", "A", "missense" ONE "|+|2A>2D|30C>A"},
    };
    EXPECT(gtf, examples);
}

Test(consequence, sgds_table_has_open_reading_frames) {
#define SGD(id, type, feature, gene, parent, begin, end)                                                               \
    "S0000" id "\t" type "\t\t" feature "\t" gene "\t\t" parent "\t\tp\t" #begin "\t" #end "\tW\t\t\t\t\n"
    static const char sgd[] = SGD("1", "ORF", "YAL001W", "ONE1", "chromosome", 26, 76)
        SGD("2", "CDS", "", "", "YAL001W", 26, 37) SGD("3", "CDS", "", "", "YAL001W", 68, 76);
    static const example examples[] = {
        {0, 30, "C", "A", "missense|ONE1|YAL001W|protein_coding|+|2A>2D|30C>A"},
        {0, 37, "A", "G",
         "splice_region|ONE1|YAL001W|protein_coding,synonymous|ONE1|YAL001W|protein_coding|+|4K|37A>G"},
        {0, 52, "T", "A", "intron|ONE1||protein_coding"},
    };
    EXPECT(sgd, examples);
}

static void expect_refused(const char *text, const char *message) {
    gw_genome *genome;
    gw_annotation annotation;
    scratch_text("g.fa", genome_text);
    scratch_text("genes", text);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_expect_neq(gw_annotation_read("genes", genome, &annotation), GW_OK);
    cr_expect_not_null(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
    gw_annotation_free(&annotation);
    gw_genome_close(genome);
}

Test(consequence, annotations_that_cannot_be) {
    expect_refused("#NAME\tCHROM\nA\tp\n", "genes:2: neither GFF3 nor GTF");
    expect_refused(ROW("p", "CDS", 26, 37, "+", "0", "Note=x"), "genes:1: CDS with neither Parent nor ID");
    expect_refused(ROW("p", "exon", 26, 37, "+", "0", "ID=x"), "genes:1: exon without Parent");
    expect_refused(ROW("p", "gene", 26, 37, "+", ".", "ID=gene:x"), "has no transcripts");
    expect_refused(ROW("q", "mRNA", 26, 37, "+", ".", "ID=t;Parent=g"), "has no transcript that lies on g.fa");
    expect_refused(ROW("p", "mRNA", 26, 137, "+", ".", "ID=t;Parent=g"), "has no transcript that lies on g.fa");
    expect_refused(ROW("p", "mRNA", 26, 37, "+", ".", "ID=t;Parent=g") ROW("p", "CDS", 26, 37, "-", "0", "Parent=t"),
                   "CDS of transcript t lies on the other strand");
}

// A transcript whose phases contradict each other is left out, others are not.
Test(consequence, phases_that_contradict_each_other) {
    static const char text[] = ROW("p", "mRNA", 21, 81, "+", ".", "ID=t;Parent=g") //
        ROW("p", "CDS", 26, 37, "+", "0", "Parent=t") ROW("p", "CDS", 68, 76, "+", "1", "Parent=t")
            ROW("p", "mRNA", 21, 81, "+", ".", "ID=u;Parent=g") ROW("p", "CDS", 26, 37, "+", "0", "Parent=u");
    static const example examples[] = {{0, 30, "C", "A", "missense|g|u|protein_coding|+|2A>2D|30C>A"}};
    EXPECT(text, examples);
}

// NCBI's table 1: bases in the order T, C, A, G, the first one slowest.
Test(consequence, the_standard_code) {
    static const char bases[] = "TCAG", pair[] = "AGTC",
                      code[] = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG";
    for (int i = 0; i < 64; i++) {
        const int a = i / 16, b = i / 4 % 4, c = i % 4;
        const char codon[] = {bases[a], bases[b], bases[c]}, other[] = {pair[c], pair[b], pair[a]};
        cr_expect_eq(gw_codon_residue(codon), code[i]);
        cr_expect_eq(gw_codon_residue_reverse(other), code[i]);
    }
    cr_expect_eq(gw_codon_residue("atg"), 'M');
    cr_expect_eq(gw_codon_residue("ANG"), 'X');
    cr_expect_eq(gw_codon_residue_reverse("CAN"), 'X');
}

Test(consequence, graver_terms_have_a_lower_rank) {
    static const char *const ordered[] = {"splice_donor&intron|g|t|protein_coding",
                                          "missense&stop_gained|g|t|protein_coding|+|2A>2*|1C>A",
                                          "*missense|g|t|protein_coding|+|2A>2D|30C>A",
                                          "synonymous|stop_gained|t|protein_coding",
                                          "intron|g||protein_coding",
                                          "NMD_transcript|g|t|NMD"};
    for (int i = 0; i + 1 < 6; i++)
        cr_expect_lt(gw_consequence_rank(ordered[i]), gw_consequence_rank(ordered[i + 1]), "%s", ordered[i]);
}
