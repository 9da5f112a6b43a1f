// SPDX-License-Identifier: MIT
// Reads contigs or regions, cuts them into documents, and writes one sentence a line.
#include "data/corpus.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/random.h"
#include "file/lines.h"
#include "seq/genome/fasta_stream.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdlib.h>
#include <string.h>

// --- documents of a contig ------------------------------------------------------------------------------------------
//
// Everything is done in the coordinates of the strand that is read. Forward position p is L - p on the other strand, so
// that the stretch [begin, end) becomes [L - end, L - begin).
typedef struct {
    int64_t begin, end;
} stretch;

typedef struct {
    stretch *items; // between long runs of N, ascending
    int64_t count, capacity;
} stretches;

static gw_status add(stretches *list, int64_t begin, int64_t end) {
    if (begin == end) return GW_OK;
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = (stretch){begin, end};
    return GW_OK;
}

static gw_status find_stretches(stretches *list, const char *bases, int64_t length) {
    int64_t begin = 0, at = 0;
    while (at < length) {
        const char *found = memchr(bases + at, 'N', (size_t)(length - at));
        if (!found) break;
        const int64_t run = found - bases;
        at = run;
        while (at < length && bases[at] == 'N') at++;
        if (at - run <= GW_LONG_N_RUN) continue;
        GW_TRY(add(list, begin, run));
        begin = at;
    }
    return add(list, begin, length);
}

typedef struct {
    const gw_cut_options *options;
    gw_cut_sink sink;
    void *context;
    int64_t length;
    gw_random random;
    char strand;
} cutter;

static int64_t draw(cutter *c, const int64_t range[2]) {
    return gw_random_between(&c->random, range[0], range[1]);
}

// Documents from `at` to the end of the stretch, both on the strand that is read.
static gw_status cut_stretch(cutter *c, int64_t at, int64_t end) {
    while (at < end) {
        const int64_t sentences = draw(c, c->options->sentences);
        for (int64_t i = 0; i < sentences && at < end; i++) {
            const int64_t length = draw(c, c->options->sentence_length), stop = gw_min(at + length, end);
            const bool forward = c->strand == '+';
            const gw_cut cut = {.begin = forward ? at : c->length - stop,
                                .end = forward ? stop : c->length - at,
                                .strand = c->strand,
                                .first = i == 0};
            GW_TRY(c->sink(c->context, &cut));
            at = stop;
        }
    }
    return GW_OK;
}

gw_status gw_cut_documents(const gw_cut_options *options, const char *bases, int64_t length, uint64_t contig,
                           gw_cut_sink sink, void *context) {
    stretches list = {0};
    cutter c = {.options = options, .sink = sink, .context = context, .length = length};
    gw_status status = find_stretches(&list, bases, length);
    const int strands = options->both_strands ? 2 : 1;
    for (int64_t pass = 0; status == GW_OK && pass < 2 * options->repeats; pass++) {
        if (pass % 2 >= strands) continue;
        c.random = gw_random_at(options->seed, GW_SITE_CORPUS, contig, (uint32_t)pass);
        c.strand = pass % 2 ? '-' : '+';
        const int64_t start = gw_random_between(&c.random, 0, options->max_offset);
        for (int64_t i = 0; status == GW_OK && i < list.count; i++) {
            const bool forward = c.strand == '+';
            const stretch s = list.items[forward ? i : list.count - 1 - i];
            const int64_t begin = forward ? s.begin : length - s.end, end = forward ? s.end : length - s.begin;
            status = cut_stretch(&c, gw_max(begin, start), end);
        }
        if (status == GW_OK) status = gw_check_interrupt();
    }
    free(list.items);
    return status;
}

// --- the corpus -----------------------------------------------------------------------------------------------------

typedef struct {
    const gw_corpus_options *options;
    gw_corpus_counts counts;
    gw_text_writer *text, *positions; // positions NULL: none
    char *line;                       // [longest sentence + 1], for the reverse strand
    char *bases;                      // the contig or region at hand
    int64_t capacity;
    const char *contig; // its name
    int64_t begin;      // of bases[0] on the contig
    char *exclude;      // a copy of the option with the commas as zero bytes
    char **excluded;
    int excluded_count;
    bool *found; // [excluded_count]
} corpus;

static gw_status write_sentence(void *context, const gw_cut *cut) {
    corpus *c = context;
    const int64_t length = cut->end - cut->begin;
    const char *sentence = c->bases + cut->begin;
    if (cut->strand == '-') {
        gw_reverse_complement(sentence, length, c->line);
        sentence = c->line;
    }
    if (cut->first && c->counts.documents > 0) GW_TRY(gw_writer_write(c->text, "\n", 1));
    GW_TRY(gw_writer_write(c->text, sentence, length));
    GW_TRY(gw_writer_write(c->text, "\n", 1));
    if (c->positions)
        GW_TRY(gw_writer_printf(c->positions, "%s\t%lld\t%lld\t%lld\t0\t%c\n", c->contig,
                                (long long)(c->begin + cut->begin), (long long)(c->begin + cut->end),
                                (long long)c->counts.sentences, cut->strand));
    c->counts.documents += cut->first;
    c->counts.sentences++;
    c->counts.bases += length;
    return GW_OK;
}

// Documents of bases[length], which lie at [begin, begin + length) of contig `number`. The draws of a region that
// starts where its contig starts are those of the contig.
static gw_status write_documents(corpus *c, const char *name, int64_t number, int64_t begin, int64_t length) {
    if (length < c->options->min_contig) return GW_OK;
    c->contig = name;
    c->begin = begin;
    c->counts.contigs += length > 0;
    const uint64_t stream = (uint64_t)number + ((uint64_t)begin << 20);
    GW_TRY(gw_cut_documents(&c->options->cut, c->bases, length, stream, write_sentence, c));
    gw_progress("corpus", c->counts.bases, 0, "bp", name);
    return GW_OK;
}

