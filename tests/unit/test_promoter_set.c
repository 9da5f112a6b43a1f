// SPDX-License-Identifier: MIT
// Promoter sets to the base: windows on both strands, the three kinds of negatives, splits.
#include "file/lines.h"
#include "label/promoter_set.h"
#include "scratch.h"
#include "seq/genes/tss.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(promoter_set, .init = scratch_enter, .fini = scratch_leave);

// A contig of `length` random bases.
static void write_genome(const char *path, int contigs, int64_t length) {
    FILE *file = fopen(path, "w");
    gw_random random = gw_random_at(7, GW_SITE_TEST, 0, 0);
    for (int c = 0; c < contigs; c++) {
        fprintf(file, ">c%d\n", c + 1);
        for (int64_t i = 0; i < length; i++) fputc("ACGT"[gw_random_below(&random, 4)], file);
        fputc('\n', file);
    }
    fclose(file);
}

Test(promoter_set, window_on_both_strands) {
    int64_t begin, end;
    gw_tss_window(100, '+', 30, 10, &begin, &end);
    cr_assert_eq(begin, 70);
    cr_assert_eq(end, 110);
    gw_tss_window(100, '-', 30, 10, &begin, &end); // base 100 is the 31st from the end, downstream is to the left
    cr_assert_eq(begin, 91);
    cr_assert_eq(end, 131);
    cr_assert_eq(gw_tss_position(&(gw_region){.begin = 5, .end = 9, .strand = '+'}), 5);
    cr_assert_eq(gw_tss_position(&(gw_region){.begin = 5, .end = 9, .strand = '-'}), 8);
}

static int pieces_in_place(const char *bases, const char *changed, int64_t length) {
    int same = 0;
    for (int i = 0; i < GW_PIECES; i++) {
        const int64_t begin = i * length / GW_PIECES, end = (i + 1) * length / GW_PIECES;
        same += memcmp(bases + begin, changed + begin, (size_t)(end - begin)) == 0;
    }
    return same;
}

Test(promoter_set, substitute_changes_twelve_pieces) {
    enum { LENGTH = 809 };
    char bases[LENGTH], changed[LENGTH];
    int seen[GW_PIECES] = {0};
    for (int example = 0; example < 40; example++) {
        memset(bases, 'N', LENGTH);
        memcpy(changed, bases, LENGTH);
        gw_random random = gw_random_at(1, GW_SITE_NEGATIVE, (uint64_t)example, 0);
        gw_negative_substitute(&random, changed, LENGTH);
        cr_assert_eq(pieces_in_place(bases, changed, LENGTH), GW_PIECES - GW_PIECES_CHANGED);
        for (int i = 0; i < GW_PIECES; i++) seen[i] += changed[i * LENGTH / GW_PIECES] != 'N';
    }
    for (int i = 0; i < GW_PIECES; i++) cr_assert(seen[i] > 10 && seen[i] < 40, "piece %d drawn %d times", i, seen[i]);
}

Test(promoter_set, shuffle_permutes_twelve_pieces) {
    enum { LENGTH = 400, SIZE = LENGTH / GW_PIECES };
    char bases[LENGTH], changed[LENGTH];
    for (int i = 0; i < LENGTH; i++) bases[i] = (char)('a' + i / SIZE); // piece i is all one letter
    int least = GW_PIECES;
    for (int example = 0; example < 20; example++) {
        gw_random random = gw_random_at(1, GW_SITE_NEGATIVE, (uint64_t)example, 0);
        gw_negative_shuffle(&random, bases, LENGTH, changed);
        bool used[GW_PIECES] = {false};
        for (int i = 0; i < GW_PIECES; i++) {
            const int from = changed[i * SIZE] - 'a';
            cr_assert_not(used[from], "piece %d twice", from);
            used[from] = true;
            for (int j = 0; j < SIZE; j++) cr_assert_eq(changed[i * SIZE + j], changed[i * SIZE]);
        }
        const int same = pieces_in_place(bases, changed, LENGTH);
        cr_assert_geq(same, GW_PIECES - GW_PIECES_CHANGED);
        if (same < least) least = same;
    }
    cr_assert_eq(least, GW_PIECES - GW_PIECES_CHANGED);
}

