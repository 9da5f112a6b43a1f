// SPDX-License-Identifier: MIT
// Genomes with random access: letters, indices that are missing, older or wrong, names, and what has no random access.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "seq/genome/fasta_stream.h"
#include "seq/genome/genome.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(genome, .init = scratch_enter, .fini = scratch_leave);

static char warning[512];

static void keep_warning(const char *message) {
    snprintf(warning, sizeof warning, "%s", message);
}

static gw_genome *open_genome(const char *path) {
    static const gw_log_hooks hooks = {.warn = keep_warning};
    gw_genome *genome;
    warning[0] = 0;
    gw_set_log_hooks(&hooks);
    cr_assert_eq(gw_genome_open(path, &genome), GW_OK, "%s", gw_message());
    return genome;
}

static void expect_bases(gw_genome *genome, int contig, int64_t begin, int64_t end, const char *expected) {
    char bases[256] = "";
    cr_assert_eq(gw_genome_fetch(genome, contig, begin, end, bases), GW_OK, "%s", gw_message());
    cr_assert_str_eq(bases, expected);
}

static void expect_failure(const char *path, gw_status expected, const char *text) {
    gw_genome *genome = NULL;
    cr_assert_eq(gw_genome_open(path, &genome), expected, "%s: %s", path, gw_message());
    cr_assert_null(genome);
    cr_assert(strstr(gw_message(), text), "%s", gw_message());
}

Test(genome, letters_lines_and_contigs) {
    const char *text = ">a first\nACgtn\nRYKmU\nA-*\n>empty\n>b\nACGTAC";
    scratch_text("plain.fa", text);
    scratch_bgzf("bgzf.fa.gz", text);
    scratch_text("crlf.fa", ">a first\r\nACgtn\r\nRYKmU\r\nA-*\r\n>empty\r\n>b\r\nACGTAC\r\n");
    const char *paths[] = {"plain.fa", "bgzf.fa.gz", "crlf.fa"};
    char first[33] = "", hex[33];
    for (int i = 0; i < 3; i++) {
        gw_genome *genome = open_genome(paths[i]);
        cr_assert_str_eq(warning, "");
        cr_assert_eq(gw_genome_contigs(genome), 3);
        cr_assert_str_eq(gw_genome_name(genome, 1), "empty");
        cr_assert_eq(gw_genome_length(genome, 0), 13);
        cr_assert_eq(gw_genome_length(genome, 1), 0);
        expect_bases(genome, 0, 0, 13, "ACGTNNNNNTANN");
        expect_bases(genome, 0, 4, 6, "NN");
        char cased[14] = "";
        cr_assert_eq(gw_genome_read_cased(genome, 0, 0, 13, cased), GW_OK, "%s", gw_message());
        cr_assert(strncmp(cased, "ACgtnNNNnTA", 11) == 0, "%s", cased);
        expect_bases(genome, 2, 5, 6, "C");
        expect_bases(genome, 1, 0, 0, "");
        cr_assert_eq(gw_genome_md5(genome, hex), GW_OK);
        if (i == 0) memcpy(first, hex, sizeof first);
        cr_assert_str_eq(hex, first);
        gw_genome_close(genome);
        cr_assert(!gw_file_exists("plain.fa.fai") && !gw_file_exists("bgzf.fa.gz.gzi"), "an index was written");
    }
}

// Windows across chunks and BGZF blocks, against the sequence itself.
Test(genome, windows_of_a_long_contig) {
    enum { LENGTH = 400000, LINE = 61 };
    char *bases = gw_alloc(LENGTH + 1, 1), *text = gw_alloc(LENGTH * 2 + 100, 1),
         *end = stpcpy(text, ">x\nACG\n>long\n");
    uint32_t state = 1;
    for (int64_t i = 0; i < LENGTH; i++) {
        state = state * 1664525u + 1013904223u;
        bases[i] = "ACGT"[state >> 30];
        *end++ = bases[i];
        if (i % LINE == LINE - 1) *end++ = '\n';
    }
    *end = 0;
    scratch_text("long.fa", text);
    scratch_bgzf("long.fa.gz", text);
    for (int i = 0; i < 2; i++) {
        gw_genome *genome = open_genome(i ? "long.fa.gz" : "long.fa");
        char *window = gw_alloc(LENGTH, 1);
        const int64_t begins[] = {0, 65535, 131000, 399999, 65536, 199999, 60, 61, 0};
        const int64_t ends[] = {1, 65537, 132000, 400000, 65536, 330001, 61, 62, LENGTH};
        for (int j = 0; j < 9; j++) {
            cr_assert_eq(gw_genome_fetch(genome, 1, begins[j], ends[j], window), GW_OK, "%s", gw_message());
            cr_assert_eq(memcmp(window, bases + begins[j], (size_t)(ends[j] - begins[j])), 0, "window %d", j);
            cr_assert_eq(gw_genome_read_cased(genome, 1, begins[j], ends[j], window), GW_OK, "%s", gw_message());
            cr_assert_eq(memcmp(window, bases + begins[j], (size_t)(ends[j] - begins[j])), 0, "stretch %d", j);
        }
        expect_bases(genome, 0, 0, 3, "ACG");
        free(window);
        gw_genome_close(genome);
    }
    free(bases);
    free(text);
}

