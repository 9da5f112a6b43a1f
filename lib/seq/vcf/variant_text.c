// SPDX-License-Identifier: MIT
// Tells the forms apart, then fills in REF and ALT from the genome.
#include "seq/vcf/variant_text.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "seq/vcf/hgvs.h"

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

// The letter before the '.' of HGVS, which stands behind a colon or, without a name, at the beginning; NULL: there is
// none.
static const char *hgvs_of(const char *text) {
    if (text[0] && strchr("gmcnpr", text[0]) && text[1] == '.') return text;
    const char *colon = strchr(text, ':');
    while (colon && !(colon[1] && colon[2] == '.')) colon = strchr(colon + 1, ':');
    return colon ? colon + 1 : NULL;
}

// REF, position and ALT in one word: A2717506C.
static bool is_short(const char *word) {
    static const char bases[] = "ACGTNacgtn";
    const size_t ref = strspn(word, bases), digits = strspn(word + ref, "0123456789"),
                 alt = strspn(word + ref + digits, bases);
    return ref > 0 && digits > 0 && alt > 0 && !word[ref + digits + alt];
}

bool gw_variant_text_is_name(const char *text) {
    return !strchr(text, ':') && count(text, '-') < FIELDS - 1 && !hgvs_of(text) && !is_short(text);
}

static bool is_of_transcript(char kind) {
    return kind == 'c' || kind == 'n' || kind == 'p';
}

bool gw_variant_text_is_of_transcript(const char *text) {
    const char *hgvs = hgvs_of(text);
    return hgvs && is_of_transcript(*hgvs);
}

bool gw_variant_text_is_of_protein(const char *text) {
    const char *hgvs = hgvs_of(text);
    return hgvs && *hgvs == 'p';
}

static gw_status check_allele(const char *name, const char *allele) {
    if (*allele && !allele[strspn(allele, "ACGTNacgtn")]) return GW_OK;
    return gw_fail(GW_ERR_FORMAT,
                   "%s is '%s', expected bases: of an insertion or deletion with the base before it (CA and C), or as "
                   "HGVS (g.100del, g.100_101insA)",
                   name, allele);
}

// The alleles as they are written behind the contig and the position.
static gw_status take_fields(const char *contig, const char *at, const char *ref, const char *alt, gw_genome *genome,
                             gw_written_alleles *out) {
    int64_t position;
    GW_TRY(gw_hgvs_contig(genome, contig, &out->contig));
    gw_status status = gw_parse_int(at, 1, INT64_MAX / 2, &position);
    if (status != GW_OK) return gw_fail_in(status, "position");
    GW_TRY(check_allele("REF", ref));
    GW_TRY(check_allele("ALT", alt));
    out->position = position - 1;
    if (!(out->ref = gw_strdup(ref)) || !(out->alt = gw_strdup(alt))) return GW_ERR_MEMORY;
    gw_normalise_bases(out->ref, (int64_t)strlen(out->ref));
    gw_normalise_bases(out->alt, (int64_t)strlen(out->alt));
    return gw_written_ref_check(genome, out->contig, out->position, out->ref);
}

static gw_status add_one(gw_written_list *list, gw_written_alleles **out) {
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    *out = &list->items[list->count++];
    **out = (gw_written_alleles){0};
    return GW_OK;
}

// A copy of the text, which is cut up.
static gw_status read_copy(char *text, gw_genome *genome, const gw_gene_models *transcripts, gw_written_list *out) {
    char *fields[FIELDS];
    gw_written_alleles *only;
    const char *hgvs = hgvs_of(text);
    if (hgvs) {
        const char kind = *hgvs;
        text[hgvs > text ? hgvs - text - 1 : 0] = 0;
        if (is_of_transcript(kind)) return gw_hgvs_of_transcript(text, kind, hgvs + 2, genome, transcripts, out);
        if (kind == 'r') return gw_fail(GW_ERR_UNSUPPORTED, "a change of RNA (r.) is not read: give it as g.");
        if (kind != 'g' && kind != 'm')
            return gw_fail(GW_ERR_FORMAT, "'%c.' is no kind of HGVS: expected g., c. or p.", kind);
        GW_TRY(add_one(out, &only));
        return gw_hgvs_of_genome(text, kind, hgvs + 2, genome, only);
    }
    GW_TRY(add_one(out, &only));
    char *colon = strrchr(text, ':'), *word = colon ? colon + 1 : text;
    if (is_short(word)) {
        if (colon) *colon = 0;
        const size_t ref = strcspn(word, "0123456789"), digits = strspn(word + ref, "0123456789");
        char *bases = gw_strndup(word, ref), *position = gw_strndup(word + ref, digits);
        gw_status status = bases && position ? GW_OK : GW_ERR_MEMORY;
        if (status == GW_OK)
            status = take_fields(colon ? text : "", position, bases, word + ref + digits, genome, only);
        free(bases);
        free(position);
        return status;
    }
    if (split(text, count(text, ':') >= FIELDS - 1 ? ':' : '-', fields))
        return take_fields(fields[0], fields[1], fields[2], fields[3], genome, only);
    return gw_fail(GW_ERR_FORMAT, "expected chr17:43045711:G:A, chr17-43045711-G-A, chr17:G43045711A or HGVS as "
                                  "chr17:g.43045711G>A, BRCA1:c.68-7T>A or rpoB:p.S531L");
}

gw_status gw_variant_text_read_all(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                                   gw_written_list *out) {
    const int64_t first = out->count;
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    const gw_status status = read_copy(copy, genome, transcripts, out);
    free(copy);
    if (status != GW_OK || strcmp(out->items[first].ref, out->items[first].alt) != 0) return status;
    return gw_fail(GW_ERR_FORMAT, "REF and ALT are the same");
}

gw_status gw_variant_text_read(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                               gw_written_alleles *out) {
    gw_written_list list = {0};
    *out = (gw_written_alleles){0};
    gw_status status = gw_variant_text_read_all(text, genome, transcripts, &list);
    if (status == GW_OK && list.count > 1) {
        const gw_written_alleles *v = &list.items[0];
        status = gw_fail(
            GW_ERR_UNSUPPORTED, "%lld changes of its codon make it: give one of them, such as %s:%lld:%s:%s",
            (long long)list.count, gw_genome_name(genome, v->contig), (long long)v->position + 1, v->ref, v->alt);
    }
    if (status == GW_OK) {
        *out = list.items[0];
        list.items[0] = (gw_written_alleles){0};
    }
    gw_written_list_free(&list);
    return status;
}
