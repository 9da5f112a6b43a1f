// SPDX-License-Identifier: MIT
// Exons are laid end to end in the transcript's direction: t = 0, 1, ... counts their bases. With s and e the t of the
// first and the last coding base,
//   n.k   t = k - 1        c.k   t = s + k - 1        c.-k   t = s - k        c.*k   t = e + k
// and the offset goes on from there on the genome.
#include "seq/vcf/hgvs_alleles.h"

#include <string.h>

// Of a name without its version, which is a number behind the last '.'.
static size_t length_without_version(const char *name, size_t length) {
    size_t at = length;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') at--;
    return at > 1 && at < length && name[at - 1] == '.' ? at - 1 : length;
}

typedef struct {
    const char *name;
    size_t length, bare_length;     // with its version, and without
    const gw_gene_model *found;     // as it was written
    const char *version;            // an identifier of another version
    const gw_gene_model *elsewhere; // one more with that name
} search;

static bool is_named(const search *s, const char *identifier, bool *other_version) {
    const char *name = gw_gene_bare_name(identifier);
    if (strlen(identifier) == s->length && memcmp(identifier, s->name, s->length) == 0) return true;
    const size_t length = strlen(name), bare_length = length_without_version(name, length);
    if (length == s->length && memcmp(name, s->name, length) == 0) return true;
    if (bare_length != s->bare_length || memcmp(name, s->name, bare_length) != 0) return false;
    *other_version = bare_length < length && s->bare_length < s->length;
    return !*other_version;
}

// By its own name, its protein's, or that of the gene whose canonical one it is.
static void look_at(search *s, const gw_gene_model *t) {
    bool other_transcript = false, other_protein = false;
    const bool named = is_named(s, t->transcript ? t->transcript : t->name, &other_transcript) ||
                       (t->protein && is_named(s, t->protein, &other_protein)) ||
                       (t->canonical && gw_gene_is_called(t, s->name, s->length));
    if (named && s->found) s->elsewhere = t;
    else if (named) s->found = t;
    else if (other_transcript || other_protein)
        s->version = other_protein ? t->protein : t->transcript ? t->transcript : t->name;
}

gw_status gw_hgvs_transcript(const gw_gene_models *transcripts, const char *name, const gw_genome *genome,
                             const gw_gene_model **out) {
    search s = {.name = name, .length = strcspn(name, "(")};
    s.bare_length = length_without_version(name, s.length);
    for (int64_t i = 0; i < transcripts->count; i++) look_at(&s, &transcripts->items[i]);
    *out = s.found;
    if (s.elsewhere)
        return gw_fail(GW_ERR_MISMATCH, "'%.*s' stands at %s:%lld and at %s:%lld", (int)s.length, name,
                       gw_genome_name(genome, s.found->contig), (long long)s.found->begin + 1,
                       gw_genome_name(genome, s.elsewhere->contig), (long long)s.elsewhere->begin + 1);
    if (s.found) return GW_OK;
    if (s.version)
        return gw_fail(GW_ERR_MISMATCH, "the annotation has another version of '%.*s', %s, whose positions may differ",
                       (int)s.length, name, gw_gene_bare_name(s.version));
    return gw_fail(GW_ERR_MISMATCH, "the annotation has no transcript and no gene '%.*s'", (int)s.length, name);
}

static int64_t exons_of(const gw_gene_model *t) {
    return t->boundary_count / 2;
}

// Exon i in the transcript's direction.
static int64_t exon_at(const gw_gene_model *t, int64_t i) {
    return t->strand == '-' ? exons_of(t) - 1 - i : i;
}

// t of a base of the genome that lies in an exon.
static int64_t exonic_of(const gw_gene_model *t, int64_t position) {
    const int64_t *begin = t->boundaries, *last = t->boundaries + exons_of(t);
    int64_t before = 0;
    for (int64_t i = 0; i < exons_of(t); i++) {
        const int64_t e = exon_at(t, i);
        if (position >= begin[e] && position <= last[e])
            return before + (t->strand == '-' ? last[e] - position : position - begin[e]);
        before += last[e] - begin[e] + 1;
    }
    return -1;
}

// The t that a place begins from.
static gw_status exonic_place(const gw_hgvs_place *place, char kind, const gw_gene_model *t, int64_t *out) {
    *out = place->base - 1;
    if (kind == 'n') return GW_OK;
    if (t->coding_count == 0)
        return gw_fail(GW_ERR_MISMATCH, "the annotation says of no base of '%s' that it is coding: positions are n.",
                       t->transcript ? gw_gene_bare_name(t->transcript) : t->name);
    const int64_t lowest = t->coding[0], highest = t->coding[2 * t->coding_count - 1] - 1;
    const int64_t start = exonic_of(t, t->strand == '-' ? highest : lowest),
                  stop = exonic_of(t, t->strand == '-' ? lowest : highest);
    if (start < 0 || stop < 0)
        return gw_fail(GW_ERR_MISMATCH, "the coding sequence of '%s' does not begin and end in its exons", t->name);
    *out = place->after_stop ? stop + place->base : place->base < 0 ? start + place->base : start + place->base - 1;
    if (place->after_stop || *out <= stop) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the coding sequence has %lld bases: %lld lies behind it and is *%lld",
                   (long long)(stop - start + 1), (long long)place->base, (long long)(*out - stop));
}

