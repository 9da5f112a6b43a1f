// SPDX-License-Identifier: MIT
// Lifts VCF text record by record. For each record:
//
//   1. Exactly one chain must align all bases of REF, side by side: the mapped span has REF's length. This chain gives
//      the contig, the position and the strand.
//   2. ALTs that are no bases are kept. Breakends are refused, because they name positions of the source. Symbols on
//      the opposite strand are refused too: their END would become the begin. INFO/END is mapped by the same chain.
//   3. On the opposite strand alleles are reverse complemented.
//   4. The target genome must have REF there. If it has an ALT of REF's length instead, the record is SWAPPED.
//   5. On the opposite strand the base before an insertion or deletion is now behind it: alleles move to their leftmost
//      position.
//
// A record that fails a step goes to the other file with the step's reason. Columns are changed in place; the original
// line is kept for that file.
#include "seq/lift/lift_vcf.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/vcf/variant.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, REST, COLUMNS };

const char *gw_lift_vcf_reason(gw_lift_vcf_result result) {
    static const char *const names[GW_LIFT_VCF_RESULTS] = {"PASS",       "NOCONTIG", "DELETED",     "GAP",
                                                           "DUPLICATED", "NOTARGET", "REFMISMATCH", "SWAPPED",
                                                           "SYMBOLIC",   "BREAKEND", "EDGE"};
    return names[result];
}

// REF and ALTs of one record that moves to another assembly, perhaps to its other strand.
//
// Alleles of one length are complemented and reversed, no more. With an insertion or deletion among them the base that
// all share stands at the wrong end after that, so bases are taken off the right and put on at the left until the
// alleles differ at their last base (Tan et al. 2015, Unified representation of genetic variants): the leftmost place.
//
// An allele read from its last base to its first, complemented, is what it was: so items hold the complement of the
// allele as the file has it, "take off the right" is a step at the front that all share, and "put on at the left"
// appends.
typedef struct {
    bool flipped;
    gw_string *items; // REF, then ALTs. Where flipped, bases stand in the opposite order: the last one first
    bool *plain;      // whether made of bases; '*', '.' and <symbol> stay as they are
    int64_t dropped;  // bases left out at the front of each plain item
    int count;
    int64_t capacity, plain_capacity;
} lifted_alleles;

static const char BASES[] = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
static const char PARTNERS[] = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";

// Takes in an allele as it was; complements it where the record moves to the other strand.
static gw_status take(lifted_alleles *a, const char *allele) {
    const int64_t before = a->capacity;
    GW_TRY(gw_reserve(&a->items, &a->capacity, a->count + 1, sizeof *a->items));
    GW_TRY(gw_reserve(&a->plain, &a->plain_capacity, a->count + 1, sizeof *a->plain));
    for (int64_t i = before; i < a->capacity; i++) a->items[i] = (gw_string){0};
    gw_string *item = &a->items[a->count];
    gw_string_clear(item);
    gw_string_puts(item, allele);
    GW_TRY(gw_string_status(item));
    const bool plain = allele[0] && allele[strspn(allele, BASES)] == 0;
    for (int64_t i = 0; plain && a->flipped && i < item->length; i++)
        item->data[i] = PARTNERS[strchr(BASES, item->data[i]) - BASES];
    a->plain[a->count++] = plain;
    return GW_OK;
}

// The bases that an allele has left.
static int64_t length_of(const lifted_alleles *a, int i) {
    return a->items[i].length - a->dropped;
}

static int64_t shortest(const lifted_alleles *a) {
    int64_t least = length_of(a, 0);
    for (int i = 1; i < a->count; i++)
        if (a->plain[i] && length_of(a, i) < least) least = length_of(a, i);
    return least;
}

// Whether all have the same base: their last one, or their first.
static bool share_base(const lifted_alleles *a, bool last) {
    const gw_string *ref = &a->items[0];
    const int base = toupper((unsigned char)ref->data[last ? a->dropped : ref->length - 1]);
    for (int i = 1; i < a->count; i++) {
        const gw_string *item = &a->items[i];
        if (a->plain[i] && toupper((unsigned char)item->data[last ? a->dropped : item->length - 1]) != base)
            return false;
    }
    return true;
}

