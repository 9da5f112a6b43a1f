// SPDX-License-Identifier: MIT
// godwit motifs: finds sites of motifs in a genome, and known motifs similar to a matrix.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "file/lines.h"
#include "motif/match.h"
#include "motif/scan.h"
#include "seq/genome/regions.h"
#include "tools/cli/cli.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *motifs, *fasta, *output;
    gw_region_choice choice;
    double p_value;
    int64_t best;
    bool one_strand;
} motifs_arguments;

static const motifs_arguments defaults = {.p_value = 1e-4, .best = 10};
enum { CHUNK = 1 << 20, PENDING = 1 << 16, P_TEXTS = 1 << 12, BATCH = 64, TOO_FEW = 50 };

#define FIELD(name) offsetof(motifs_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 0, "motifs", "FILE", FIELD(motifs), "motifs in MEME's text format, such as JASPAR's",
     .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output),
     "write here (default: stdout); BED where it ends in .bed or .bed.gz", .writes = true, .endings = GW_BED_ENDINGS},
    {GW_OPTION_GROUP, .help = "scan"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "genome or sequences (FASTA, plain or BGZF)"},
    {GW_OPTION_STRING, 'r', "regions", "LIST", FIELD(choice.regions), "chr, chr:beg-end, ... (default: all)"},
    {GW_OPTION_STRING, 'R', "regions-file", "BED", FIELD(choice.regions_file), "the same from a file"},
    {GW_OPTION_REAL, 0, "p-value", "P", FIELD(p_value), "sites have a p-value below this", .min = 1e-30, .max = 1},
    {GW_OPTION_FLAG, 0, "one-strand", NULL, FIELD(one_strand), "scan the forward strand alone"},
    {GW_OPTION_GROUP, .help = "match"},
    {GW_OPTION_INT, 0, "best", "N", FIELD(best), "matches that are written for each query", .min = 1, .max = 1e9},
    {.help = NULL},
};

// --- scan ------------------------------------------------------------------------------------------------------------

// P-values come again, as scores are rounded, and writing one takes as long as finding a site: texts of the last ones.
typedef struct {
    double value;
    int length;
    char text[20];
} p_value_text;

typedef struct {
    const gw_motifs *motifs;
    gw_genome *genome;
    gw_motif_scanner *scanner;
    gw_text_writer *out;
    bool bed;
    int64_t widest, found;
    gw_string text;                 // rows that are not written yet
    p_value_text p_values[P_TEXTS]; // by a hash of the value
} scan;

static gw_status write_pending(scan *s) {
    GW_TRY(gw_string_status(&s->text));
    GW_TRY(gw_writer_write(s->out, s->text.data, s->text.length));
    gw_string_clear(&s->text);
    return GW_OK;
}

static void put_p_value(scan *s, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    p_value_text *known = &s->p_values[(bits * 0x9e3779b97f4a7c15u) >> 52];
    if (known->value != value || !known->length) {
        known->value = value;
        known->length = snprintf(known->text, sizeof known->text, "%g", value);
    }
    gw_string_append(&s->text, known->text, known->length);
}

static void put_site(scan *s, const gw_motif_site *site, const char *contig, int64_t begin, const char *bases) {
    const gw_motif *motif = &s->motifs->items[site->motif];
    gw_string *text = &s->text;
    const int64_t end = begin + motif->width;
    char strand = site->reverse ? '-' : '+', matched[GW_MOTIF_WIDEST];
    if (s->bed) {
        gw_string_puts(text, contig), gw_string_putc(text, '\t'), gw_string_put_integer(text, begin);
        gw_string_putc(text, '\t'), gw_string_put_integer(text, end), gw_string_putc(text, '\t');
        gw_string_puts(text, motif->id), gw_string_putc(text, '\t');
        gw_string_put_integer(text, (int64_t)fmin(1000, rint(-10 * log10(site->p_value)))), gw_string_putc(text, '\t');
        gw_string_putc(text, strand), gw_string_putc(text, '\t');
        gw_string_puts(text, *motif->name ? motif->name : "."), gw_string_putc(text, '\t');
    } else {
        gw_string_puts(text, motif->id), gw_string_putc(text, '\t'), gw_string_puts(text, motif->name);
        gw_string_putc(text, '\t'), gw_string_puts(text, contig), gw_string_putc(text, '\t');
        gw_string_put_integer(text, begin + 1), gw_string_putc(text, '\t'), gw_string_put_integer(text, end);
        gw_string_putc(text, '\t'), gw_string_putc(text, strand), gw_string_putc(text, '\t');
    }
    gw_string_put_real(text, site->score), gw_string_putc(text, '\t'), put_p_value(s, site->p_value);
    if (!s->bed) {
        if (site->reverse) gw_reverse_complement(bases, motif->width, matched);
        gw_string_putc(text, '\t'), gw_string_append(text, site->reverse ? matched : bases, motif->width);
    }
    gw_string_putc(text, '\n');
}

