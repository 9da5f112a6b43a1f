// SPDX-License-Identifier: MIT
// Paths by breadth-first search and triangles by counting, both on rows of bits: 64 blocks a word. The spectral gap by
// Lanczos iteration. Random graphs are tables of links until they are built.
#include "graph/measure.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "graph/build.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A square matrix of bits, `words` 64-bit words a row.
typedef struct {
    int64_t blocks, words;
    uint64_t *bits; // [blocks][words]
} bit_rows;

static bit_rows make_rows(int64_t blocks) {
    const int64_t words = (blocks + 63) / 64;
    return (bit_rows){blocks, words, gw_alloc(blocks * words, sizeof(uint64_t))};
}

static void set_bit(bit_rows *rows, int64_t row, int64_t column) {
    rows->bits[row * rows->words + column / 64] |= 1ull << (column % 64);
}

typedef struct {
    uint64_t *seen, *frontier, *next; // [words]
    int64_t sum, pairs, longest;      // of the distances found so far
} search;

// All blocks one step further; returns how many are new.
static int64_t advance(const bit_rows *rows, search *s) {
    memset(s->next, 0, (size_t)rows->words * sizeof *s->next);
    for (int64_t w = 0; w < rows->words; w++) {
        for (uint64_t left = s->frontier[w]; left; left &= left - 1) {
            const uint64_t *row = rows->bits + (w * 64 + __builtin_ctzll(left)) * rows->words;
            for (int64_t k = 0; k < rows->words; k++) s->next[k] |= row[k];
        }
    }
    int64_t found = 0;
    for (int64_t w = 0; w < rows->words; w++) {
        s->frontier[w] = s->next[w] & ~s->seen[w];
        s->seen[w] |= s->frontier[w];
        found += __builtin_popcountll(s->frontier[w]);
    }
    return found;
}

static void search_from(const bit_rows *rows, int64_t start, search *s) {
    memset(s->seen, 0, (size_t)rows->words * sizeof *s->seen);
    memset(s->frontier, 0, (size_t)rows->words * sizeof *s->frontier);
    s->seen[start / 64] = s->frontier[start / 64] = 1ull << (start % 64);
    int64_t found;
    for (int64_t distance = 1; (found = advance(rows, s)) > 0; distance++) {
        s->sum += distance * found;
        s->pairs += found;
        if (distance > s->longest) s->longest = distance;
    }
}

static gw_status measure_paths(const bit_rows *reads, search *s, gw_graph_measures *out) {
    for (int64_t r = 0; r < reads->blocks; r++) {
        GW_TRY(gw_check_interrupt());
        search_from(reads, r, s);
    }
    out->mean_path = s->pairs > 0 ? (double)s->sum / (double)s->pairs : 0;
    out->longest_path = s->longest;
    out->unreachable = reads->blocks * (reads->blocks - 1) - s->pairs;
    return GW_OK;
}

// Neighbours of `block`, and how many ordered pairs of them are linked.
static int64_t count_neighbours(const bit_rows *links, int64_t block, int64_t *linked) {
    const uint64_t *own = links->bits + block * links->words;
    int64_t degree = 0;
    *linked = 0;
    for (int64_t w = 0; w < links->words; w++) {
        degree += __builtin_popcountll(own[w]);
        for (uint64_t left = own[w]; left; left &= left - 1) {
            const uint64_t *other = links->bits + (w * 64 + __builtin_ctzll(left)) * links->words;
            for (int64_t k = 0; k < links->words; k++) *linked += __builtin_popcountll(own[k] & other[k]);
        }
    }
    return degree;
}

static gw_status measure_clustering(const bit_rows *links, gw_graph_measures *out) {
    double sum = 0;
    for (int64_t b = 0; b < links->blocks; b++) {
        int64_t linked;
        GW_TRY(gw_check_interrupt());
        const int64_t degree = count_neighbours(links, b, &linked);
        if (degree > 1) sum += (double)linked / ((double)degree * (double)(degree - 1));
    }
    out->clustering = sum / (double)links->blocks;
    return GW_OK;
}