// Moves them from *position (0-based, of REF's first base on the new assembly) to the leftmost place. *fits is false
// where the contig begins before they differ.
static gw_status shift_alleles(lifted_alleles *a, gw_genome *genome, int contig, int64_t *position, bool *fits) {
    bool differ = false;
    for (int i = 1; i < a->count; i++) differ |= a->plain[i] && length_of(a, i) != length_of(a, 0);
    *fits = true;
    if (!differ) return GW_OK;
    while (share_base(a, true)) {
        a->dropped++;
        if (shortest(a) > 0) continue;
        *fits = *position > 0;
        if (!*fits) return GW_OK;
        char base; // to put on at the left
        --*position;
        GW_TRY(gw_genome_fetch(genome, contig, *position, *position + 1, &base));
        for (int i = 0; i < a->count; i++) {
            if (!a->plain[i]) continue;
            gw_string_putc(&a->items[i], base);
            GW_TRY(gw_string_status(&a->items[i]));
        }
    }
    while (shortest(a) > 1 && share_base(a, false)) {
        for (int i = 0; i < a->count; i++) a->items[i].length -= a->plain[i];
        ++*position;
    }
    return GW_OK;
}

// Appends allele i as VCF writes it.
static void put_allele(const lifted_alleles *alleles, int i, gw_string *out) {
    const gw_string *item = &alleles->items[i];
    if (!alleles->flipped || !alleles->plain[i]) {
        gw_string_append(out, item->data, item->length);
        return;
    }
    for (int64_t at = item->length - 1; at >= alleles->dropped; at--) gw_string_putc(out, item->data[at]);
}

typedef struct {
    const gw_chains *chains;
    gw_genome *genome;
    const gw_lift_vcf_options *options;
    gw_lift_vcf_counts *counts;
    gw_line_reader *lines;
    gw_text_writer *output, *unlifted;
    gw_string original, row;
    gw_chain_list found;
    lifted_alleles alleles;
    char **alts; // of the record
    int64_t alt_count, alt_capacity;
} vcf_lifter;

// A record on its way.
typedef struct {
    char *columns[COLUMNS];
    int count;
    int64_t chain;    // that lifts it
    int contig;       // of the genome
    int64_t position; // 0-based, there
    int64_t end;      // of INFO/END there, 1-based; 0: none
    bool reverse;
} moving_record;

static gw_status write_to(gw_text_writer *writer, const char *line) {
    return writer ? gw_writer_printf(writer, "%s\n", line) : GW_OK;
}

static const char FLIP_LINE[] =
    "##INFO=<ID=GW_FLIP,Number=0,Type=Flag,Description=\"Lifted to the other strand: alleles "
    "are complemented\">";
static const char REASON_LINE[] =
    "##INFO=<ID=GW_LIFT,Number=1,Type=String,Description=\"Why godwit liftover left the record behind\">";

// The lines that a lifted file gets before #CHROM.
static gw_status end_header(vcf_lifter *l, const char *line) {
    const gw_lift_vcf_options *o = l->options;
    GW_TRY(gw_writer_printf(l->output, "##reference=file://%s\n", gw_genome_path(l->genome)));
    for (int i = 0; i < gw_genome_contigs(l->genome); i++)
        GW_TRY(gw_writer_printf(l->output, "##contig=<ID=%s,length=%" PRId64 ">\n", gw_genome_name(l->genome, i),
                                gw_genome_length(l->genome, i)));
    GW_TRY(gw_writer_printf(l->output, "##godwit_liftoverVersion=%s\n##godwit_liftoverCommand=%s\n", o->source,
                            o->command));
    GW_TRY(write_to(l->output, FLIP_LINE));
    GW_TRY(write_to(l->unlifted, REASON_LINE));
    GW_TRY(write_to(l->output, line));
    return write_to(l->unlifted, line);
}