Test(promoter_set, shuffle_of_uneven_pieces_keeps_every_base) {
    enum { LENGTH = 311 };
    char bases[LENGTH], changed[LENGTH];
    int count[2][256] = {{0}};
    gw_random random = gw_random_at(2, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < LENGTH; i++) bases[i] = (char)gw_random_below(&random, 128);
    gw_negative_shuffle(&random, bases, LENGTH, changed);
    for (int i = 0; i < LENGTH; i++) {
        count[0][(unsigned char)bases[i]]++;
        count[1][(unsigned char)changed[i]]++;
    }
    cr_assert_arr_eq(count[0], count[1], sizeof count[0]);
}

Test(promoter_set, free_windows_avoid_obstacles) {
    gw_regions zones = {0}, obstacles = {0};
    gw_free_windows windows;
    cr_assert_eq(gw_regions_add(&zones, (gw_region){.contig = 0, .begin = 0, .end = 100}), GW_OK);
    cr_assert_eq(gw_regions_add(&zones, (gw_region){.contig = 2, .begin = 50, .end = 70}), GW_OK);
    cr_assert_eq(gw_regions_add(&obstacles, (gw_region){.contig = 0, .begin = 10, .end = 30}), GW_OK);
    cr_assert_eq(gw_regions_add(&obstacles, (gw_region){.contig = 0, .begin = 41, .end = 80}), GW_OK);
    cr_assert_eq(gw_regions_add(&obstacles, (gw_region){.contig = 1, .begin = 0, .end = 90}), GW_OK);
    cr_assert_eq(gw_regions_add(&obstacles, (gw_region){.contig = 2, .begin = 65, .end = 90}), GW_OK);
    cr_assert_eq(gw_free_windows_find(&windows, &zones, &obstacles, 10), GW_OK);
    // 0-10: start 0; 30-41: starts 30, 31; 80-100: starts 80 .. 90; contig 2, 50-65: starts 50 .. 55
    cr_assert_eq(gw_free_windows_count(&windows), 1 + 2 + 11 + 6);
    int seen[3][101] = {{0}};
    gw_random random = gw_random_at(5, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < 2000; i++) {
        int contig;
        int64_t begin;
        gw_free_windows_draw(&windows, &random, &contig, &begin);
        seen[contig][begin]++;
    }
    int starts = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 101; i++) {
            const bool allowed =
                (c == 0 && (i == 0 || i == 30 || i == 31 || (i >= 80 && i <= 90))) || (c == 2 && i >= 50 && i <= 55);
            cr_assert_eq(seen[c][i] > 0, allowed, "contig %d start %d", c, i);
            starts += seen[c][i] > 0;
        }
    cr_assert_eq(starts, 20);
    gw_free_windows_free(&windows);
    gw_regions_free(&zones);
    gw_regions_free(&obstacles);
}

typedef struct {
    char *sequence, *name, *region, *strand, *split, *kind;
    int label;
} set_row;

static int read_set(const char *path, set_row *rows, int most) {
    gw_line_reader *lines;
    cr_assert_eq(gw_lines_open(path, &lines), GW_OK);
    int count = -1; // the header
    for (;;) {
        char *line, *fields[8];
        int64_t length;
        cr_assert_eq(gw_lines_next(lines, &line, &length), GW_OK);
        if (!line) break;
        if (count >= 0 && count < most) {
            cr_assert_eq(gw_split(line, '\t', fields, 8), 8);
            rows[count] = (set_row){strdup(fields[0]), strdup(fields[2]), strdup(fields[3]), strdup(fields[4]),
                                    strdup(fields[5]), strdup(fields[6]), atoi(fields[1])};
            cr_assert_str_eq(fields[7], "30");
        }
        count++;
    }
    gw_lines_close(lines);
    return count;
}