// Lanczos iteration with full reorthogonalisation. N's eigenvector of eigenvalue 1 is known, sqrt(degree); every vector
// of the basis is kept orthogonal to it, so that the largest eigenvalue left is the second. From v_0 random,
//   w = N v_k;  alpha_k = w . v_k;  w made orthogonal to all v;  beta_k = |w|;  v_{k+1} = w / beta_k
// and the eigenvalues of the tridiagonal matrix (alpha, beta) approach N's from inside. The largest is read off every
// CHECK steps, until that changes it by less than `tolerance` or the basis spans the whole space.

enum { CHECK = 8 };
static const double tolerance = 1e-11;

typedef struct {
    const bit_rows *links;
    int64_t steps;                // vectors in the basis, after the known one
    double *inverse_root;         // [n] degree^-1/2
    double *basis;                // [1 + steps][n], basis 0 is the known eigenvector
    int64_t basis_capacity;       // numbers
    double *alpha, *beta, *image; // [n] each
} lanczos;

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// image = N v
static void multiply(const lanczos *l, const double *v) {
    const bit_rows *a = l->links;
    for (int64_t r = 0; r < a->blocks; r++) {
        double sum = 0;
        for (int64_t w = 0; w < a->words; w++) {
            for (uint64_t left = a->bits[r * a->words + w]; left; left &= left - 1) {
                const int64_t c = w * 64 + __builtin_ctzll(left);
                sum += l->inverse_root[c] * v[c];
            }
        }
        l->image[r] = l->inverse_root[r] * sum;
    }
}

// Takes what lies along the basis out of image; twice, since once leaves rounding errors as large as a small rest.
static void orthogonalise(const lanczos *l) {
    const int64_t n = l->links->blocks;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k <= l->steps; k++) {
            const double *v = l->basis + k * n, along = dot(l->image, v, n);
            for (int64_t i = 0; i < n; i++) l->image[i] -= along * v[i];
        }
    }
}

// Appends image / length to the basis.
static gw_status extend_basis(lanczos *l, double length) {
    const int64_t n = l->links->blocks;
    GW_TRY(gw_reserve(&l->basis, &l->basis_capacity, (l->steps + 2) * n, sizeof *l->basis));
    l->steps++;
    for (int64_t i = 0; i < n; i++) l->basis[l->steps * n + i] = l->image[i] / length;
    return GW_OK;
}

static gw_status start(lanczos *l) {
    const int64_t n = l->links->blocks;
    GW_TRY(gw_reserve(&l->basis, &l->basis_capacity, n, sizeof *l->basis));
    gw_random random = gw_random_at(1, GW_SITE_PATTERN, UINT32_MAX, 0);
    double degrees = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t degree = 0;
        for (int64_t w = 0; w < l->links->words; w++)
            degree += __builtin_popcountll(l->links->bits[i * l->links->words + w]);
        l->inverse_root[i] = 1 / sqrt((double)degree);
        l->basis[i] = sqrt((double)degree);
        degrees += (double)degree;
        l->image[i] = gw_random_normal(&random);
    }
    for (int64_t i = 0; i < n; i++) l->basis[i] /= sqrt(degrees);
    orthogonalise(l);
    return extend_basis(l, sqrt(dot(l->image, l->image, n)));
}

// Eigenvalues of the tridiagonal matrix above x: positive pivots of T - x I (Sylvester's law of inertia).
static int64_t count_above(const lanczos *l, double x) {
    int64_t above = 0;
    double pivot = 1;
    for (int64_t k = 0; k < l->steps; k++) {
        const double coupling = k > 0 ? l->beta[k - 1] * l->beta[k - 1] : 0;
        pivot = l->alpha[k] - x - coupling / pivot;
        if (pivot == 0) pivot = -1e-300; // x is an eigenvalue of the leading part
        above += pivot > 0;
    }
    return above;
}