// Whether an offset stands at the end of exon i that it goes on from, and stays in the intron behind it.
static gw_status check_offset(const gw_gene_model *t, int64_t i, bool at_end, int64_t offset) {
    const int64_t next = offset > 0 ? i + 1 : i - 1;
    if (offset == 0) return GW_OK;
    if (!at_end)
        return gw_fail(GW_ERR_MISMATCH, "an offset of %+lld goes on from the %s base of an exon", (long long)offset,
                       offset > 0 ? "last" : "first");
    if (next < 0 || next >= exons_of(t))
        return gw_fail(GW_ERR_RANGE, "an offset of %+lld leaves the transcript", (long long)offset);
    const int64_t e = exon_at(t, i), other = exon_at(t, next), *last = t->boundaries + exons_of(t);
    const int64_t intron = e < other ? t->boundaries[other] - last[e] - 1 : t->boundaries[e] - last[other] - 1;
    if (offset <= intron && -offset <= intron) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "an offset of %+lld leaves the intron, which has %lld bases", (long long)offset,
                   (long long)intron);
}

// Whether the annotation has no UTR at an end of the transcript, as of bacteria and yeast: then it says nothing of
// where the transcript begins or ends, and c.-20 and c.*5 count on along the genome.
static bool ends_in_coding(const gw_gene_model *t, bool front) {
    const bool left = front == (t->strand != '-');
    const int64_t *last = t->boundaries + exons_of(t);
    if (left) return t->coding[0] == t->boundaries[0];
    return t->coding[2 * t->coding_count - 1] - 1 == last[exons_of(t) - 1];
}

// 1-based.
static gw_status position_of(const gw_hgvs_place *place, char kind, const gw_gene_model *t, int64_t *out) {
    int64_t at, i = 0;
    GW_TRY(exonic_place(place, kind, t, &at));
    const int64_t *last = t->boundaries + exons_of(t);
    const bool open = kind == 'c' && place->offset == 0;
    int64_t left = at;
    if (at < 0 && open && ends_in_coding(t, true)) {
        *out = 1 + (t->strand == '-' ? last[exons_of(t) - 1] - at : t->boundaries[0] + at);
        return *out > 0
                   ? GW_OK
                   : gw_fail(GW_ERR_RANGE, "%lld lies before the first base of the contig", (long long)place->base);
    }
    for (; left >= 0 && i < exons_of(t); i++) {
        const int64_t e = exon_at(t, i), length = last[e] - t->boundaries[e] + 1;
        if (left < length) {
            GW_TRY(check_offset(t, i, place->offset > 0 ? left == length - 1 : left == 0, place->offset));
            *out = 1 + (t->strand == '-' ? last[e] - left - place->offset : t->boundaries[e] + left + place->offset);
            return GW_OK;
        }
        left -= length;
    }
    if (at >= 0 && open && ends_in_coding(t, false)) {
        *out = 1 + (t->strand == '-' ? t->boundaries[0] - 1 - left : last[exons_of(t) - 1] + 1 + left);
        return *out > 0
                   ? GW_OK
                   : gw_fail(GW_ERR_RANGE, "*%lld lies before the first base of the contig", (long long)place->base);
    }
    return gw_fail(GW_ERR_RANGE, "%s%lld lies past the transcript's ends", place->after_stop ? "*" : "",
                   (long long)place->base);
}

// Of a gene table they stand as they were written.
static gw_status check_exons(const gw_gene_model *t) {
    for (int64_t i = 1; i < exons_of(t); i++)
        if (t->boundaries[i] <= t->boundaries[exons_of(t) + i - 1])
            return gw_fail(GW_ERR_FORMAT, "the exons of '%s' do not stand one behind the other", t->name);
    return GW_OK;
}

gw_status gw_hgvs_settle_on(gw_hgvs *hgvs, char kind, const gw_gene_model *transcript) {
    int64_t from, to;
    GW_TRY(check_exons(transcript));
    GW_TRY(position_of(&hgvs->from, kind, transcript, &from));
    GW_TRY(position_of(&hgvs->to, kind, transcript, &to));
    hgvs->reverse = transcript->strand == '-';
    return hgvs->reverse ? gw_hgvs_settle(hgvs, to, from) : gw_hgvs_settle(hgvs, from, to);
}