static gw_status read_header(vcf_lifter *l) {
    for (int64_t number = 1;; number++) {
        char *line;
        int64_t length;
        GW_TRY(gw_lines_next(l->lines, &line, &length));
        if (number == 1 && line && gw_has_prefix(line, "BCF"))
            return gw_fail(GW_ERR_UNSUPPORTED, "%s is BCF: bcftools view makes VCF of it", gw_lines_path(l->lines));
        if (number == 1 && (!line || !gw_has_prefix(line, "##fileformat=VCF")))
            return gw_fail(GW_ERR_FORMAT, "%s is not a VCF: it does not begin with ##fileformat=VCF",
                           gw_lines_path(l->lines));
        if (!line || line[0] != '#')
            return gw_fail(GW_ERR_FORMAT, "%s: the header has no line #CHROM", gw_lines_path(l->lines));
        if (gw_has_prefix(line, "#CHROM\t")) return end_header(l, line);
        const bool replaced = gw_has_prefix(line, "##contig=") || gw_has_prefix(line, "##reference=") ||
                              gw_has_prefix(line, "##INFO=<ID=GW_FLIP,");
        if (!replaced) GW_TRY(write_to(l->output, line));
        if (!gw_has_prefix(line, "##INFO=<ID=GW_LIFT,")) GW_TRY(write_to(l->unlifted, line));
    }
}

static gw_status parse(vcf_lifter *l, moving_record *m, char *line, int64_t *position) {
    m->count = gw_split(line, '\t', m->columns, COLUMNS);
    if (m->count < INFO + 1) return gw_fail(GW_ERR_FORMAT, "%d columns, but a VCF record has at least 8", m->count);
    if (gw_parse_int(m->columns[POS], 0, INT64_MAX / 4, position) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "POS");
    --*position;
    if (!m->columns[REF][0] || m->columns[REF][strspn(m->columns[REF], "ACGTURYSWKMBDHVNacgturyswkmbdhvn")])
        return gw_fail(GW_ERR_FORMAT, "REF: '%.40s' is not a sequence of bases", m->columns[REF]);
    l->alt_count = 0;
    for (char *alt = m->columns[ALT], *one; (one = strsep(&alt, ",")) != NULL;) {
        if (!one[0]) return gw_fail(GW_ERR_FORMAT, "ALT holds an empty allele");
        GW_TRY(gw_reserve(&l->alts, &l->alt_capacity, l->alt_count + 1, sizeof *l->alts));
        l->alts[l->alt_count++] = one;
    }
    return GW_OK;
}

// The value of INFO/END and its length; NULL: none.
static const char *find_end(const char *info, size_t *length) {
    for (const char *at = info; at; at = gw_next_item(at, ';')) {
        if (!gw_has_prefix(at, "END=")) continue;
        *length = strcspn(at + 4, ";");
        return at + 4;
    }
    return NULL;
}

// Where REF goes.
static gw_status place(vcf_lifter *l, moving_record *m, int64_t position, gw_lift_vcf_result *result) {
    const gw_span ref = {position, position + (int64_t)strlen(m->columns[REF])};
    const int source = gw_chains_find_source(l->chains, m->columns[CHROM]);
    gw_lift_result found;
    *result = GW_LIFT_VCF_NOCONTIG;
    if (source < 0 && !l->counts->unknown && !(l->counts->unknown = gw_strdup(m->columns[CHROM]))) return GW_ERR_MEMORY;
    if (source < 0) return GW_OK;
    *result = GW_LIFT_VCF_EDGE;
    if (position < 0) return GW_OK;
    GW_TRY(gw_chains_find(l->chains, source, &ref, 1, 1, &l->found, &found));
    *result = found == GW_LIFT_DELETED ? GW_LIFT_VCF_DELETED : GW_LIFT_VCF_GAP;
    if (found == GW_LIFT_DUPLICATED) *result = GW_LIFT_VCF_DUPLICATED;
    if (found != GW_LIFT_ONE) return GW_OK;
    m->chain = l->found.items[0];
    const gw_lifted lifted = gw_chains_map(l->chains, m->chain, ref);
    if (lifted.end - lifted.begin != ref.end - ref.begin) return GW_OK;
    m->position = lifted.begin;
    m->reverse = lifted.reverse;
    *result = GW_LIFT_VCF_NOTARGET;
    const char *name = gw_chains_target_name(l->chains, lifted.target);
    const int64_t length = gw_chains_target_length(l->chains, lifted.target);
    m->contig = gw_genome_find(l->genome, name, length);
    if (m->contig < 0) return GW_OK;
    *result = GW_LIFT_VCF_DONE;
    if (gw_genome_length(l->genome, m->contig) == length) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "'%s' has %" PRId64 " bp in %s, but %" PRId64 " bp in %s: they belong to different "
                   "assemblies",
                   name, length, gw_chains_path(l->chains), gw_genome_length(l->genome, m->contig),
                   gw_genome_path(l->genome));
}

