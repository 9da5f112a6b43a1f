// SPDX-License-Identifier: MIT
// A residue in place of another is made by every codon of the new residue: each becomes REF and ALT of the bases that
// differ, those that change fewest bases first.
#include "seq/vcf/hgvs_alleles.h"

#include "base/memory.h"
#include "seq/genes/codons.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 1000000 }; // bases from the first to the last of a codon, with the introns between

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
static gw_status parse(const char *text, char *from, int64_t *number, char *to) {
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
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "of proteins (p.) one residue in place of another is read, as Ser531Leu, S531L or Ser531Ter: "
                   "found '%s'",
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
        gw_hgvs h = {.from.base = 3 * number - 2 + i};
        h.to = h.from;
        GW_TRY(gw_hgvs_settle_on(&h, 'c', t));
        GW_TRY(gw_genome_fetch(genome, t->contig, h.first - 1, h.first, &out->bases[i]));
        out->bases[i] = turned(out->bases[i], t);
        out->place[i] = h.first;
    }
    return GW_OK;
}

static gw_status check_coding(const gw_gene_model *t, gw_genome *genome, int64_t number) {
    int64_t bases = 0;
    for (int64_t i = 0; i < t->coding_count; i++) bases += t->coding[2 * i + 1] - t->coding[2 * i];
    if (bases == 0)
        return gw_fail(GW_ERR_MISMATCH, "the annotation says of no base of '%s' that it is coding", t->name);
    if (bases % 3 != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the coding sequence of '%s' has %lld bases, which are no whole codons",
                       t->name, (long long)bases);
    if (t->code > 1 && t->code != 11)
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is translated by genetic code %d: 1 and 11 are known", t->name,
                       t->code);
    if (t->code == 0 && gw_genome_find(genome, "MT", -1) == t->contig)
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is of a mitochondrion, whose genetic code is another", t->name);
    if (number <= bases / 3) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "'%s' has %lld codons: %lld lies behind them", t->name, (long long)bases / 3,
                   (long long)number);
}

// A gene may begin with other codons than ATG, which are read as Met there.
static gw_status check_residue(const gw_gene_model *t, const codon *found, int64_t number, char from) {
    const char residue = gw_codon_residue(found->bases);
    const bool start = number == 1 && from == 'M' && gw_codon_starts_bacteria(found->bases);
    if (residue == from || start) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "codon %lld of '%s' is %s, %s, not %s", (long long)number, t->name, found->bases,
                   name_of(residue), name_of(from));
}

static int differing(const char *a, const char *b) {
    return (a[0] != b[0]) + (a[1] != b[1]) + (a[2] != b[2]);
}

static gw_status add_change(const gw_gene_model *t, gw_genome *genome, const codon *old, const char *bases,
                            gw_written_list *out) {
    int64_t first = INT64_MAX, last = 0;
    for (int i = 0; i < 3; i++) {
        if (old->bases[i] == bases[i]) continue;
        if (old->place[i] < first) first = old->place[i];
        if (old->place[i] > last) last = old->place[i];
    }
    if (last - first >= LONGEST)
        return gw_fail(GW_ERR_UNSUPPORTED, "the codon's bases lie %lld apart", (long long)(last - first));
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

gw_status gw_hgvs_protein(const char *text, const gw_gene_model *t, gw_genome *genome, gw_written_list *out) {
    static const char bases[] = "ACGT";
    int64_t number;
    char from, to;
    codon old;
    GW_TRY(parse(text, &from, &number, &to));
    GW_TRY(check_coding(t, genome, number));
    GW_TRY(read_codon(t, number, genome, &old));
    GW_TRY(check_residue(t, &old, number, from));
    for (int differ = 1; differ <= 3; differ++)
        for (int i = 0; i < 64; i++) {
            const char made[4] = {bases[i / 16], bases[i / 4 % 4], bases[i % 4], 0};
            if (gw_codon_residue(made) == to && differing(old.bases, made) == differ)
                GW_TRY(add_change(t, genome, &old, made, out));
        }
    if (out->count > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "no codon but %s makes %s", old.bases, name_of(to));
}
