// SPDX-License-Identifier: MIT
// Graphs of stochastic block models: each way of drawing has the probabilities that it says, by chi-square over 10,000
// graphs with a fixed seed; the pairing of the authors' released fastRG, planted here, has not. Poisson numbers and
// alias tables, degrees, time by edges, what is fixed, and what draws are counted by.
#include "base/memory.h"
#include "graph/sbm.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 6, KEYS = 7, CLUSTERS = 3, PAIRS = QUERIES * KEYS, GRAPHS = 10000 };

// Memberships of every kind: sure, none, and between; a query without any.
typedef struct {
    float y[QUERIES * CLUSTERS], u[QUERIES * CLUSTERS], z[KEYS * CLUSTERS], b[CLUSTERS * CLUSTERS];
    gw_sbm sbm;
} model;

static void make(model *m, gw_sbm_mode draws, double exploration) {
    gw_random random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    static const float block[] = {0.1f, 0.02f, 0.35f, 0.02f, 0.05f, 0.03f, 0.35f, 0.03f, 0.05f};
    memcpy(m->b, block, sizeof block);
    for (int i = 0; i < QUERIES * CLUSTERS; i++) m->y[i] = gw_random_uniform(&random);
    for (int i = 0; i < KEYS * CLUSTERS; i++) m->z[i] = gw_random_uniform(&random);
    for (int c = 0; c < CLUSTERS; c++) m->y[c] = m->z[c] = 1, m->y[CLUSTERS + c] = 0, m->z[2 * CLUSTERS + c] = c == 0;
    for (int i = 0; i < QUERIES; i++)
        for (int c = 0; c < CLUSTERS; c++) {
            m->u[i * CLUSTERS + c] = 0;
            for (int v = 0; v < CLUSTERS; v++)
                m->u[i * CLUSTERS + c] += m->y[i * CLUSTERS + v] * m->b[v * CLUSTERS + c];
        }
    m->sbm = (gw_sbm){.kernels = gw_kernels(),
                      .draws = draws,
                      .each = GW_SBM_EACH,
                      .queries = QUERIES,
                      .keys = KEYS,
                      .clusters = CLUSTERS,
                      .query = m->y,
                      .product = m->u,
                      .key = m->z,
                      .stride = CLUSTERS,
                      .block = m->b,
                      .exploration = exploration,
                      .fixed = -1};
}

static double probability(const model *m, int i, int j) {
    double p = m->sbm.exploration;
    for (int u = 0; u < CLUSTERS; u++)
        for (int v = 0; v < CLUSTERS; v++)
            p += (double)m->y[i * CLUSTERS + u] * (double)m->b[u * CLUSTERS + v] * (double)m->z[j * CLUSTERS + v];
    return p;
}

// Edges of the released fastRG: sources sorted by their cluster u and targets sorted by v are paired in order, as if
// the table of counts of (u, v) did not matter.
static void pair_as_released(gw_sbm_work *work, const model *m, gw_random *random) {
    gw_alias rows[CLUSTERS], columns[CLUSTERS];
    uint32_t keep[2][CLUSTERS][KEYS];
    int32_t other[2][CLUSTERS][KEYS], stack[KEYS];
    double share[KEYS], sum[CLUSTERS * CLUSTERS], total = 0;
    for (int c = 0; c < CLUSTERS; c++) {
        rows[c] = (gw_alias){.count = QUERIES, .keep = keep[0][c], .other = other[0][c]};
        columns[c] = (gw_alias){.count = KEYS, .keep = keep[1][c], .other = other[1][c]};
        gw_alias_make(&rows[c], m->y + c, CLUSTERS, share, stack);
        gw_alias_make(&columns[c], m->z + c, CLUSTERS, share, stack);
    }
    for (int p = 0; p < CLUSTERS * CLUSTERS; p++)
        sum[p] = total += rows[p / CLUSTERS].total * (double)m->b[p] * columns[p % CLUSTERS].total;
    const int64_t count = gw_random_poisson(random, total);
    int of_u[CLUSTERS] = {0}, of_v[CLUSTERS] = {0};
    for (int64_t e = 0; e < count; e++) {
        const double at = gw_random_open(random) * total;
        int p = 0;
        while (sum[p] <= at) p++;
        of_u[p / CLUSTERS]++;
        of_v[p % CLUSTERS]++;
    }
    work->pairs = 0;
    cr_assert_eq(gw_reserve(&work->pair, &work->pair_capacity, count + 1, sizeof *work->pair), GW_OK);
    for (int u = 0, v = 0; work->pairs < count; work->pairs++) {
        while (of_u[u] == 0) u++;
        while (of_v[v] == 0) v++;
        of_u[u]--, of_v[v]--;
        work->pair[work->pairs] =
            (gw_sbm_pair){(int32_t)gw_alias_draw(&rows[u], random), (int32_t)gw_alias_draw(&columns[v], random)};
    }
}