static gw_status scan_region(scan *s, const gw_region *region, char *bases) {
    const char *contig = gw_genome_name(s->genome, region->contig);
    gw_motif_sites sites = {0};
    gw_status status = GW_OK;
    for (int64_t begin = region->begin; status == GW_OK && begin < region->end; begin += CHUNK) {
        const int64_t end = gw_min(region->end, begin + CHUNK + s->widest - 1);
        GW_TRY_GOTO(status, gw_check_interrupt(), done);
        GW_TRY_GOTO(status, gw_genome_read_cased(s->genome, region->contig, begin, end, bases), done);
        gw_normalise_bases(bases, end - begin);
        sites.count = 0;
        GW_TRY_GOTO(status, gw_motif_scan(s->scanner, bases, end - begin, &sites), done);
        for (int64_t i = 0; i < sites.count && sites.items[i].begin < CHUNK; i++, s->found++) {
            put_site(s, &sites.items[i], contig, begin + sites.items[i].begin, bases + sites.items[i].begin);
            if (s->text.length > PENDING) GW_TRY_GOTO(status, write_pending(s), done);
        }
    }
done:
    free(sites.items);
    return status;
}

static gw_status scan_genome(const motifs_arguments *a, const gw_motifs *motifs) {
    scan s = {.motifs = motifs,
              .bed = a->output && (gw_has_suffix(a->output, ".bed") || gw_has_suffix(a->output, ".bed.gz"))};
    gw_regions regions = {0};
    char *bases = NULL;
    int64_t total = 0, done = 0, narrow = 0;
    if (!a->fasta) return gw_fail(GW_ERR_USAGE, "scan needs sequence: -f genome.fa");
    for (int64_t i = 0; i < motifs->count; i++) {
        s.widest = gw_max(s.widest, motifs->items[i].width);
        narrow += pow(0.25, motifs->items[i].width) >= a->p_value;
    }
    gw_status status = gw_genome_open(a->fasta, &s.genome);
    if (status == GW_OK) status = gw_regions_choose(&regions, s.genome, &a->choice);
    if (status == GW_OK)
        status = gw_motif_scanner_make(motifs, a->p_value, a->one_strand || motifs->one_strand, &s.scanner);
    if (status == GW_OK && !(bases = gw_alloc(CHUNK + s.widest, 1))) status = GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_writer_open(a->output, &s.out);
    if (status == GW_OK && !s.bed)
        status =
            gw_writer_printf(s.out, "motif_id\tmotif_name\tsequence\tstart\tend\tstrand\tscore\tp_value\tmatched\n");
    gw_regions_merge(&regions); // a site is written once, however many regions it lies in
    for (int64_t i = 0; i < regions.count; i++) total += regions.items[i].end - regions.items[i].begin;
    for (int64_t i = 0; status == GW_OK && i < regions.count; i++) {
        gw_progress("scanning", done, total, "bp", NULL);
        status = scan_region(&s, &regions.items[i], bases);
        done += regions.items[i].end - regions.items[i].begin;
    }
    gw_progress_end();
    if (status == GW_OK && s.text.length > 0) status = write_pending(&s);
    status = gw_writers_close(status, s.out, NULL);
    if (status == GW_OK)
        gw_note("%lld sites of %lld motifs in %lld bp", (long long)s.found, (long long)motifs->count, (long long)total);
    if (status == GW_OK && narrow > 0)
        gw_note("%lld motifs are too narrow for a p-value below %g", (long long)narrow, a->p_value);
    gw_string_free(&s.text);
    free(bases);
    gw_motif_scanner_free(s.scanner);
    gw_regions_free(&regions);
    gw_genome_close(s.genome);
    return status;
}

// --- match -----------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_motifs *queries, *known;
    gw_motif_match *matches; // [BATCH][known->count], from query `first` on
    int64_t first;
    atomic_bool failed;
} match_work;

static void match_queries(void *context, int64_t begin, int64_t end, int thread) {
    match_work *w = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const gw_motif *query = &w->queries->items[w->first + i];
        const double(*columns)[4] = (const double(*)[4])query->columns;
        if (gw_motif_match_all(w->known, columns, query->width, w->matches + i * w->known->count) != GW_OK)
            atomic_store(&w->failed, true);
    }
}