static double largest_ritz_value(const lanczos *l) {
    double low = -1.5, high = 1.5; // all of N's eigenvalues lie in [-1, 1]
    while (high - low > 1e-14) {
        const double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        if (count_above(l, middle) > 0) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

static gw_status iterate(lanczos *l, double *out) {
    const int64_t n = l->links->blocks;
    GW_TRY(start(l));
    double last = -2;
    for (;;) {
        GW_TRY(gw_check_interrupt());
        const double *v = l->basis + l->steps * n;
        multiply(l, v);
        l->alpha[l->steps - 1] = dot(l->image, v, n);
        orthogonalise(l);
        const double length = sqrt(dot(l->image, l->image, n));
        const bool spanned = l->steps == n - 1 || length < 1e-10;
        if (spanned || l->steps % CHECK == 0) {
            *out = largest_ritz_value(l);
            if (spanned || fabs(*out - last) < tolerance) return GW_OK;
            last = *out;
        }
        l->beta[l->steps - 1] = length;
        GW_TRY(extend_basis(l, length));
    }
}

// The second largest eigenvalue (by value, not by size) of N = D^-1/2 A D^-1/2, for a symmetric, connected graph A of
// at least two blocks without loops, D its degrees. N's largest eigenvalue is 1. Accurate to about 1e-9.
static gw_status second_eigenvalue(const bit_rows *links, double *out) {
    const int64_t n = links->blocks;
    double *numbers = gw_alloc(4 * n, sizeof *numbers);
    if (!numbers) return GW_ERR_MEMORY;
    lanczos l = {.links = links,
                 .inverse_root = numbers,
                 .alpha = numbers + n,
                 .beta = numbers + 2 * n,
                 .image = numbers + 3 * n};
    const gw_status status = iterate(&l, out);
    free(l.basis);
    free(numbers);
    return status;
}

static bool reads_token(const gw_graph *graph, int64_t edge, int64_t query, int64_t key) {
    const int64_t block = graph->block, apart = key - query - graph->offset, bit = query % block * block + key % block;
    switch (graph->kind[edge]) {
    case GW_EDGE_CAUSAL: return apart <= 0;
    case GW_EDGE_BAND: return -graph->before <= apart && apart <= graph->after;
    case GW_EDGE_BITS: return graph->bits[graph->bits_index[edge] * gw_graph_words(block) + bit / 64] >> bit % 64 & 1;
    default: return true;
    }
}

int64_t gw_graph_token_pairs(const gw_graph *graph, int64_t queries, int64_t keys) {
    int64_t pairs = 0;
    for (int64_t r = 0; r < graph->query_blocks; r++)
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            const int64_t i = r * graph->block, j = graph->column[e] * (int64_t)graph->block;
            const int64_t i_end = gw_min(i + graph->block, queries), j_end = gw_min(j + graph->block, keys);
            if (!graph->kind || graph->kind[e] == GW_EDGE_FULL) pairs += (i_end - i) * (j_end - j);
            else
                for (int64_t q = i; q < i_end; q++)
                    for (int64_t k = j; k < j_end; k++) pairs += reads_token(graph, e, q, k);
        }
    return pairs;
}

gw_status gw_graph_measure(const gw_graph *graph, gw_graph_measures *out) {
    *out = (gw_graph_measures){.blocks = graph->query_blocks, .edges = graph->edges};
    for (int64_t e = 0; e < graph->edges; e++)
        out->listed += graph->log_multiplicity ? round(exp((double)graph->log_multiplicity[e])) : 1;
    out->density = (double)graph->edges / ((double)graph->query_blocks * graph->key_blocks);
    if (graph->query_blocks != graph->key_blocks) return GW_OK;
    // Row r of reads holds the blocks that r reads; links are the same in both directions. Neither holds a block
    // itself.
    bit_rows reads = make_rows(graph->query_blocks), links = make_rows(graph->query_blocks);
    uint64_t *scratch = gw_alloc(3 * links.words, sizeof *scratch);
    gw_status status = reads.bits && links.bits && scratch ? GW_OK : GW_ERR_MEMORY;
    if (status != GW_OK) goto done;
    search s = {.seen = scratch, .frontier = scratch + links.words, .next = scratch + 2 * links.words};
    for (int64_t r = 0; r < graph->query_blocks; r++) {
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            const int64_t c = graph->column[e];
            if (c == r) continue;
            set_bit(&reads, r, c);
            set_bit(&links, r, c);
            set_bit(&links, c, r);
        }
    }
    GW_TRY_GOTO(status, measure_paths(&reads, &s, out), done);
    GW_TRY_GOTO(status, measure_clustering(&links, out), done);
    s.pairs = 0;
    if (links.blocks > 1) search_from(&links, 0, &s);
    if (links.blocks > 1 && s.pairs == links.blocks - 1) { // connected
        double second;
        GW_TRY_GOTO(status, second_eigenvalue(&links, &second), done);
        out->spectral_gap = 1 - second;
    }
done:
    free(reads.bits);
    free(links.bits);
    free(scratch);
    return status;
}

