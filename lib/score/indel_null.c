// SPDX-License-Identifier: MIT
// Draws places until one will do, at most DRAWS times for each that is wanted. A draw depends on the variant and its
// own number alone.
#include "score/indel_null.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 100 };

typedef struct {
    char *bases;        // of the reference, [begin, end)
    int64_t begin, end; // of which a base before an insertion or deletion lies in [begin, last]
    int64_t last;
} stretch;

static bool is_pure(const gw_variant *v) {
    return v->ref && (v->ref_length == 1) != (v->alt_length == 1) &&
           toupper((unsigned char)v->ref[0]) == toupper((unsigned char)v->alt[0]);
}

// Windows around all places of the stretch stay within the contig.
static gw_status read_stretch(const gw_indel_null_options *o, const gw_variant *v, int64_t length, stretch *r) {
    const int64_t contig = gw_genome_length(o->genome, v->contig), least = o->window / 2 + 1;
    const int64_t most = contig - o->window - length - 2;
    *r = (stretch){.begin = v->position - GW_NULL_REACH, .last = v->position + GW_NULL_REACH};
    if (r->begin < least) r->begin = least;
    if (r->last > most) r->last = most;
    if (r->last < r->begin) return GW_OK;
    r->end = r->last + length + 1;
    r->bases = gw_alloc(r->end - r->begin, 1);
    if (!r->bases) return GW_ERR_MEMORY;
    return gw_genome_fetch(o->genome, v->contig, r->begin, r->end, r->bases);
}

static bool are_known(const stretch *r, int64_t begin, int64_t length) {
    return memchr(r->bases + (begin - r->begin), 'N', (size_t)length) == NULL;
}

// Whether the base before and what is deleted behind it are free: known, no part of the variant itself, of no gene.
static bool is_free(const gw_indel_null_options *o, const gw_variant *v, const stretch *r, int64_t at) {
    const int64_t end = at + v->ref_length;
    if (at < v->position + v->ref_length && v->position < end) return false;
    return are_known(r, at, v->ref_length) && !(o->genes && gw_genes_at(o->genes, v->contig, at, end, NULL));
}

static gw_random stream_of(const gw_variant *v) {
    const int64_t facts[] = {v->contig, v->position, v->ref_length, v->alt_length};
    uint64_t hash = gw_hash_bytes(GW_HASH_START, facts, sizeof facts);
    hash = gw_hash_bytes(hash, v->alt, v->alt_length);
    return gw_random_at(0, GW_SITE_NULL, hash & 0xffffffffffffULL, (uint32_t)(hash >> 48));
}

// One place: its texts "REF\0ALT\0" at `text`.
static bool draw(const gw_indel_null_options *o, const gw_variant *v, const stretch *r, gw_random *random, char *text,
                 gw_variant *out) {
    const int64_t at = gw_random_between(random, r->begin, r->last),
                  from = gw_random_between(random, r->begin, r->last);
    const bool inserts = v->alt_length > 1;
    const int64_t length = inserts ? v->alt_length - 1 : v->ref_length - 1;
    if (!is_free(o, v, r, at) || (inserts && !are_known(r, from + 1, length))) return false;
    char *one = text, *several = text + 2;
    one[0] = several[0] = r->bases[at - r->begin];
    memcpy(several + 1, r->bases + ((inserts ? from : at) + 1 - r->begin), (size_t)length);
    one[1] = several[length + 1] = 0;
    *out = *v;
    out->position = at;
    out->ref = inserts ? one : several;
    out->alt = inserts ? several : one;
    return true;
}

gw_status gw_indel_null_find(const gw_indel_null_options *o, const gw_variant *v, gw_variant *variants, int64_t *found,
                             char **bases) {
    *found = 0;
    *bases = NULL;
    if (!is_pure(v) || v->contig < 0 || v->position < 0) return GW_OK;
    const int64_t length = (v->ref_length > 1 ? v->ref_length : v->alt_length) - 1, each = length + 4;
    stretch r = {0};
    gw_status status = read_stretch(o, v, length, &r);
    if (status == GW_OK && r.bases && !(*bases = gw_alloc(o->count, each))) status = GW_ERR_MEMORY;
    gw_random random = stream_of(v);
    for (int64_t i = 0; *bases && i < DRAWS * o->count && *found < o->count; i++)
        *found += draw(o, v, &r, &random, *bases + *found * each, &variants[*found]);
    free(r.bases);
    return status;
}

void gw_indel_null_rank(double score, const float *scores, int64_t count, float *z, float *percentile) {
    double sum = 0, squares = 0, below = 0;
    *z = *percentile = NAN;
    if (count < GW_NULL_LEAST) return;
    for (int64_t i = 0; i < count; i++) {
        const double value = (double)scores[i];
        sum += value;
        below += value < score ? 1 : value == score ? 0.5 : 0;
    }
    const double mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) squares += ((double)scores[i] - mean) * ((double)scores[i] - mean);
    if (squares > 0) *z = (float)((score - mean) / sqrt(squares / (double)(count - 1)));
    *percentile = (float)(100 * below / (double)count);
}
