// SPDX-License-Identifier: MIT
// Parses HGVS: positions, then the kind of change, then bases. Positions in a transcript are mapped to the genome, and
// every change becomes a range of the genome and the bases that replace it.
#include "seq/vcf/hgvs.h"

#include "base/memory.h"
#include "base/number.h"
#include "seq/genes/codons.h"
#include "seq/genome/contig_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 12, LONGEST = 1000000, BLOCK = 256 }; // LONGEST: bases of a change, or of a codon with its introns

typedef enum { HGVS_REPLACE, HGVS_INSERT, HGVS_DUPLICATE, HGVS_INVERT } change_kind;

typedef struct {
    int64_t base;    // from 1; of c. negative before the coding sequence
    int64_t offset;  // into an intron
    bool after_stop; // base counts behind the coding sequence
} hgvs_place;

// Texts are parts of what was parsed, and not followed by a zero byte.
typedef struct {
    change_kind kind;
    hgvs_place from, to;  // what was said
    int64_t first, last;  // of the genome, 1-based, both included; of an insertion the bases on either side
    bool reverse;         // texts are of the genome's reverse strand
    const char *named;    // bases that are said to stand there
    int64_t named_length; // 0: not said
    const char *inserted; // what replaces them, or comes between them
    int64_t inserted_length;
} hgvs;