// links[i * n + j]: whether i and j are linked.
static gw_status build_links(const bool *links, int64_t n, gw_graph **out) {
    gw_block_lists lists = {.block = 1, .blocks = n};
    int32_t *row = gw_alloc(n, sizeof *row);
    gw_status status = row ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; i < n && status == GW_OK; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            if (links[i * n + j]) row[count++] = (int32_t)j;
        status = gw_block_lists_add(&lists, row, count);
    }
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_block_lists_free(&lists);
    free(row);
    return status;
}

static void link_nodes(bool *links, int64_t n, int64_t i, int64_t j, bool linked) {
    links[i * n + j] = links[j * n + i] = linked;
}

gw_status gw_erdos_renyi(int64_t n, double degree, uint64_t seed, gw_graph **out) {
    bool *links = gw_alloc(n * n, sizeof *links);
    if (!links) return GW_ERR_MEMORY;
    const double probability = n > 1 ? degree / (double)(n - 1) : 0;
    for (int64_t i = 0; i < n; i++) {
        gw_random random = gw_random_at(seed, GW_SITE_LINKS, (uint64_t)i, 0);
        for (int64_t j = i + 1; j < n; j++) link_nodes(links, n, i, j, gw_random_uniform(&random) < probability);
    }
    const gw_status status = build_links(links, n, out);
    free(links);
    return status;
}

// Moves the far end of the link i - j to a node that i is not linked to, unless i is linked to all others.
static void rewire(bool *links, int64_t n, int64_t i, int64_t j, gw_random *random) {
    int64_t to, linked = 0;
    for (int64_t k = 0; k < n; k++) linked += links[i * n + k];
    if (linked == n - 1) return;
    do to = (int64_t)gw_random_below(random, (uint64_t)n);
    while (to == i || links[i * n + to]);
    link_nodes(links, n, i, j, false);
    link_nodes(links, n, i, to, true);
}

gw_status gw_watts_strogatz(int64_t n, int degree, double rewired, uint64_t seed, gw_graph **out) {
    if (degree < 2 || degree % 2 != 0 || degree >= n)
        return gw_fail(GW_ERR_RANGE, "a ring of %lld nodes with %d links each", (long long)n, degree);
    bool *links = gw_alloc(n * n, sizeof *links);
    if (!links) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 1; k <= degree / 2; k++) link_nodes(links, n, i, (i + k) % n, true);
    gw_random random = gw_random_at(seed, GW_SITE_LINKS, (uint64_t)n, 1);
    for (int64_t k = 1; k <= degree / 2; k++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t j = (i + k) % n;
            if (gw_random_uniform(&random) < rewired && links[i * n + j]) rewire(links, n, i, j, &random);
        }
    const gw_status status = build_links(links, n, out);
    free(links);
    return status;
}