static gw_status write_matches(const match_work *w, int64_t query, int64_t best, gw_text_writer *out) {
    const gw_motif *of = &w->queries->items[query];
    for (int64_t i = 0; i < best && i < w->known->count; i++) {
        const gw_motif_match *m = &w->matches[(query - w->first) * w->known->count + i];
        const gw_motif *known = &w->known->items[m->motif];
        GW_TRY(gw_writer_printf(out, "%s\t%s\t%s\t%s\t%g\t%g\t%g\t%d\t%d\t%c\n", of->id, of->name, known->id,
                                known->name, m->p_value, m->p_value * (double)w->known->count, m->score, m->offset,
                                m->overlap, m->reverse ? '-' : '+'));
    }
    return GW_OK;
}

static gw_status match_motifs(const motifs_arguments *a, const gw_motifs *known, const char *path) {
    gw_motifs queries = {0};
    gw_text_writer *out = NULL;
    match_work w = {.queries = &queries, .known = known};
    gw_status status = gw_motifs_read(path, &queries);
    if (status == GW_OK && known->count < TOO_FEW)
        gw_warn("%s has %lld motifs: p-values depend on which these are, so give a whole collection", a->motifs,
                (long long)known->count);
    if (status == GW_OK && !(w.matches = gw_alloc(BATCH * known->count, sizeof *w.matches))) status = GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_writer_open(a->output, &out);
    if (status == GW_OK)
        status = gw_writer_printf(out, "query_id\tquery_name\tmotif_id\tmotif_name\tp_value\te_value\tscore\toffset\t"
                                       "overlap\tstrand\n");
    for (; status == GW_OK && w.first < queries.count; w.first += BATCH) {
        const int64_t batch = gw_min(BATCH, queries.count - w.first);
        GW_TRY_GOTO(status, gw_check_interrupt(), done);
        gw_parallel_for(batch, 1, match_queries, &w);
        if (atomic_load(&w.failed)) status = gw_fail(GW_ERR_MEMORY, "out of memory for matches of %s", path);
        for (int64_t i = 0; status == GW_OK && i < batch; i++) status = write_matches(&w, w.first + i, a->best, out);
    }
done:
    status = gw_writers_close(status, out, NULL);
    free(w.matches);
    gw_motifs_free(&queries);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const motifs_arguments *a = arguments;
    const bool match = strcmp(operands[0], "match") == 0;
    gw_motifs motifs;
    if (!match && strcmp(operands[0], "scan") != 0)
        return gw_fail(GW_ERR_USAGE, "'%s' is neither scan nor match", operands[0]);
    if (count != (match ? 2 : 1))
        return gw_fail(GW_ERR_USAGE, match ? "match takes one file of queries" : "scan takes its sequence with -f");
    GW_TRY(gw_motifs_read(a->motifs, &motifs));
    const gw_status status = match ? match_motifs(a, &motifs, operands[1]) : scan_genome(a, &motifs);
    gw_motifs_free(&motifs);
    return status;
}

const gw_command gw_command_motifs = {
    .name = "motifs",
    .group = "Motifs",
    .summary = "sites of motifs in a genome, and known motifs that a matrix is like",
    .usage = "scan|match --motifs FILE.meme [-f genome.fa] [options] [QUERY.meme]",
    .description =
        "scan finds the sites of all motifs on both strands, with FIMO's scores and p-values. The score is the sum of "
        "log2((p + 0.0001) / background) over the columns; the background is the motif file's. The p-value is the "
        "share of random sequence of that background that scores as much. A site covers no N.\n\n"
        "match finds known motifs that each query is like, with Tomtom's p-value, which depends on the collection that "
        "is given as --motifs; E-values are p-values times its size.\n\n"
        "Positions of TSV begin at 1, those of BED at 0. BED has nine columns: contig, start, end, id, -10 log10 of "
        "the p-value, strand, name, score, p-value.",
    .examples = "godwit motifs scan --motifs JASPAR.meme -f yeast.fa.gz -R promoters.bed -o sites.tsv\n"
                "godwit motifs scan --motifs JASPAR.meme -f yeast.fa.gz --p-value 1e-5 -o sites.bed.gz\n"
                "godwit motifs match seqlets.meme --motifs JASPAR.meme --best 3 -o names.tsv",
    GW_COMMAND_TAKES(1, 2),
    .run = run,
};