// Chi-square of Poisson counts, or of numbers of graphs with an edge, each over its variance; no cell where nothing is
// expected, which must then be empty.
static double chi_square(const model *m, const int64_t *count, bool poisson, int *cells) {
    double sum = 0;
    *cells = 0;
    for (int c = 0; c < PAIRS; c++) {
        const double p = probability(m, c / KEYS, c % KEYS), mean = GRAPHS * p,
                     variance = poisson ? mean : mean * (1 - p);
        if (mean < 1e-6) {
            cr_expect_eq(count[c], 0);
            continue;
        }
        sum += pow((double)count[c] - mean, 2) / variance;
        ++*cells;
    }
    return sum;
}

// Beyond which chi-square falls once in 10^4 (Wilson and Hilferty, 1931).
static double limit_of(int cells) {
    const double a = 2.0 / (9.0 * cells);
    return cells * pow(1 - a + 3.719 * sqrt(a), 3);
}

static double count_pairs(gw_sbm_mode draws, double exploration, bool released, int *cells) {
    model m;
    gw_sbm_work work = {0};
    int64_t count[PAIRS] = {0};
    make(&m, draws, exploration);
    for (int g = 0; g < GRAPHS; g++) {
        gw_random random = gw_random_at(7, GW_SITE_TEST, (uint64_t)g, 1);
        m.sbm.seed = gw_sbm_seed(11, (uint32_t)g, 0, 0);
        if (released) pair_as_released(&work, &m, &random);
        else cr_assert_eq(gw_sbm_draw_pairs(&m.sbm, &work), GW_OK);
        for (int64_t e = 0; e < work.pairs; e++) count[work.pair[e].query * KEYS + work.pair[e].key]++;
    }
    gw_sbm_work_free(&work);
    return chi_square(&m, count, true, cells);
}

static double count_edges(gw_sbm_mode draws, double each, double exploration, int *cells) {
    model m;
    gw_sbm_work work = {0};
    gw_sbm_memory memory = {0};
    int64_t count[PAIRS] = {0};
    make(&m, draws, exploration);
    m.sbm.each = each;
    for (int g = 0; g < GRAPHS; g++) {
        gw_token_graph graph;
        m.sbm.seed = gw_sbm_seed(11, (uint32_t)g, 0, 0);
        cr_assert_eq(gw_sbm_draw(&m.sbm, &work, &memory, &graph), GW_OK);
        for (int i = 0; i < QUERIES; i++)
            for (int64_t e = graph.row_start[i]; e < graph.row_start[i + 1]; e++) {
                cr_assert(e == graph.row_start[i] || graph.column[e] > graph.column[e - 1]);
                count[i * KEYS + graph.column[e]]++;
            }
    }
    gw_sbm_work_free(&work);
    gw_sbm_memory_free(&memory);
    return chi_square(&m, count, false, cells);
}

Test(sbm, edges_have_their_probabilities) {
    static const struct {
        const char *name;
        gw_sbm_mode draws;
        double each;
    } ways[] = {
        {"exact", GW_SBM_EXACT, INFINITY}, {"exact, each", GW_SBM_EXACT, 0}, {"bernoulli", GW_SBM_BERNOULLI, 0}};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int explores = 0; explores < 2; explores++) {
            int cells;
            const double found = count_edges(ways[w].draws, ways[w].each, 0.01 * explores, &cells);
            cr_expect(found < limit_of(cells), "%s, exploration %d: chi-square %.1f of %d cells, limit %.1f",
                      ways[w].name, explores, found, cells, limit_of(cells));
        }
}

Test(sbm, fastrg_draws_pairs_by_algorithm_1) {
    for (int explores = 0; explores < 2; explores++) {
        int cells;
        const double found = count_pairs(GW_SBM_FASTRG, 0.01 * explores, false, &cells);
        cr_expect(found < limit_of(cells), "chi-square %.1f of %d cells, limit %.1f", found, cells, limit_of(cells));
    }
}

Test(sbm, the_released_pairing_is_another_distribution) {
    int cells;
    const double found = count_pairs(GW_SBM_FASTRG, 0, true, &cells);
    cr_expect(found > 10 * limit_of(cells), "chi-square %.1f of %d cells, limit %.1f", found, cells, limit_of(cells));
}