Test(genome, bad_fasta) {
    scratch_text("empty.fa", "");
    expect_failure("empty.fa", GW_ERR_FORMAT, "empty.fa: no sequence found: the FASTA is empty");
    scratch_text("headers.fa", ">a\n>b\n");
    expect_failure("headers.fa", GW_ERR_FORMAT, "the FASTA is empty");
    scratch_text("twice.fa", ">a\nAC\n>b\nA\n>a x\nC\n");
    expect_failure("twice.fa", GW_ERR_FORMAT, "twice.fa:5: contig 'a' occurs twice, first in line 1");
    scratch_text("garbage.fa", "\n\nhello\n>a\nAC\n");
    expect_failure("garbage.fa", GW_ERR_FORMAT, "garbage.fa:3: expected a FASTA header ('>'), found 'h'");
    scratch_text("letters.fa", ">a\nAC\nA1\n");
    expect_failure("letters.fa", GW_ERR_FORMAT, "letters.fa:3: expected sequence letters, found '1'");
    scratch_text("tab.fa", ">a\nA\tC\n");
    expect_failure("tab.fa", GW_ERR_FORMAT, "tab.fa:2: expected sequence letters, found byte 0x09");
    scratch_text("name.fa", ">a\nAC\n> b\nAC\n");
    expect_failure("name.fa", GW_ERR_FORMAT, "name.fa:3: expected a contig name after '>'");
    scratch_text("ragged.fa", ">a\nACG\nAC\nACG\n");
    expect_failure("ragged.fa", GW_ERR_FORMAT, "ragged.fa:4: the lines of contig 'a' differ in length");
    expect_failure("absent.fa", GW_ERR_IO, "cannot open absent.fa");
    expect_failure("-", GW_ERR_UNSUPPORTED, "standard input has no random access");
}

Test(genome, compressed_fasta_that_cannot_be_used) {
    scratch_gzip("g.fa.gz", ">a\nACGT\n");
    expect_failure("g.fa.gz", GW_ERR_UNSUPPORTED, "gunzip -c g.fa.gz | bgzip > new.fa.gz");
    scratch_bgzf("cut.fa.gz", ">a\nACGT\n");
    scratch_cut("cut.fa.gz", 28);
    expect_failure("cut.fa.gz", GW_ERR_FORMAT, "lacks its end-of-file block");
    scratch_bgzf("cut2.fa.gz", ">a\nACGT\n");
    scratch_cut("cut2.fa.gz", 35);
    expect_failure("cut2.fa.gz", GW_ERR_FORMAT, "truncated or damaged");
}

Test(genome, index_beside_the_fasta) {
    scratch_text("g.fa", ">a\nACGT\nAC\n>b\nGG\n");
    scratch_text("g.fa.fai", "a\t6\t3\t4\t5\nb\t2\t14\t2\t3\n");
    gw_genome *genome = open_genome("g.fa");
    cr_assert_str_eq(warning, "");
    expect_bases(genome, 0, 3, 6, "TAC");
    expect_bases(genome, 1, 0, 2, "GG");
    gw_genome_close(genome);
    scratch_text("g.fa.fai", "a\t5\t3\t4\t5\nb\t2\t14\t2\t3\n"); // would contradict, but is older
    scratch_age("g.fa.fai", 100);
    genome = open_genome("g.fa");
    cr_assert(strstr(warning, "g.fa.fai is older than its FASTA"), "%s", warning);
    expect_bases(genome, 0, 3, 6, "TAC");
    gw_genome_close(genome);
}