static void free_rows(set_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        free(rows[i].sequence);
        free(rows[i].name);
        free(rows[i].region);
        free(rows[i].strand);
        free(rows[i].split);
        free(rows[i].kind);
    }
}

Test(promoter_set, rows_of_a_set) {
    write_genome("g.fa", 2, 2000);
    scratch_text("tss.bed",
                 "c1\t100\t101\ta\t0\t+\nc1\t100\t101\tb\t0\t-\nc1\t29\t30\tgone\t0\t+\nc2\t1989\t1990\tend\t0\t+\n"
                 "c2\t1990\t1991\tgone\t0\t+\n");
    gw_genome *genome;
    gw_regions tss = {0};
    gw_held_out held_out;
    gw_promoter_counts counts;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_read_tss(&tss, genome, "tss.bed"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_held_out_read(&held_out, genome, NULL, "c2", NULL), GW_OK);
    const gw_promoter_options options = {
        .upstream = 30, .downstream = 11, .seed = 3, .negatives = GW_NEGATIVES_SUBSTITUTE};
    cr_assert_eq(gw_promoter_set_write(genome, &tss, &held_out, &options, "set.tsv.gz", &counts), GW_OK, "%s",
                 gw_message());
    cr_assert_eq(counts.off_contig, 2);
    cr_assert_eq(counts.positives[GW_SPLIT_TRAIN], 2);
    cr_assert_eq(counts.positives[GW_SPLIT_TEST], 1);
    set_row rows[8];
    cr_assert_eq(read_set("set.tsv.gz", rows, 8), 6);
    char window[41], flipped[41];
    cr_assert_eq(gw_genome_fetch(genome, 0, 70, 111, window), GW_OK);
    cr_assert_arr_eq(rows[0].sequence, window, 41);
    cr_assert_eq(strlen(rows[0].sequence), 41);
    cr_assert_str_eq(rows[0].region, "c1:71-111");
    cr_assert_str_eq(rows[0].kind, "tss");
    cr_assert_eq(gw_genome_fetch(genome, 0, 90, 131, window), GW_OK);
    gw_reverse_complement(window, 41, flipped);
    cr_assert_arr_eq(rows[2].sequence, flipped, 41);
    cr_assert_str_eq(rows[2].strand, "-");
    for (int i = 0; i < 6; i++) {
        cr_assert_eq(rows[i].label, i % 2 == 0);
        cr_assert_str_eq(rows[i].split, i < 4 ? "train" : "test");
        cr_assert_str_eq(rows[i].name, i < 2 ? "a" : i < 4 ? "b" : "end");
        cr_assert_eq(strlen(rows[i].sequence), 41);
    }
    cr_assert_geq(pieces_in_place(rows[0].sequence, rows[1].sequence, 41), 8);
    free_rows(rows, 6);
    gw_regions_free(&tss);
    gw_held_out_free(&held_out);
    gw_genome_close(genome);
}

