// SPDX-License-Identifier: MIT
// Tells the forms apart, then fills in REF and ALT from the genome.
#include "seq/vcf/variant_text.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "seq/genome/human_accessions.h"
#include "seq/vcf/hgvs_alleles.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

// Cuts the last three fields off at their separators; false where there are fewer.
static bool split(char *text, char separator, char *fields[FIELDS]) {
    fields[0] = text;
    for (int i = FIELDS - 1; i > 0; i--) {
        char *at = strrchr(text, separator);
        if (!at) return false;
        *at = 0;
        fields[i] = at + 1;
    }
    return true;
}

static int count(const char *text, char c) {
    int found = 0;
    for (; *text; text++) found += *text == c;
    return found;
}

bool gw_variant_text_is_name(const char *text) {
    return !strchr(text, ':') && count(text, '-') < FIELDS - 1;
}

static gw_status check_allele(const char *name, const char *allele) {
    if (*allele && !allele[strspn(allele, "ACGTNacgtn")]) return GW_OK;
    return gw_fail(GW_ERR_FORMAT,
                   "%s is '%s', expected bases: of an insertion or deletion with the base before it (CA and C), or as "
                   "HGVS (g.100del, g.100_101insA)",
                   name, allele);
}

// chr17:43045711:G:A, split.
static gw_status read_fields(char *const fields[FIELDS], gw_genome *genome, gw_written_alleles *out) {
    int64_t position;
    GW_TRY(gw_genome_find_accession(genome, fields[0], &out->contig));
    gw_status status = gw_parse_int(fields[1], 1, INT64_MAX / 2, &position);
    if (status != GW_OK) return gw_fail_in(status, "position");
    GW_TRY(check_allele("REF", fields[2]));
    GW_TRY(check_allele("ALT", fields[3]));
    out->position = position - 1;
    if (!(out->ref = gw_strdup(fields[2])) || !(out->alt = gw_strdup(fields[3]))) return GW_ERR_MEMORY;
    gw_normalise_bases(out->ref, (int64_t)strlen(out->ref));
    gw_normalise_bases(out->alt, (int64_t)strlen(out->alt));
    return gw_written_ref_check(genome, out->contig, out->position, out->ref);
}

static gw_status read_of_genome(const char *contig, char kind, const char *text, gw_genome *genome,
                                gw_written_alleles *out) {
    gw_hgvs change;
    GW_TRY(gw_hgvs_parse(kind, text, &change));
    GW_TRY(gw_hgvs_settle(&change, change.from.base, change.to.base));
    GW_TRY(gw_genome_find_accession(genome, contig, &out->contig));
    return gw_hgvs_alleles(&change, genome, out);
}

static gw_status read_of_transcript(const char *name, char kind, const char *text, gw_genome *genome,
                                    const gw_gene_models *transcripts, gw_written_alleles *out) {
    gw_hgvs change;
    const gw_gene_model *transcript;
    if (!transcripts)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "positions of a transcript (%c.) need the annotation that has it: give its genes, or the change "
                       "as g.",
                       kind);
    GW_TRY(gw_hgvs_parse(kind, text, &change));
    GW_TRY(gw_hgvs_transcript(transcripts, name, genome, &transcript));
    GW_TRY(gw_hgvs_settle_on(&change, kind, transcript));
    out->contig = transcript->contig;
    return gw_hgvs_alleles(&change, genome, out);
}

// The letter before the '.' says what positions count.
static gw_status refuse_kind(char kind) {
    switch (kind) {
    case 'p':
        return gw_fail(GW_ERR_UNSUPPORTED, "a change of a protein (p.) does not say which bases change: give it "
                                           "as g.");
    case 'r': return gw_fail(GW_ERR_UNSUPPORTED, "a change of RNA (r.) is not read: give it as g.");
    default: return gw_fail(GW_ERR_FORMAT, "'%c.' is no kind of HGVS: expected g. or c.", kind);
    }
}

// The colon before HGVS's kind; NULL: there is none.
static const char *colon_of_hgvs(const char *text) {
    const char *colon = strchr(text, ':');
    while (colon && !(colon[1] && colon[2] == '.')) colon = strchr(colon + 1, ':');
    return colon;
}

static bool is_of_transcript(char kind) {
    return kind == 'c' || kind == 'n';
}

bool gw_variant_text_is_of_transcript(const char *text) {
    const char *colon = colon_of_hgvs(text);
    return colon && is_of_transcript(colon[1]);
}

// A copy of the text, which is cut up.
static gw_status read_copy(char *text, gw_genome *genome, const gw_gene_models *transcripts, gw_written_alleles *out) {
    char *fields[FIELDS];
    const char *colon = colon_of_hgvs(text);
    if (colon) {
        const char kind = colon[1];
        text[colon - text] = 0;
        if (kind == 'g' || kind == 'm') return read_of_genome(text, kind, colon + 3, genome, out);
        if (is_of_transcript(kind)) return read_of_transcript(text, kind, colon + 3, genome, transcripts, out);
        return refuse_kind(kind);
    }
    if (split(text, count(text, ':') >= FIELDS - 1 ? ':' : '-', fields)) return read_fields(fields, genome, out);
    return gw_fail(GW_ERR_FORMAT, "expected chr17:43045711:G:A, chr17-43045711-G-A or HGVS as chr17:g.43045711G>A");
}

gw_status gw_variant_text_read(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                               gw_written_alleles *out) {
    *out = (gw_written_alleles){0};
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    const gw_status status = read_copy(copy, genome, transcripts, out);
    free(copy);
    if (status != GW_OK || strcmp(out->ref, out->alt) != 0) return status;
    return gw_fail(GW_ERR_FORMAT, "REF and ALT are the same");
}