enum { MANY = 300, MANY_CLUSTERS = 16 };

// Many tokens with few edges: so that candidates are drawn, not pairs. Clusters of their own make p as large as 0.9 for
// some pairs.
typedef struct {
    float y[MANY * MANY_CLUSTERS], u[MANY * MANY_CLUSTERS], b[MANY_CLUSTERS * MANY_CLUSTERS];
} many;

static gw_sbm make_many(many *m, gw_sbm_mode draws) {
    memset(m, 0, sizeof *m);
    for (int i = 0; i < MANY; i++) m->y[i * MANY_CLUSTERS + i % MANY_CLUSTERS] = 0.2f + 0.75f * (float)(i % 7 == 0);
    for (int c = 0; c < MANY_CLUSTERS; c++) m->b[c * MANY_CLUSTERS + c] = 1;
    memcpy(m->u, m->y, sizeof m->u); // B is the unit matrix here: probabilities need not come from a softmax
    return (gw_sbm){.kernels = gw_kernels(),
                    .draws = draws,
                    .each = 0.5,
                    .queries = MANY,
                    .keys = MANY,
                    .clusters = MANY_CLUSTERS,
                    .query = m->y,
                    .product = m->u,
                    .key = m->y,
                    .stride = MANY_CLUSTERS,
                    .block = m->b,
                    .fixed = -1};
}

// What the mode says that the probability of an edge is.
static double edge_probability(const gw_sbm *sbm, int i, int j) {
    double p = 0;
    for (int c = 0; c < sbm->clusters; c++)
        p += (double)sbm->product[i * sbm->clusters + c] * (double)sbm->key[j * sbm->clusters + c];
    return sbm->draws == GW_SBM_FASTRG ? 1 - exp(-p) : fmin(p, 1 - 1e-6);
}

Test(sbm, degrees_have_their_means) {
    enum { TIMES = 200 };
    for (gw_sbm_mode draws = GW_SBM_EXACT; draws <= GW_SBM_BERNOULLI; draws++) {
        static many m;
        gw_sbm sbm = make_many(&m, draws);
        gw_sbm_work work = {0};
        gw_sbm_memory memory = {0};
        double mean = 0, variance = 0, found = 0;
        for (int i = 0; i < MANY; i++)
            for (int j = 0; j < MANY; j++) {
                const double p = edge_probability(&sbm, i, j);
                mean += p, variance += p * (1 - p);
            }
        for (int g = 0; g < TIMES; g++) {
            gw_token_graph graph;
            sbm.seed = gw_sbm_seed(1, (uint32_t)g, 2, 3);
            cr_assert_eq(gw_sbm_draw(&sbm, &work, &memory, &graph), GW_OK);
            found += (double)graph.row_start[MANY] / TIMES;
        }
        cr_expect(fabs(found - mean) < 4 * sqrt(variance / TIMES), "mode %d: %.2f edges, expected %.2f +- %.2f", draws,
                  found, mean, sqrt(variance / TIMES));
        gw_sbm_work_free(&work);
        gw_sbm_memory_free(&memory);
    }
}

// Bits are the same edges as lists, whatever is fixed; about as many as are expected where few probabilities are large.
Test(sbm, bits_are_the_same_edges) {
    for (gw_sbm_mode draws = GW_SBM_EXACT; draws <= GW_SBM_BERNOULLI; draws++)
        for (int64_t fixed = -1; fixed < 140; fixed += 70) {
            static many m;
            gw_sbm sbm = make_many(&m, draws);
            gw_sbm_work work = {0};
            gw_sbm_memory lists = {0}, bits = {0};
            gw_token_graph listed, graph;
            sbm.fixed = fixed;
            sbm.exploration = 0.05;
            cr_assert_eq(gw_sbm_draw(&sbm, &work, &lists, &listed), GW_OK);
            sbm.as_bits = true;
            cr_assert_eq(gw_sbm_draw(&sbm, &work, &bits, &graph), GW_OK);
            cr_assert(graph.bits && !graph.column && listed.column && !listed.bits);
            cr_assert_eq(gw_sbm_list(&bits, &graph), GW_OK);
            cr_expect_eq(memcmp(graph.row_start, listed.row_start, (MANY + 1) * sizeof *graph.row_start), 0);
            const int64_t edges = listed.row_start[MANY];
            cr_expect_eq(memcmp(graph.column, listed.column, (size_t)edges * sizeof *graph.column), 0);
            const double expected = gw_sbm_expected_edges(&sbm);
            cr_expect(fabs((double)edges - expected) < 0.1 * expected, "mode %d, %lld fixed: %lld edges, expected %.0f",
                      draws, (long long)fixed, (long long)edges, expected);
            gw_sbm_work_free(&work);
            gw_sbm_memory_free(&lists);
            gw_sbm_memory_free(&bits);
        }
}

