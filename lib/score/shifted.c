// SPDX-License-Identifier: MIT
// With a the base before the inserted or deleted bases S and n their number: a step to the left is possible where S
// ends in a, and turns S by one place, its last base to the front; a step to the right where the base behind (behind
// the deleted bases, or the insertion's place) is the first of S. So after i steps the bases that count are S[n - 1 -
// i] and S[i], indices modulo n, and the forms need no more than the number of steps.
#include "score/score_alleles.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *bases; // of the reference, [begin, end)
    int64_t begin, end;
} stretch;

static int64_t modulo(int64_t a, int64_t n) {
    return ((a % n) + n) % n;
}

static bool is_base(char c, char base) {
    return base != 'N' && toupper((unsigned char)c) == base;
}

static void count_steps(const stretch *r, const gw_variant *v, const char *s, int64_t n, int64_t most,
                        gw_shifted *out) {
    const int64_t behind = v->position + (v->ref_length > 1 ? 1 + n : 1);
    while (out->left < most && v->position - out->left > r->begin &&
           is_base(s[modulo(n - 1 - out->left, n)], r->bases[v->position - out->left - r->begin]))
        out->left++;
    while (out->right < most && behind + out->right < r->end &&
           is_base(s[modulo(out->right, n)], r->bases[behind + out->right - r->begin]))
        out->right++;
}

// The form `steps` to the right (negative: left) of where the variant stands, its texts at `text`.
static gw_variant form_of(const stretch *r, const gw_variant *v, const char *s, int64_t n, int64_t steps, char *text) {
    gw_variant form = *v;
    char *shorter = text, *longer = text + 2;
    form.position = v->position + steps;
    longer[0] = shorter[0] = r->bases[form.position - r->begin];
    for (int64_t i = 0; i < n; i++) longer[1 + i] = s[modulo(i + steps, n)];
    form.ref = v->ref_length > 1 ? longer : shorter;
    form.alt = v->ref_length > 1 ? shorter : longer;
    return form;
}

gw_status gw_shifted_find(gw_genome *genome, const gw_variant *v, int64_t most, gw_shifted *out) {
    *out = (gw_shifted){0};
    const bool pure = (v->ref_length == 1) != (v->alt_length == 1) &&
                      toupper((unsigned char)v->ref[0]) == toupper((unsigned char)v->alt[0]);
    if (!pure || v->position < 0) return GW_OK;
    const int64_t n = v->ref_length > 1 ? v->ref_length - 1 : v->alt_length - 1;
    const char *s = (v->ref_length > 1 ? v->ref : v->alt) + 1;
    const int64_t length = gw_genome_length(genome, v->contig), far = v->position + 2 + n + most;
    stretch r = {.begin = v->position > most ? v->position - most : 0, .end = far < length ? far : length};
    r.bases = gw_alloc(r.end - r.begin, 1);
    if (!r.bases) return GW_ERR_MEMORY;
    gw_status status = gw_genome_fetch(genome, v->contig, r.begin, r.end, r.bases);
    if (status == GW_OK) count_steps(&r, v, s, n, most, out);
    if (status == GW_OK && out->left + out->right > 0) {
        out->bases = gw_alloc(2, n + 4);
        if (!out->bases) status = GW_ERR_MEMORY;
        else {
            out->form[0] = form_of(&r, v, s, n, -out->left, out->bases);
            out->form[1] = form_of(&r, v, s, n, out->right, out->bases + n + 4);
        }
    }
    free(r.bases);
    return status;
}