static bool take_word(const char **at, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

static gw_status take_number(const char **at, int64_t *out) {
    const size_t digits = strspn(*at, "0123456789");
    if (**at == '(' || **at == '?') return gw_fail(GW_ERR_UNSUPPORTED, "uncertain positions are not supported");
    if (digits == 0 || digits > MOST_DIGITS) return gw_fail(GW_ERR_FORMAT, "expected a position at '%s'", *at);
    *out = strtoll(*at, NULL, 10);
    *at += digits;
    return *out > 0 ? GW_OK : gw_fail(GW_ERR_RANGE, "positions begin at 1");
}

static gw_status take_place(char kind, const char **at, hgvs_place *out) {
    const bool coding = kind == 'c', before = coding && take_word(at, "-");
    *out = (hgvs_place){.after_stop = coding && !before && take_word(at, "*")};
    GW_TRY(take_number(at, &out->base));
    if (before) out->base = -out->base;
    if (**at != '+' && **at != '-') return GW_OK;
    if (kind != 'c' && kind != 'n') return gw_fail(GW_ERR_FORMAT, "positions of a genome have no offsets ('%s')", *at);
    const bool back = *(*at)++ == '-';
    GW_TRY(take_number(at, &out->offset));
    if (back) out->offset = -out->offset;
    return GW_OK;
}

static void take_bases(const char **at, const char **bases, int64_t *length) {
    *bases = *at;
    *length = (int64_t)strspn(*at, "ACGTacgt");
    *at += *length;
}

static gw_status take_inserted(const char **at, hgvs *out) {
    take_bases(at, &out->inserted, &out->inserted_length);
    if (out->inserted_length > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "inserted bases must be written as A, C, G and T, found '%s'", *at);
}

static gw_status take_substitution(const char **at, hgvs *out) {
    take_bases(at, &out->named, &out->named_length);
    if (out->named_length == 0 || !take_word(at, ">"))
        return gw_fail(GW_ERR_UNSUPPORTED, "expected X>Y, del, ins, dup, delins or inv behind the position, found '%s'",
                       *at);
    GW_TRY(take_inserted(at, out));
    const hgvs_place *from = &out->from, *to = &out->to;
    const bool one = from->base == to->base && from->offset == to->offset && from->after_stop == to->after_stop;
    if (one && out->named_length == 1 && out->inserted_length == 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "a substitution changes one base; write several as delins");
}

static gw_status take_change(const char **at, hgvs *out) {
    if (take_word(at, "ins")) {
        out->kind = HGVS_INSERT;
        return take_inserted(at, out);
    }
    if (take_word(at, "inv")) {
        out->kind = HGVS_INVERT;
        return GW_OK;
    }
    const bool duplicates = take_word(at, "dup");
    if (duplicates) out->kind = HGVS_DUPLICATE;
    if (!duplicates && !take_word(at, "del")) return take_substitution(at, out);
    take_bases(at, &out->named, &out->named_length);
    return !duplicates && take_word(at, "ins") ? take_inserted(at, out) : GW_OK;
}

// Says where on the genome the places are, the first of which may not stand behind the last.
static gw_status settle(hgvs *h, int64_t first, int64_t last) {
    h->first = first;
    h->last = last;
    if (last < first)
        return gw_fail(GW_ERR_RANGE, "%lld_%lld ends before it begins", (long long)first, (long long)last);
    if (h->kind == HGVS_INSERT && last != first + 1)
        return gw_fail(GW_ERR_FORMAT, "an insertion lies between two neighbours, which %lld and %lld are not",
                       (long long)first, (long long)last);
    if (h->named_length == 0 || h->named_length == last - first + 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%lld bases are given, but the positions span %lld", (long long)h->named_length,
                   (long long)(last - first + 1));
}

static gw_status parse(char kind, const char *text, hgvs *out) {
    const char *at = text;
    *out = (hgvs){0};
    GW_TRY(take_place(kind, &at, &out->from));
    out->to = out->from;
    if (take_word(&at, "_")) GW_TRY(take_place(kind, &at, &out->to));
    GW_TRY(take_change(&at, out));
    return *at ? gw_fail(GW_ERR_FORMAT, "unexpected '%s' at the end", at) : GW_OK;
}

// Exons are laid end to end in the transcript's direction: t = 0, 1, ... counts their bases. With s and e the t of the
// first and the last coding base,
//   n.k   t = k - 1        c.k   t = s + k - 1        c.-k   t = s - k        c.*k   t = e + k
// and the offset goes on from there on the genome.

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

// The transcript that `name` is of an annotation.
static gw_status find_transcript(const gw_gene_models *transcripts, const char *name, const gw_genome *genome,
                                 const gw_gene_model **out) {
    search s = {.name = name, .length = strcspn(name, "(")};
    s.bare_length = length_without_version(name, s.length);
    for (int64_t i = 0; i < transcripts->count; i++) {
        // By its own name, its protein's, or that of the gene whose canonical one it is.
        const gw_gene_model *t = &transcripts->items[i];
        bool other_transcript = false, other_protein = false;
        const bool named = is_named(&s, t->transcript ? t->transcript : t->name, &other_transcript) ||
                           (t->protein && is_named(&s, t->protein, &other_protein)) ||
                           (t->canonical && gw_gene_is_called(t, s.name, s.length));
        if (named && s.found) s.elsewhere = t;
        else if (named) s.found = t;
        else if (other_transcript || other_protein)
            s.version = other_protein ? t->protein : t->transcript ? t->transcript : t->name;
    }
    *out = s.found;
    if (s.elsewhere)
        return gw_fail(GW_ERR_MISMATCH, "'%.*s' occurs at %s:%lld and at %s:%lld", (int)s.length, name,
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
static gw_status exonic_place(const hgvs_place *place, char kind, const gw_gene_model *t, int64_t *out) {
    *out = place->base - 1;
    if (kind == 'n') return GW_OK;
    if (t->coding_count == 0)
        return gw_fail(GW_ERR_MISMATCH, "the annotation has no coding base of '%s': use positions n.",
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
        return gw_fail(GW_ERR_MISMATCH, "an offset of %+lld must follow the %s base of an exon", (long long)offset,
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
static gw_status position_of(const hgvs_place *place, char kind, const gw_gene_model *t, int64_t *out) {
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

static gw_status settle_on(hgvs *h, char kind, const gw_gene_model *t) {
    int64_t from, to;
    for (int64_t i = 1; i < exons_of(t); i++) // of a gene table they stand as they were written
        if (t->boundaries[i] <= t->boundaries[exons_of(t) + i - 1])
            return gw_fail(GW_ERR_FORMAT, "the exons of '%s' are not in order, or overlap", t->name);
    GW_TRY(position_of(&h->from, kind, t, &from));
    GW_TRY(position_of(&h->to, kind, t, &to));
    h->reverse = t->strand == '-';
    return h->reverse ? settle(h, to, from) : settle(h, from, to);
}

// Bases [begin, end) of a contig become `bases`.
typedef struct {
    gw_genome *genome;
    int contig;
    int64_t begin, end;
    char *bases; // upper case
} stretch;

static gw_status read_bases(const stretch *c, int64_t begin, int64_t end, char **out) {
    *out = gw_alloc(end - begin + 1, 1);
    return *out ? gw_genome_fetch(c->genome, c->contig, begin, end, *out) : GW_ERR_MEMORY;
}

// A fresh copy of bases that were written, as the forward strand has them.
static char *copy_bases(const hgvs *h, const char *bases, int64_t length) {
    char *copy = gw_strndup(length > 0 ? bases : "", (size_t)length);
    if (!copy) return NULL;
    gw_normalise_bases(copy, length);
    char *forward = h->reverse ? gw_strdup(copy) : copy;
    if (h->reverse && forward) gw_reverse_complement(copy, length, forward);
    if (h->reverse) free(copy);
    return forward;
}

static gw_status fill(const hgvs *h, stretch *c) {
    c->begin = h->first - 1;
    c->end = h->last;
    if (h->kind == HGVS_INVERT) {
        char *bases;
        gw_status status = read_bases(c, c->begin, c->end, &bases);
        if (status == GW_OK && !(c->bases = gw_alloc(c->end - c->begin + 1, 1))) status = GW_ERR_MEMORY;
        if (status == GW_OK) gw_reverse_complement(bases, c->end - c->begin, c->bases);
        free(bases);
        return status;
    }
    if (h->kind == HGVS_DUPLICATE) {
        GW_TRY(read_bases(c, c->begin, c->end, &c->bases));
        c->begin = c->end;
        return GW_OK;
    }
    if (h->kind == HGVS_INSERT) c->begin = c->end = h->first;
    c->bases = copy_bases(h, h->inserted, h->inserted_length);
    return c->bases ? GW_OK : GW_ERR_MEMORY;
}

// An insertion or deletion goes one place to the left where the base before it is its last one, which then becomes its
// first one: its bases are a circle.
static gw_status move_left(stretch *c) {
    char before[BLOCK], *deleted = NULL;
    int64_t steps = 0;
    gw_status status = c->bases[0] ? GW_OK : read_bases(c, c->begin, c->end, &deleted);
    const char *circle = deleted ? deleted : c->bases;
    const int64_t length = c->bases[0] ? (int64_t)strlen(c->bases) : c->end - c->begin;
    for (bool can = true; can && c->begin > 0 && status == GW_OK;) {
        const int64_t count = gw_min(c->begin, BLOCK);
        int64_t at = count;
        status = gw_genome_fetch(c->genome, c->contig, c->begin - count, c->begin, before);
        while (status == GW_OK && at > 0 && before[at - 1] != 'N' &&
               before[at - 1] == circle[length - 1 - steps % length])
            at--, steps++;
        c->begin -= count - at;
        c->end -= count - at;
        can = at == 0;
    }
    free(deleted);
    GW_TRY(status);
    // The last `steps` bases of the circle come first.
    const int64_t bases = (int64_t)strlen(c->bases), moved = bases > 0 ? steps % bases : 0;
    char *copy = gw_strdup(c->bases);
    if (!copy) return GW_ERR_MEMORY;
    memcpy(c->bases, copy + bases - moved, (size_t)moved);
    memcpy(c->bases + moved, copy, (size_t)(bases - moved));
    free(copy);
    return GW_OK;
}

// The base beside what is inserted or deleted belongs to both alleles.
static gw_status put_base_beside(stretch *c) {
    char base[2] = "";
    const bool before = c->begin > 0;
    if (!before && c->end == gw_genome_length(c->genome, c->contig))
        return gw_fail(GW_ERR_UNSUPPORTED, "nothing would be left of '%s'", gw_genome_name(c->genome, c->contig));
    if (before) c->begin--;
    else c->end++;
    const int64_t at = before ? c->begin : c->end - 1;
    GW_TRY(gw_genome_fetch(c->genome, c->contig, at, at + 1, base));
    char *bases = before ? gw_strprintf("%s%s", base, c->bases) : gw_strprintf("%s%s", c->bases, base);
    free(c->bases);
    c->bases = bases;
    return bases ? GW_OK : GW_ERR_MEMORY;
}

static gw_status check(const hgvs *h, gw_genome *genome, int contig) {
    GW_TRY(gw_written_ref_check(genome, contig, h->last - 1, "N")); // that it lies on the contig
    if (h->last - h->first >= LONGEST)
        return gw_fail(GW_ERR_UNSUPPORTED, "%lld bases are more than the %d that a change may have",
                       (long long)(h->last - h->first + 1), LONGEST);
    if (h->named_length == 0) return GW_OK;
    char *named = copy_bases(h, h->named, h->named_length);
    if (!named) return GW_ERR_MEMORY;
    const gw_status status = gw_written_ref_check(genome, contig, h->first - 1, named);
    free(named);
    return status;
}

// Fills position, REF and ALT of out->contig's change.
static gw_status make_alleles(const hgvs *h, gw_genome *genome, gw_written_alleles *out) {
    stretch c = {.genome = genome, .contig = out->contig};
    GW_TRY(check(h, genome, out->contig));
    gw_status status = fill(h, &c);
    const bool one_empty = status == GW_OK && (c.begin == c.end || !c.bases[0]);
    if (one_empty) status = move_left(&c);
    if (one_empty && status == GW_OK) status = put_base_beside(&c);
    out->position = c.begin;
    if (status == GW_OK) status = read_bases(&c, c.begin, c.end, &out->ref);
    if (status == GW_OK && !(out->alt = gw_strdup(c.bases))) status = GW_ERR_MEMORY;
    free(c.bases);
    return status;
}

// A residue in place of another is made by every codon of the new residue: each becomes REF and ALT of the bases that
// differ, those that change fewest bases first.

static const char LETTERS[] = "ACDEFGHIKLMNPQRSTVWY*";
static const char NAMES[][4] = {"Ala", "Cys", "Asp", "Glu", "Phe", "Gly", "His", "Ile", "Lys", "Leu", "Met",
                                "Asn", "Pro", "Gln", "Arg", "Ser", "Thr", "Val", "Trp", "Tyr", "Ter"};

static const char *name_of(char residue) {
    const char *at = residue ? strchr(LETTERS, residue) : NULL;
    return at ? NAMES[at - LETTERS] : "unknown";
}

// The letter of a residue that stands at *at by its letter or its name; 0: none does.
static char take_residue(const char **at) {
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        size_t same = 0;
        while (same < 3 && tolower((unsigned char)(*at)[same]) == tolower((unsigned char)NAMES[i][same])) same++;
        if (same < 3) continue;
        *at += 3;
        return LETTERS[i];
    }
    return **at && strchr(LETTERS, **at) ? *(*at)++ : 0;
}

// Ser531Leu, S531L, S531*, S531=, each also in parentheses.
static gw_status parse_residues(const char *text, char *from, int64_t *number, char *to) {
    const bool predicted = *text == '(';
    const char *at = text + predicted;
    *number = *to = 0;
    *from = take_residue(&at);
    while (*from && isdigit((unsigned char)*at) && *number < INT32_MAX) *number = 10 * *number + (*at++ - '0');
    if (*number > 0 && *at == '=') {
        *to = *from;
        at++;
    } else if (*number > 0 && *at == 'X') { // as older versions have it
        *to = '*';
        at++;
    } else if (*number > 0) {
        *to = take_residue(&at);
    }
    const bool closed = !predicted || *at == ')';
    if (*to && closed && !at[predicted]) return GW_OK;
    return gw_fail(
        GW_ERR_UNSUPPORTED,
        "a change of a protein (p.) replaces one residue by another, as Ser531Leu, S531L or Ser531Ter: found '%s'",
        text);
}

// A codon as the transcript has it, and where its bases are: 1-based on the genome.
typedef struct {
    char bases[4];
    int64_t place[3];
} codon;

static char turned(char base, const gw_gene_model *t) {
    char other = base;
    if (t->strand == '-') gw_reverse_complement(&base, 1, &other);
    return other;
}

static gw_status read_codon(const gw_gene_model *t, int64_t number, gw_genome *genome, codon *out) {
    *out = (codon){0};
    for (int i = 0; i < 3; i++) {
        hgvs h = {.from.base = 3 * number - 2 + i};
        h.to = h.from;
        GW_TRY(settle_on(&h, 'c', t));
        GW_TRY(gw_genome_fetch(genome, t->contig, h.first - 1, h.first, &out->bases[i]));
        out->bases[i] = turned(out->bases[i], t);
        out->place[i] = h.first;
    }
    return GW_OK;
}

static gw_status check_coding(const gw_gene_model *t, gw_genome *genome, int64_t number) {
    int64_t bases = 0;
    for (int64_t i = 0; i < t->coding_count; i++) bases += t->coding[2 * i + 1] - t->coding[2 * i];
    if (bases == 0) return gw_fail(GW_ERR_MISMATCH, "the annotation has no coding base of '%s'", t->name);
    if (bases % 3 != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the coding sequence of '%s' has %lld bases, which are not whole codons",
                       t->name, (long long)bases);
    if (t->code > 1 && t->code != 11)
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is translated by genetic code %d: 1 and 11 are known", t->name,
                       t->code);
    if (t->code == 0 && gw_genome_find(genome, "MT", -1) == t->contig)
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is of a mitochondrion, which has another genetic code", t->name);
    if (number <= bases / 3) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "'%s' has %lld codons: %lld lies behind them", t->name, (long long)bases / 3,
                   (long long)number);
}

static gw_status add_change(const gw_gene_model *t, gw_genome *genome, const codon *old, const char *bases,
                            gw_written_list *out) {
    int64_t first = INT64_MAX, last = 0;
    for (int i = 0; i < 3; i++) {
        if (old->bases[i] == bases[i]) continue;
        first = gw_min(first, old->place[i]);
        last = gw_max(last, old->place[i]);
    }
    if (last - first >= LONGEST)
        return gw_fail(GW_ERR_UNSUPPORTED, "the codon's bases are %lld bases apart", (long long)(last - first));
    GW_TRY(gw_reserve(&out->items, &out->capacity, out->count + 1, sizeof *out->items));
    gw_written_alleles *v = &out->items[out->count++];
    *v = (gw_written_alleles){.contig = t->contig, .position = first - 1};
    snprintf(v->codons, sizeof v->codons, "%s>%s", old->bases, bases);
    if (!(v->ref = gw_alloc(last - first + 2, 1))) return GW_ERR_MEMORY;
    GW_TRY(gw_genome_fetch(genome, t->contig, first - 1, last, v->ref));
    if (!(v->alt = gw_strdup(v->ref))) return GW_ERR_MEMORY;
    for (int i = 0; i < 3; i++)
        if (old->bases[i] != bases[i]) v->alt[old->place[i] - first] = turned(bases[i], t);
    return GW_OK;
}

// Appends the changes of one codon.
static gw_status add_of_protein(const char *text, const gw_gene_model *t, gw_genome *genome, gw_written_list *out) {
    static const char bases[] = "ACGT";
    int64_t number;
    char from, to;
    codon old;
    GW_TRY(parse_residues(text, &from, &number, &to));
    GW_TRY(check_coding(t, genome, number));
    GW_TRY(read_codon(t, number, genome, &old));
    const char residue = gw_codon_residue(old.bases);
    // A gene may begin with other codons than ATG, which are read as Met there.
    const bool start = number == 1 && from == 'M' && gw_codon_starts_bacteria(old.bases);
    if (residue != from && !start)
        return gw_fail(GW_ERR_MISMATCH, "codon %lld of '%s' is %s, %s, not %s", (long long)number, t->name, old.bases,
                       name_of(residue), name_of(from));
    for (int differ = 1; differ <= 3; differ++)
        for (int i = 0; i < 64; i++) {
            const char made[4] = {bases[i / 16], bases[i / 4 % 4], bases[i % 4], 0};
            const int others = (old.bases[0] != made[0]) + (old.bases[1] != made[1]) + (old.bases[2] != made[2]);
            if (gw_codon_residue(made) == to && others == differ) GW_TRY(add_change(t, genome, &old, made, out));
        }
    if (out->count > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "no codon but %s makes %s", old.bases, name_of(to));
}

gw_status gw_hgvs_contig(const gw_genome *genome, const char *name, int *contig) {
    *contig = 0;
    if (name[0]) return gw_genome_find_accession(genome, name, contig);
    if (gw_genome_contigs(genome) == 1) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "no contig is named, and %s has %d: write '%s:' before it", gw_genome_path(genome),
                   gw_genome_contigs(genome), gw_genome_name(genome, 0));
}

gw_status gw_hgvs_of_genome(const char *contig, char kind, const char *text, gw_genome *genome,
                            gw_written_alleles *out) {
    hgvs said;
    GW_TRY(parse(kind, text, &said));
    GW_TRY(settle(&said, said.from.base, said.to.base));
    GW_TRY(gw_hgvs_contig(genome, contig, &out->contig));
    return make_alleles(&said, genome, out);
}

gw_status gw_hgvs_of_transcript(const char *name, char kind, const char *text, gw_genome *genome,
                                const gw_gene_models *transcripts, gw_written_list *out) {
    hgvs said;
    const gw_gene_model *transcript;
    if (!name[0])
        return gw_fail(GW_ERR_FORMAT, "write a change of %c. after its gene or transcript, as in rpoB:%c.%s", kind,
                       kind, text);
    if (!transcripts)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "positions of a transcript (%c.) need the annotation that has it: give its genes, or the change "
                       "as g.",
                       kind);
    if (kind != 'p') GW_TRY(parse(kind, text, &said));
    GW_TRY(find_transcript(transcripts, name, genome, &transcript));
    if (kind == 'p') return add_of_protein(text, transcript, genome, out);
    GW_TRY(settle_on(&said, kind, transcript));
    GW_TRY(gw_reserve(&out->items, &out->capacity, out->count + 1, sizeof *out->items));
    gw_written_alleles *only = &out->items[out->count++];
    *only = (gw_written_alleles){.contig = transcript->contig};
    return make_alleles(&said, genome, only);
}