// A query's edges are counted by its number, whatever stands beside it; what is fixed is there whatever is drawn.
Test(sbm, draws_are_counted_by_queries) {
    static many m;
    gw_sbm sbm = make_many(&m, GW_SBM_EXACT);
    gw_sbm_work work = {0};
    gw_sbm_memory all = {0}, some = {0};
    gw_token_graph whole, part;
    enum { FIRST = 100, COUNT = 40 };
    sbm.seed = 5;
    cr_assert_eq(gw_sbm_draw(&sbm, &work, &all, &whole), GW_OK);
    sbm.queries = COUNT;
    sbm.first_query = FIRST;
    sbm.product += FIRST * MANY_CLUSTERS;
    cr_assert_eq(gw_sbm_draw(&sbm, &work, &some, &part), GW_OK);
    const int64_t edges = part.row_start[COUNT];
    cr_assert_eq(edges, whole.row_start[FIRST + COUNT] - whole.row_start[FIRST]);
    cr_assert_eq(memcmp(part.column, whole.column + whole.row_start[FIRST], (size_t)edges * sizeof *part.column), 0);

    sbm = make_many(&m, GW_SBM_FASTRG);
    sbm.fixed = 2;
    cr_assert_eq(gw_sbm_draw(&sbm, &work, &all, &whole), GW_OK);
    for (int64_t i = 0; i < MANY; i++) {
        int near = 0;
        for (int64_t e = whole.row_start[i]; e < whole.row_start[i + 1]; e++) near += llabs(whole.column[e] - i) <= 2;
        cr_assert_eq(near, i < 2 ? 3 + i : i >= MANY - 2 ? MANY + 2 - i : 5);
    }
    gw_sbm_work_free(&work);
    gw_sbm_memory_free(&all);
    gw_sbm_memory_free(&some);
}

// Memberships that are next to nothing, or not numbers, give no edges.
Test(sbm, memberships_of_nothing) {
    static const float tiny[] = {0, 1e-30f, 1e-40f, NAN};
    for (size_t c = 0; c < sizeof tiny / sizeof tiny[0]; c++)
        for (gw_sbm_mode draws = GW_SBM_EXACT; draws <= GW_SBM_BERNOULLI; draws++) {
            model m;
            gw_sbm_work work = {0};
            gw_sbm_memory memory = {0};
            gw_token_graph graph;
            make(&m, draws, 0);
            for (int i = 0; i < QUERIES * CLUSTERS; i++) m.y[i] = m.u[i] = tiny[c];
            for (int i = 0; i < KEYS * CLUSTERS; i++) m.z[i] = tiny[c];
            cr_assert_eq(gw_sbm_draw(&m.sbm, &work, &memory, &graph), GW_OK);
            cr_expect_eq(graph.row_start[QUERIES], 0);
            gw_sbm_work_free(&work);
            gw_sbm_memory_free(&memory);
        }
}

// Work is that of the candidates: pairs drawn before they collapse, for 4 times the tokens at the same degree.
Test(sbm, exact_draws_few_candidates) {
    static many m;
    const gw_sbm sbm = make_many(&m, GW_SBM_EXACT);
    gw_sbm_work work = {0};
    gw_sbm_memory memory = {0};
    gw_token_graph graph;
    double mean = 0;
    cr_assert_eq(gw_sbm_draw(&sbm, &work, &memory, &graph), GW_OK);
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < MANY; j++) mean += -log1p(-edge_probability(&sbm, i, j));
    cr_expect(fabs((double)work.candidates - mean) < 5 * sqrt(mean), "%lld candidates, expected %.0f",
              (long long)work.candidates, mean);
    cr_expect_lt(work.candidates, MANY * MANY / 20);
    gw_sbm_work_free(&work);
    gw_sbm_memory_free(&memory);
}