Test(promoter_set, genomic_negatives_are_far_alike_and_in_their_split) {
    enum { DISTANCE = 500 };
    write_genome("g.fa", 3, 5000);
    scratch_text("tss.bed",
                 "c1\t1000\t1001\ta\t0\t+\nc2\t2500\t2501\tb\t0\t-\nc3\t4000\t4001\tc\t0\t+\nc1\t40\t41\td\t0\t+\n");
    gw_genome *genome;
    gw_regions tss = {0};
    gw_held_out held_out;
    gw_promoter_counts counts;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_read_tss(&tss, genome, "tss.bed"), GW_OK);
    cr_assert_eq(gw_held_out_read(&held_out, genome, "c3", "c2", NULL), GW_OK);
    const gw_promoter_options options = {
        .upstream = 30, .downstream = 70, .seed = 3, .negatives = GW_NEGATIVES_GENOMIC, .distance = DISTANCE};
    cr_assert_eq(gw_promoter_set_write(genome, &tss, &held_out, &options, "set.tsv", &counts), GW_OK, "%s",
                 gw_message());
    cr_assert_eq(counts.far_gc, 0);
    set_row rows[8];
    cr_assert_eq(read_set("set.tsv", rows, 8), 8);
    for (int i = 0; i < 8; i += 2) {
        cr_assert_str_eq(rows[i].split, rows[i + 1].split);
        cr_assert_eq(strncmp(rows[i].region, rows[i + 1].region, 3), 0); // one contig a split
        int64_t begin, end, gc[2] = {0};
        cr_assert_eq(sscanf(rows[i + 1].region + 3, "%ld-%ld", &begin, &end), 2);
        cr_assert_eq(end - begin + 1, 100);
        for (int64_t t = 0; t < tss.count; t++) {
            if (tss.items[t].contig != rows[i].region[1] - '1') continue;
            const int64_t at = tss.items[t].begin + 1; // 1-based
            cr_assert(begin - at >= DISTANCE || at - end >= DISTANCE, "%s near %ld", rows[i + 1].region, (long)at);
        }
        for (int k = 0; k < 2; k++)
            for (const char *c = rows[i + k].sequence; *c; c++) gc[k] += *c == 'G' || *c == 'C';
        cr_assert_leq(labs((long)(gc[0] - gc[1])), 2);
    }
    free_rows(rows, 8);
    gw_regions_free(&tss);
    gw_held_out_free(&held_out);
    gw_genome_close(genome);
}

Test(promoter_set, splits_of_windows) {
    write_genome("g.fa", 2, 1000);
    gw_genome *genome;
    gw_held_out h;
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_held_out_read(&h, genome, "c1:401-500", "c1:501-600", "c2:1-10"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_split_of_window(&h, 0, 100, 200, 150), GW_SPLIT_TRAIN);
    cr_assert_eq(gw_split_of_window(&h, 0, 300, 400, 350), GW_SPLIT_TRAIN); // ends where validation begins
    cr_assert_eq(gw_split_of_window(&h, 0, 301, 401, 351), GW_SPLIT_NONE);  // touches it
    cr_assert_eq(gw_split_of_window(&h, 0, 380, 480, 430), GW_SPLIT_VALID);
    cr_assert_eq(gw_split_of_window(&h, 0, 410, 510, 460), GW_SPLIT_NONE); // validation that touches the test
    cr_assert_eq(gw_split_of_window(&h, 0, 450, 550, 500), GW_SPLIT_TEST);
    cr_assert_eq(gw_split_of_window(&h, 0, 599, 699, 649), GW_SPLIT_NONE);
    cr_assert_eq(gw_split_of_window(&h, 0, 600, 700, 650), GW_SPLIT_TRAIN);
    cr_assert_eq(gw_split_of_window(&h, 1, 5, 50, 30), GW_SPLIT_NONE);
    gw_held_out_free(&h);
    cr_assert_eq(gw_held_out_read(&h, genome, "c1:401-500", "c1:500-600", NULL), GW_ERR_MISMATCH);
    gw_genome_close(genome);
}

Test(promoter_set, tss_without_strand) {
    write_genome("g.fa", 1, 1000);
    scratch_text("tss.bed", "c1\t100\t101\ta\t0\t+\nc1\t200\t201\n");
    gw_genome *genome;
    gw_regions tss = {0};
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    cr_assert_eq(gw_read_tss(&tss, genome, "tss.bed"), GW_OK, "%s", gw_message());
    cr_assert_eq(tss.count, 1); // the other record is left out
    gw_regions_free(&tss);
    scratch_text("tss.bed", "c1\t100\t101\ta\nc1\t200\t200\tb\t0\t+\n");
    cr_assert_eq(gw_read_tss(&tss, genome, "tss.bed"), GW_ERR_FORMAT);
    cr_assert_not_null(strstr(gw_message(), "tss.bed holds no TSS"));
    gw_regions_free(&tss);
    gw_genome_close(genome);
}