// INFO/END by the chain that lifts POS.
static gw_status place_end(vcf_lifter *l, moving_record *m, gw_lift_vcf_result *result) {
    char number[24];
    size_t length;
    int64_t end;
    const char *text = find_end(m->columns[INFO], &length);
    m->end = 0;
    if (!text) return GW_OK;
    if (length >= sizeof number) return gw_fail(GW_ERR_FORMAT, "INFO/END is not a position");
    memcpy(number, text, length);
    number[length] = 0;
    if (gw_parse_int(number, 1, INT64_MAX / 4, &end) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "INFO/END");
    const gw_lifted lifted = gw_chains_map(l->chains, m->chain, (gw_span){end - 1, end});
    m->end = lifted.end;
    if (m->reverse) *result = GW_LIFT_VCF_SYMBOLIC;
    else if (lifted.aligned == 0) *result = GW_LIFT_VCF_GAP;
    return GW_OK;
}

// Compares the alleles, which still stand where REF was lifted to, with the genome.
static gw_status check_ref(vcf_lifter *l, const moving_record *m, gw_lift_vcf_result *result) {
    gw_string allele = {0};
    gw_status status = GW_OK;
    for (int i = 0; i <= l->alt_count && status == GW_OK; i++) {
        const bool same_length = l->alleles.items[i].length == l->alleles.items[0].length;
        if (!l->alleles.plain[i] || !same_length) continue;
        gw_allele_status agrees;
        gw_string_clear(&allele);
        put_allele(&l->alleles, i, &allele);
        status = gw_string_status(&allele);
        if (status == GW_OK) status = gw_variant_check_ref(l->genome, m->contig, m->position, allele.data, &agrees);
        if (status != GW_OK || agrees == GW_ALLELE_PASS) {
            if (i > 0) *result = GW_LIFT_VCF_SWAPPED;
            break;
        }
        *result = GW_LIFT_VCF_REFMISMATCH;
    }
    gw_string_free(&allele);
    return status;
}

static gw_status move_record(vcf_lifter *l, moving_record *m, int64_t position, gw_lift_vcf_result *result) {
    GW_TRY(place(l, m, position, result));
    for (int64_t i = 0; *result == GW_LIFT_VCF_DONE && i < l->alt_count; i++) {
        const gw_allele_status kind = gw_allele_kind(l->alts[i]);
        if (kind == GW_ALLELE_BREAKEND) *result = GW_LIFT_VCF_BREAKEND;
        if (kind == GW_ALLELE_SYMBOLIC && m->reverse) *result = GW_LIFT_VCF_SYMBOLIC;
    }
    if (*result == GW_LIFT_VCF_DONE) GW_TRY(place_end(l, m, result));
    if (*result != GW_LIFT_VCF_DONE) return GW_OK;
    l->alleles.flipped = m->reverse;
    l->alleles.count = 0;
    l->alleles.dropped = 0;
    GW_TRY(take(&l->alleles, m->columns[REF]));
    for (int64_t i = 0; i < l->alt_count; i++) GW_TRY(take(&l->alleles, l->alts[i]));
    GW_TRY(check_ref(l, m, result));
    if (*result != GW_LIFT_VCF_DONE || !m->reverse) return GW_OK;
    bool fits;
    GW_TRY(shift_alleles(&l->alleles, l->genome, m->contig, &m->position, &fits));
    if (!fits) *result = GW_LIFT_VCF_EDGE;
    return GW_OK;
}

// INFO with its END replaced, and one more entry.
static void put_info(gw_string *row, const char *info, int64_t end, const char *entry) {
    size_t length;
    const char *old = end > 0 ? find_end(info, &length) : NULL;
    if (old) {
        gw_string_append(row, info, old - info);
        gw_string_printf(row, "%" PRId64 "%s", end, old + length);
    } else if (!entry || strcmp(info, ".") != 0) {
        gw_string_puts(row, info);
    }
    if (entry) gw_string_printf(row, "%s%s", strcmp(info, ".") == 0 ? "" : ";", entry);
}