// Every bit of a block is an edge and every edge a bit; a block without edges is not listed, a whole one has no bits.
Test(sbm, blocks_have_the_same_edges) {
    enum { BLOCK = GW_TOKEN_BLOCK };
    static many m;
    gw_sbm sbm = make_many(&m, GW_SBM_EXACT);
    gw_sbm_work work = {0};
    gw_sbm_memory memory = {0};
    gw_token_blocks blocks = {0};
    gw_token_graph tokens;
    int kinds[4] = {0};
    sbm.fixed = 63; // whole blocks on the diagonal
    sbm.as_bits = true;
    float keys[MANY * MANY_CLUSTERS]; // those of block 3 are read by none further off
    memcpy(keys, m.y, sizeof keys);
    memset(keys + 3 * BLOCK * MANY_CLUSTERS, 0, BLOCK * MANY_CLUSTERS * sizeof *keys);
    sbm.key = keys;
    cr_assert_eq(gw_sbm_draw(&sbm, &work, &memory, &tokens), GW_OK);
    cr_assert_eq(gw_sbm_list(&memory, &tokens), GW_OK);
    for (int times = 0; times < 2; times++) cr_assert_eq(gw_token_blocks_make(&blocks, &tokens), GW_OK);
    const gw_graph *g = &blocks.graph;
    int64_t found = 0;
    for (int64_t r = 0; r < g->query_blocks; r++)
        for (int64_t e = g->row_start[r]; e < g->row_start[r + 1]; e++) {
            const uint64_t *bits = g->bits + g->bits_index[e] * gw_graph_words(BLOCK);
            cr_assert(e == g->row_start[r] || g->column[e] > g->column[e - 1]);
            kinds[g->kind[e]]++;
            int64_t of_cell = 0;
            for (int64_t i = 0; i < BLOCK && r * BLOCK + i < MANY; i++)
                for (int64_t j = 0; j < BLOCK && g->column[e] * BLOCK + j < MANY; j++) {
                    const int64_t query = r * BLOCK + i, key = g->column[e] * BLOCK + j, bit = i * BLOCK + j;
                    bool is_edge = false;
                    for (int64_t t = tokens.row_start[query]; t < tokens.row_start[query + 1]; t++)
                        is_edge |= tokens.column[t] == key;
                    const bool set = g->kind[e] == GW_EDGE_FULL || (bits[bit / 64] >> bit % 64 & 1);
                    cr_assert_eq(set, is_edge, "query %lld, key %lld", (long long)query, (long long)key);
                    of_cell += is_edge;
                }
            cr_assert_gt(of_cell, 0);
            found += of_cell;
        }
    cr_expect_eq(found, tokens.row_start[MANY]);
    cr_expect(kinds[GW_EDGE_FULL] > 0 && kinds[GW_EDGE_BITS] > 0);
    cr_expect_lt(g->edges, g->query_blocks * g->key_blocks);
    gw_token_blocks_free(&blocks);
    gw_sbm_work_free(&work);
    gw_sbm_memory_free(&memory);
}

Test(sbm, poisson_numbers) {
    enum { DRAWS = 40000 };
    static const double means[] = {0.3, 4, 9.99, 10, 37, 1000, 1e6};
    gw_random random = gw_random_at(1, GW_SITE_TEST, 9, 0);
    for (size_t c = 0; c < sizeof means / sizeof means[0]; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double x = (double)gw_random_poisson(&random, means[c]) - means[c];
            sum += x, squares += x * x;
        }
        cr_expect(fabs(sum / DRAWS) < 4 * sqrt(means[c] / DRAWS), "mean %g: off by %g", means[c], sum / DRAWS);
        const double deviation = means[c] * sqrt((2 + 1 / means[c]) / DRAWS); // of the second moment
        cr_expect(fabs(squares / DRAWS - means[c]) < 4 * deviation, "mean %g: variance %g", means[c], squares / DRAWS);
    }
}

Test(sbm, alias_tables) {
    enum { ITEMS = 5, DRAWS = 100000 };
    static const float weight[ITEMS] = {0, 3, 0.5f, 1e-3f, 3};
    uint32_t keep[ITEMS];
    int32_t other[ITEMS], stack[ITEMS];
    double share[ITEMS], chi = 0;
    int64_t count[ITEMS] = {0};
    gw_alias table = {.count = ITEMS, .keep = keep, .other = other};
    gw_random random = gw_random_at(1, GW_SITE_TEST, 10, 0);
    gw_alias_make(&table, weight, 1, share, stack);
    for (int i = 0; i < DRAWS; i++) count[gw_alias_draw(&table, &random)]++;
    cr_assert_eq(count[0], 0);
    for (int i = 1; i < ITEMS; i++) {
        const double mean = DRAWS * (double)weight[i] / table.total;
        chi += pow((double)count[i] - mean, 2) / mean;
    }
    cr_expect(chi < limit_of(ITEMS - 2), "chi-square %.1f", chi);
}