static bool is_excluded(corpus *c, const char *name) {
    bool excluded = false;
    for (int i = 0; i < c->excluded_count; i++) {
        if (strcmp(c->excluded[i], name) != 0) continue;
        c->found[i] = true;
        excluded = true;
    }
    return excluded;
}

// A name that was mistyped must not put held-out sequence into a corpus.
static gw_status check_exclude(const corpus *c) {
    for (int i = 0; i < c->excluded_count; i++)
        if (!c->found[i])
            return gw_fail(GW_ERR_MISMATCH, "--exclude: %s has no contig '%s'", c->options->fasta, c->excluded[i]);
    return GW_OK;
}

static gw_status read_contig(corpus *c, gw_fasta *fasta, int64_t *length) {
    enum { ROOM = 1 << 20 };
    int64_t count = 1;
    *length = 0;
    while (count > 0) {
        GW_TRY(gw_reserve(&c->bases, &c->capacity, *length + ROOM, 1));
        GW_TRY(gw_fasta_read(fasta, c->bases + *length, ROOM, &count));
        gw_normalise_bases(c->bases + *length, count);
        *length += count;
        GW_TRY(gw_check_interrupt());
    }
    return GW_OK;
}

static gw_status write_from_stream(corpus *c) {
    gw_fasta *fasta;
    GW_TRY(gw_fasta_open(c->options->fasta, &fasta));
    gw_status status = GW_OK;
    for (int64_t number = 0; status == GW_OK; number++) {
        const char *name;
        int64_t length;
        status = gw_fasta_next(fasta, &name);
        if (status != GW_OK || !name) break;
        if (is_excluded(c, name)) continue;
        status = read_contig(c, fasta, &length);
        if (status == GW_OK) status = write_documents(c, name, number, 0, length);
    }
    gw_fasta_close(fasta);
    return status == GW_OK ? check_exclude(c) : status;
}

static gw_region_choice choice_of(const gw_corpus_options *o) {
    return (gw_region_choice){o->regions, o->regions_file, o->targets, o->targets_file};
}

static gw_status write_from_genome(corpus *c) {
    gw_genome *genome;
    gw_regions regions = {0};
    const gw_region_choice choice = choice_of(c->options);
    GW_TRY(gw_genome_open(c->options->fasta, &genome));
    gw_status status = c->options->chr_map ? gw_genome_read_aliases(genome, c->options->chr_map) : GW_OK;
    if (status == GW_OK) status = gw_regions_choose(&regions, genome, &choice);
    for (int i = 0; i < gw_genome_contigs(genome); i++) is_excluded(c, gw_genome_name(genome, i));
    if (status == GW_OK) status = check_exclude(c);
    for (int64_t i = 0; i < regions.count && status == GW_OK; i++) {
        const gw_region *r = &regions.items[i];
        const char *name = gw_genome_name(genome, r->contig);
        const int64_t length = r->end - r->begin;
        if (is_excluded(c, name)) continue;
        status = gw_reserve(&c->bases, &c->capacity, length, 1);
        if (status == GW_OK) status = gw_genome_fetch(genome, r->contig, r->begin, r->end, c->bases);
        if (status == GW_OK) status = write_documents(c, name, r->contig, r->begin, length);
    }
    gw_regions_free(&regions);
    gw_genome_close(genome);
    return status;
}

static gw_status write_all(corpus *c) {
    const char *fasta = c->options->fasta, *exclude = c->options->exclude;
    const gw_region_choice choice = choice_of(c->options);
    bool genome = !gw_region_choice_is_empty(&choice);
    if (!genome && fasta && strcmp(fasta, "-") != 0) { // an index beside the FASTA is used, and thereby checked
        char *index = gw_strprintf("%s.fai", fasta);
        if (!index) return GW_ERR_MEMORY;
        genome = gw_file_exists(index);
        free(index);
    }
    if (exclude) {
        int most = 1;
        for (const char *comma = exclude; (comma = strchr(comma, ',')); comma++) most++;
        c->exclude = gw_strdup(exclude);
        c->excluded = gw_alloc(most, sizeof *c->excluded);
        c->found = gw_alloc(most, sizeof *c->found);
        if (!c->exclude || !c->excluded || !c->found) return GW_ERR_MEMORY;
        c->excluded_count = gw_split(c->exclude, ',', c->excluded, most);
    }
    GW_TRY(gw_writer_open(c->options->output, &c->text));
    if (c->options->positions) GW_TRY(gw_writer_open(c->options->positions, &c->positions));
    GW_TRY(genome ? write_from_genome(c) : write_from_stream(c));
    gw_text_writer *text = c->text, *positions = c->positions;
    c->text = NULL;
    GW_TRY(gw_writer_close(text));
    c->positions = NULL;
    return positions ? gw_writer_close(positions) : GW_OK;
}

gw_status gw_corpus_write(const gw_corpus_options *options, gw_corpus_counts *counts) {
    corpus c = {.options = options, .line = gw_alloc(options->cut.sentence_length[1], 1)};
    const gw_status status = c.line ? write_all(&c) : GW_ERR_MEMORY;
    *counts = c.counts;
    gw_writer_abandon(c.text);
    gw_writer_abandon(c.positions);
    free(c.line);
    free(c.bases);
    free(c.exclude);
    free(c.excluded);
    free(c.found);
    return status;
}