static gw_status put_lifted(vcf_lifter *l, const moving_record *m) {
    gw_string *row = &l->row;
    gw_string_clear(row);
    gw_string_printf(row, "%s\t%" PRId64 "\t%s\t", gw_genome_name(l->genome, m->contig), m->position + 1,
                     m->columns[ID]);
    for (int i = 0; i <= l->alt_count; i++) {
        if (i > 0) gw_string_putc(row, i == 1 ? '\t' : ',');
        put_allele(&l->alleles, i, row);
    }
    gw_string_printf(row, "\t%s\t%s\t", m->columns[QUAL], m->columns[FILTER]);
    const char *info = m->columns[INFO], *flip = strstr(info, "GW_FLIP");
    const bool flagged = flip && (flip == info || flip[-1] == ';') && strchr(";", flip[strlen("GW_FLIP")]);
    put_info(row, info, m->end, m->reverse && !flagged ? "GW_FLIP" : NULL);
    if (m->count > REST) gw_string_printf(row, "\t%s", m->columns[REST]);
    gw_string_putc(row, '\n');
    GW_TRY(gw_string_status(row));
    l->counts->flipped += m->reverse;
    return gw_writer_write(l->output, row->data, row->length);
}

// The record's own line, with the reason.
static gw_status put_unlifted(vcf_lifter *l, const moving_record *m, gw_lift_vcf_result result) {
    if (!l->unlifted) return GW_OK;
    char reason[64];
    snprintf(reason, sizeof reason, "GW_LIFT=%s", gw_lift_vcf_reason(result));
    gw_string *row = &l->row;
    gw_string_clear(row);
    gw_string_append(row, l->original.data, m->columns[INFO] - m->columns[CHROM]);
    put_info(row, m->columns[INFO], 0, reason);
    if (m->count > REST) gw_string_printf(row, "\t%s", m->columns[REST]);
    gw_string_putc(row, '\n');
    GW_TRY(gw_string_status(row));
    return gw_writer_write(l->unlifted, row->data, row->length);
}

static gw_status lift_record(vcf_lifter *l, char *line, int64_t length) {
    moving_record m = {0};
    int64_t position;
    gw_lift_vcf_result result = GW_LIFT_VCF_DONE;
    gw_string_clear(&l->original);
    gw_string_append(&l->original, line, length);
    GW_TRY(gw_string_status(&l->original));
    gw_status status = parse(l, &m, line, &position);
    if (status == GW_OK) status = move_record(l, &m, position, &result);
    if (status != GW_OK) return gw_fail_in(status, "%s:%" PRId64, gw_lines_path(l->lines), gw_lines_number(l->lines));
    l->counts->records++;
    l->counts->results[result]++;
    return result == GW_LIFT_VCF_DONE ? put_lifted(l, &m) : put_unlifted(l, &m, result);
}

static gw_status lift_lines(vcf_lifter *l) {
    GW_TRY(read_header(l));
    for (;;) {
        char *line;
        int64_t length;
        GW_TRY(gw_lines_next(l->lines, &line, &length));
        if (!line) return GW_OK;
        GW_TRY(gw_check_interrupt());
        if (length > 0) GW_TRY(lift_record(l, line, length));
        gw_progress("liftover", l->counts->records, 0, "records", NULL);
    }
}

gw_status gw_lift_vcf(const gw_chains *chains, gw_genome *genome, const gw_lift_vcf_options *options,
                      gw_lift_vcf_counts *counts) {
    *counts = (gw_lift_vcf_counts){0};
    vcf_lifter l = {.chains = chains, .genome = genome, .options = options, .counts = counts};
    gw_status status = gw_lines_open(options->input, &l.lines);
    if (status == GW_OK) status = gw_writer_open(options->output, &l.output);
    if (status == GW_OK && options->unlifted) status = gw_writer_open(options->unlifted, &l.unlifted);
    if (status == GW_OK) status = lift_lines(&l);
    status = gw_writers_close(status, l.output, l.unlifted);
    gw_progress_end();
    gw_lines_close(l.lines);
    gw_string_free(&l.original);
    gw_string_free(&l.row);
    for (int64_t i = 0; i < l.alleles.capacity; i++) gw_string_free(&l.alleles.items[i]);
    free(l.alleles.items);
    free(l.alleles.plain);
    free(l.found.items);
    free(l.alts);
    return status;
}