Test(genome, index_that_contradicts) {
    const char *rows[] = {
        "a\t5\t3\t4\t5\nb\t2\t14\t2\t3\n", // shorter
        "a\t7\t3\t4\t5\nb\t2\t14\t2\t3\n", // longer
        "a\t6\t3\t4\t5\nc\t2\t14\t2\t3\n", // another name
        "a\t6\t3\t4\t5\n",                 // one contig less
        "a\t6\t2\t4\t5\nb\t2\t14\t2\t3\n", // another offset
        "b\t2\t14\t2\t3\na\t6\t3\t4\t5\n", // another order
    };
    scratch_text("g.fa", ">a\nACGT\nAC\n>b\nGG\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        scratch_text("g.fa.fai", rows[i]);
        expect_failure("g.fa", GW_ERR_MISMATCH, "g.fa.fai contradicts its FASTA");
    }
    const char *cut[] = {
        "a\t6\t3\t4\t5\nb\t2\t14\t2\t3\nc\t2\t20\t2\t3\n", // one contig more
        "a\t6\t3\t4\t5\nb\t9\t14\t9\t10\n",                // past the end of the file
    };
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        scratch_text("g.fa.fai", cut[i]);
        expect_failure("g.fa", GW_ERR_MISMATCH, "g.fa is shorter than its index g.fa.fai says");
    }
    scratch_text("g.fa.fai", "a\t6\t3\t4\n");
    expect_failure("g.fa", GW_ERR_FORMAT, "g.fa.fai:1: expected the five columns");
    scratch_text("g.fa.fai", "a\t6\t3\t0\t0\nb\t2\t14\t2\t3\n");
    expect_failure("g.fa", GW_ERR_FORMAT, "g.fa.fai:1: contig 'a': 0 bases in lines of 0 bytes");
    scratch_text("g.fa.fai", "");
    expect_failure("g.fa", GW_ERR_FORMAT, "names no contig");
    // Right at both ends of the contig, wrong within: found when the bases are read.
    scratch_text("g.fa", ">a\nACG\nACG\nAC\n");
    scratch_text("g.fa.fai", "a\t9\t3\t8\t9\n");
    gw_genome *genome = open_genome("g.fa");
    char bases[9];
    cr_assert_eq(gw_genome_fetch(genome, 0, 0, 9, bases), GW_ERR_MISMATCH);
    cr_assert(strstr(gw_message(), "contradicts its FASTA near a:1"), "%s", gw_message());
    gw_genome_close(genome);
}

Test(genome, block_index_that_lies) {
    scratch_bgzf("g.fa.gz", ">a\nACGT\n");
    static const char nonsense[] = "\xff\xff\xff\xff\xff\xff\xff\x7f"
                                   "0123456789abcdef";
    cr_assert_eq(gw_write_file("g.fa.gz.gzi", nonsense, 24), GW_OK);
    expect_failure("g.fa.gz", GW_ERR_FORMAT, "g.fa.gz.gzi: not a BGZF index");
}

Test(genome, names) {
    scratch_text("g.fa", ">chr1\nA\n>CHROMOSOME_II\nAC\n>3\nACG\n>MtDNA\nACGT\n>chrX\nA\n>X\nAC\n>scaffold_1\nA\n");
    gw_genome *genome = open_genome("g.fa");
    cr_assert_eq(gw_genome_find(genome, "chr1", -1), 0);
    cr_assert_eq(gw_genome_find(genome, "1", -1), 0);
    cr_assert_eq(gw_genome_find(genome, "1", 1), 0);
    cr_assert_eq(gw_genome_find(genome, "1", 2), -1, "an alias of another length");
    cr_assert_eq(gw_genome_find(genome, "chr1", 2), 0, "the exact name, whatever the length");
    cr_assert_eq(gw_genome_find(genome, "chrII", -1), 1);
    cr_assert_eq(gw_genome_find(genome, "II", -1), 1);
    cr_assert_eq(gw_genome_find(genome, "2", -1), -1, "numerals are not converted");
    cr_assert_eq(gw_genome_find(genome, "Chr3", -1), 2);
    const char *mitochondrial[] = {"M", "chrM", "MT", "chrMT", "Mito", "MtDNA", "CHROMOSOME_MtDNA"};
    for (int i = 0; i < 7; i++) cr_assert_eq(gw_genome_find(genome, mitochondrial[i], -1), 3, "%s", mitochondrial[i]);
    cr_assert_eq(gw_genome_find(genome, "chrX", -1), 4);
    cr_assert_eq(gw_genome_find(genome, "X", -1), 5);
    cr_assert_eq(gw_genome_find(genome, "CHROMOSOME_X", -1), -1, "two contigs could be meant");
    cr_assert_eq(gw_genome_find(genome, "chr", -1), -1);
    cr_assert_eq(gw_genome_find(genome, "", -1), -1);
    scratch_text("map.tsv", "# other\tname\nNC_1\tchr1\nCHROMOSOME_X\tX\n");
    cr_assert_eq(gw_genome_read_aliases(genome, "map.tsv"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_genome_find(genome, "NC_1", 99), 0, "names of a file hold whatever the length");
    cr_assert_eq(gw_genome_find(genome, "CHROMOSOME_X", -1), 5);
    scratch_text("bad.tsv", "a\tchr1\nb\tnone\n");
    cr_assert_eq(gw_genome_read_aliases(genome, "bad.tsv"), GW_ERR_MISMATCH);
    cr_assert(strstr(gw_message(), "bad.tsv:2: the FASTA has no contig 'none'"), "%s", gw_message());
    scratch_text("bad.tsv", "a chr1\n");
    cr_assert_eq(gw_genome_read_aliases(genome, "bad.tsv"), GW_ERR_FORMAT);
    gw_genome_close(genome);
}

Test(genome, strands) {
    char out[6] = "", bases[201];
    gw_reverse_complement("ACGTN", 5, out);
    cr_assert_str_eq(out, "NACGT");
    for (int i = 0; i < 200; i++) bases[i] = "acgtuRN-*.xACGTU"[i % 16];
    gw_normalise_bases(bases, 200);
    for (int i = 0; i < 200; i++) cr_assert_eq(bases[i], "ACGTTNNNNNNACGTT"[i % 16], "letter %d", i);
    for (int c = 0; c < 256; c++) {
        char one = (char)c;
        gw_normalise_bases(&one, 1);
        cr_assert_eq(one,
                     c && strchr("Aa", c)     ? 'A'
                     : c && strchr("Cc", c)   ? 'C'
                     : c && strchr("Gg", c)   ? 'G'
                     : c && strchr("TtUu", c) ? 'T'
                                              : 'N',
                     "byte %d", c);
    }
}

// A reader with little room sees the same bases; a contig that is not read is skipped.
Test(genome, stream_in_small_pieces) {
    scratch_gzip("g.fa.gz", ">a x\r\nACGTA\r\nCC\r\n\r\n>b\nTT\nA\n>c\n\n>d\nGGGG");
    for (int64_t capacity = 1; capacity < 9; capacity++) {
        gw_fasta *fasta;
        const char *name;
        char bases[32] = "";
        int64_t count = 1, length = 0;
        cr_assert_eq(gw_fasta_open("g.fa.gz", &fasta), GW_OK, "%s", gw_message());
        cr_assert(gw_fasta_next(fasta, &name) == GW_OK && strcmp(name, "a") == 0);
        for (; count > 0; length += count)
            cr_assert_eq(gw_fasta_read(fasta, bases + length, capacity, &count), GW_OK, "%s", gw_message());
        cr_assert_str_eq(bases, "ACGTACC");
        const gw_fasta_layout *layout = gw_fasta_contig_layout(fasta);
        cr_assert(layout->length == 7 && layout->offset == 6 && layout->line_bases == 5 && layout->line_bytes == 7 &&
                  layout->odd_line == 0);
        cr_assert(gw_fasta_next(fasta, &name) == GW_OK && strcmp(name, "b") == 0);
        cr_assert(gw_fasta_next(fasta, &name) == GW_OK && strcmp(name, "c") == 0);
        cr_assert(gw_fasta_read(fasta, bases, capacity, &count) == GW_OK && count == 0);
        cr_assert(gw_fasta_next(fasta, &name) == GW_OK && strcmp(name, "d") == 0);
        cr_assert(gw_fasta_next(fasta, &name) == GW_OK && !name);
        gw_fasta_close(fasta);
    }
}
