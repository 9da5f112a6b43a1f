// SPDX-License-Identifier: MIT
// godwit-theory approximator: the three stochastic block models of the SBM-Transformer's Theorem 1 (section 4.3), and
// the conditions of Yun et al. (2020) on their graphs.
//
// n = k^2 tokens in k clusters of k. The first token of each cluster is a relay.
//   model 1: Y = Z = clusters, B = I_k: block diagonal     model 2: relays read all     model 3: all read the relays
// Expected graphs are Y B Z^T; each token also reads itself. Conditions: every token reads itself; the union of the
// graphs has a Hamiltonian path (every token of it reads the one before); every pair is connected by directed paths of
// the union.
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "tools/cli/cli.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t most_clusters, draws, seed;
    const char *picture;
} approximator_arguments;

static const approximator_arguments defaults = {.most_clusters = 24, .draws = 100, .seed = 1};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Graphs"},
    {GW_OPTION_INT, 'k', "clusters", "N", offsetof(approximator_arguments, most_clusters),
     "largest number of clusters k; n = k^2", .min = 2, .max = 64},
    {GW_OPTION_INT, 0, "draws", "N", offsetof(approximator_arguments, draws), "sampled graphs for each n", .min = 1,
     .max = 100000},
    {GW_OPTION_INT, 's', "seed", "N", offsetof(approximator_arguments, seed), "of the draws", .min = 0, .max = 1 << 30},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(approximator_arguments, picture),
     "draw the probabilities against n: .png or .svg", .writes = true, .endings = GW_PICTURE_ENDINGS},
    {.help = NULL},
};

enum { MODELS = 3, MOST_TRIES = 5, KICKS = 20 };

// How a model's expectation becomes a graph.
typedef struct {
    const char *name;
    bool poisson;        // fastRG: counts are Poisson, so that an edge exists with 1 - exp(-p)
    bool shared_softmax; // B is a softmax over all k x k pairs, so that I_k becomes I_k / k
} sampler;
static const sampler samplers[] = {
    {"p = 1", false, false},
    {"fastRG", true, false},
    {"2-D softmax", false, true},
    {"2-D softmax, fastRG", true, true},
};
enum { SAMPLERS = sizeof samplers / sizeof samplers[0] };

typedef struct {
    int64_t k, n;
    double *y, *b, *z;     // [n][k], [k][k], [n][k] of a model
    double *expected;      // [MODELS][n][n]
    bool *reads;           // [MODELS][n][n] a sampled graph of each
    bool *all;             // [n][n] their union
    int64_t *path, *order; // [n]
} block_models;

static void set_model(block_models *m, int model, bool shared_softmax) {
    memset(m->y, 0, (size_t)(m->n * m->k) * sizeof *m->y);
    memset(m->z, 0, (size_t)(m->n * m->k) * sizeof *m->z);
    memset(m->b, 0, (size_t)(m->k * m->k) * sizeof *m->b);
    for (int64_t i = 0; i < m->n; i++) {
        const bool relay = i % m->k == 0;
        if (model == 0) m->y[i * m->k + i / m->k] = m->z[i * m->k + i / m->k] = 1;
        else m->y[i * m->k] = model == 2 || relay, m->z[i * m->k] = model == 1 || relay;
    }
    for (int64_t c = 0; c < m->k; c++)
        m->b[c * m->k + c] = model > 0 ? c == 0 : shared_softmax ? 1.0 / (double)m->k : 1;
}

// Independent edges. With fastRG's Poisson number of draws, each falling on (i, j) with a share p_ij of all, the counts
// of the pairs are independent Poisson numbers with means p_ij, so that this is its distribution, collapsed.
static void sample(block_models *m, bool poisson, uint64_t seed, uint64_t draw) {
    memset(m->all, 0, (size_t)(m->n * m->n) * sizeof *m->all);
    for (int model = 0; model < MODELS; model++)
        for (int64_t i = 0; i < m->n; i++) {
            const int64_t row = (model * m->n + i) * m->n;
            gw_random random =
                gw_random_at(seed, GW_SITE_PROOF, draw * (uint64_t)(MODELS * m->n) + (uint64_t)(model * m->n + i), 2);
            for (int64_t j = 0; j < m->n; j++) {
                const double p = poisson ? 1 - exp(-m->expected[row + j]) : m->expected[row + j];
                m->reads[row + j] = p > 0 && gw_random_uniform(&random) < p;
                if (i == j) m->reads[row + j] = true; // the self-loop that the theorem adds
                m->all[i * m->n + j] |= m->reads[row + j];
            }
        }
}

static bool reads(const block_models *m, int64_t i, int64_t j) {
    return m->all[i * m->n + j];
}

// Whether token 0 reaches all (along reads) and all reach it: then every pair is joined.
static bool reaches_all(const block_models *m, bool backwards, int64_t *queue, bool *seen) {
    memset(seen, 0, (size_t)m->n * sizeof *seen);
    int64_t found = 1;
    queue[0] = 0, seen[0] = true;
    for (int64_t at = 0; at < found; at++)
        for (int64_t j = 0; j < m->n; j++) {
            if (seen[j] || !(backwards ? reads(m, j, queue[at]) : reads(m, queue[at], j))) continue;
            seen[j] = true;
            queue[found++] = j;
        }
    return found == m->n;
}

// Layers that use the three patterns in turn until every token has read every other; 0: more than `most`.
static int64_t layers_to_mix(const block_models *m, int64_t most) {
    const int64_t n = m->n;
    bool *knows = gw_alloc(2 * n * n, sizeof *knows), *next = knows + n * n;
    int64_t layer = 0, known = n;
    for (int64_t i = 0; knows && i < n; i++) knows[i * n + i] = true;
    while (knows && known < n * n && layer < most) {
        const bool *pattern = m->reads + layer % MODELS * n * n;
        known = 0;
        for (int64_t i = 0; i < n; i++) {
            memset(next + i * n, 0, (size_t)n * sizeof *next);
            for (int64_t j = 0; j < n; j++)
                for (int64_t s = 0; pattern[i * n + j] && s < n; s++) next[i * n + s] |= knows[j * n + s];
            for (int64_t s = 0; s < n; s++) known += next[i * n + s];
        }
        memcpy(knows, next, (size_t)(n * n) * sizeof *knows);
        layer++;
    }
    free(knows);
    return known == n * n ? layer : 0;
}

// Where token x fits into the path of `length` tokens: at the front, at the end or between two; -1: nowhere.
static int64_t find_gap(const block_models *m, int64_t length, int64_t x) {
    for (int64_t at = 0; at <= length; at++)
        if ((at == 0 || reads(m, x, m->path[at - 1])) && (at == length || reads(m, m->path[at], x))) return at;
    return -1;
}

static void shuffle(int64_t *items, int64_t count, gw_random *random) {
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t j = (int64_t)gw_random_below(random, (uint64_t)i + 1), keep = items[i];
        items[i] = items[j], items[j] = keep;
    }
}

// Tries to insert each of the `waiting` tokens in m->order; returns how many are left there.
static int64_t insert_waiting(block_models *m, int64_t *length, int64_t waiting) {
    int64_t left = 0;
    for (int64_t i = 0; i < waiting; i++) {
        const int64_t x = m->order[i], at = find_gap(m, *length, x);
        if (at < 0) {
            m->order[left++] = x;
            continue;
        }
        memmove(m->path + at + 1, m->path + at, (size_t)(*length - at) * sizeof *m->path);
        m->path[at] = x;
        ++*length;
    }
    return left;
}

// Takes a token out of the path, where its neighbours may stand side by side, and lets it wait behind the others.
static void kick_out(block_models *m, int64_t *length, int64_t *waiting, gw_random *random) {
    const int64_t at = (int64_t)gw_random_below(random, (uint64_t)*length);
    if (at > 0 && at + 1 < *length && !reads(m, m->path[at + 1], m->path[at - 1])) return;
    m->order[(*waiting)++] = m->path[at];
    --*length;
    memmove(m->path + at, m->path + at + 1, (size_t)(*length - at) * sizeof *m->path);
}

// Inserts the tokens cluster by cluster, relays first, otherwise in a random order, and those that do not fit again
// after the others. A path found is a proof; that none is found is not.
static bool build_path(block_models *m, gw_random *random) {
    const int64_t turn = (int64_t)gw_random_below(random, (uint64_t)m->k); // the cluster that begins
    for (int64_t i = 0; i < m->n; i++) m->order[i] = (i + turn * m->k) % m->n;
    for (int64_t c = 0; c < m->k; c++) shuffle(m->order + c * m->k + 1, m->k - 1, random);
    int64_t length = 0, waiting = m->n;
    for (int64_t kick = 0; waiting > 0 && kick <= KICKS * m->n; kick++) {
        const int64_t before = waiting;
        waiting = insert_waiting(m, &length, before);
        if (waiting == before) kick_out(m, &length, &waiting, random);
    }
    bool is_path = waiting == 0;
    for (int64_t i = 1; i < m->n && is_path; i++) is_path = reads(m, m->path[i], m->path[i - 1]);
    return is_path;
}

// No path can exist where too many tokens need a relay beside them: of those that are no relays and read no other such
// token each stands behind one of the k relays or first, and of those that none such reads each before one or last.
static bool path_is_excluded(const block_models *m) {
    int64_t blind = 0, unread = 0;
    for (int64_t i = 0; i < m->n; i++) {
        bool looks = false, seen = false;
        for (int64_t j = 0; j < m->n; j++) {
            if (j == i || j % m->k == 0) continue;
            looks |= reads(m, i, j);
            seen |= reads(m, j, i);
        }
        blind += i % m->k != 0 && !looks;
        unread += i % m->k != 0 && !seen;
    }
    return blind > m->k + 1 || unread > m->k + 1;
}

typedef struct {
    double joined, path, excluded; // shares of the draws
    double edges;                  // mean, of the three graphs
    int64_t mixing;                // layers, of the first draw
} sampled_result;

static gw_status run_size(block_models *m, const sampler *s, const approximator_arguments *a, sampled_result *out) {
    *out = (sampled_result){0};
    for (int model = 0; model < MODELS; model++) {
        set_model(m, model, s->shared_softmax);
        // expected = Y B Z^T
        double *expected = m->expected + model * m->n * m->n;
        for (int64_t i = 0; i < m->n; i++)
            for (int64_t j = 0; j < m->n; j++) {
                double sum = 0;
                for (int64_t u = 0; u < m->k; u++) // B is diagonal
                    sum += m->y[i * m->k + u] * m->b[u * m->k + u] * m->z[j * m->k + u];
                expected[i * m->n + j] = sum;
            }
    }
    const int64_t draws = s->poisson || s->shared_softmax ? a->draws : 1; // p = 1 leaves nothing to chance
    for (int64_t draw = 0; draw < draws; draw++) {
        GW_TRY(gw_check_interrupt());
        sample(m, s->poisson, (uint64_t)a->seed, (uint64_t)draw);
        if (draw == 0) out->mixing = layers_to_mix(m, 60);
        int64_t edges = 0;
        for (int64_t e = 0; e < MODELS * m->n * m->n; e++) edges += m->reads[e];
        out->edges += (double)edges / (double)draws;
        bool *seen = gw_alloc(m->n, sizeof *seen);
        const bool joined = seen && reaches_all(m, false, m->order, seen) && reaches_all(m, true, m->order, seen);
        free(seen);
        out->joined += joined / (double)draws;
        const bool excluded = path_is_excluded(m);
        out->excluded += excluded / (double)draws;
        gw_random random = gw_random_at((uint64_t)a->seed, GW_SITE_PROOF, (uint64_t)draw, 3);
        bool found = false;
        for (int t = 0; t < MOST_TRIES && !excluded && !found; t++) found = build_path(m, &random);
        out->path += found / (double)draws;
    }
    return GW_OK;
}

static gw_status allocate(block_models *m, int64_t k) {
    const int64_t n = k * k;
    *m = (block_models){.k = k, .n = n};
    m->y = gw_alloc(n * k, sizeof *m->y);
    m->z = gw_alloc(n * k, sizeof *m->z);
    m->b = gw_alloc(k * k, sizeof *m->b);
    m->expected = gw_alloc(MODELS * n * n, sizeof *m->expected);
    m->reads = gw_alloc(MODELS * n * n, sizeof *m->reads);
    m->all = gw_alloc(n * n, sizeof *m->all);
    m->path = gw_alloc(n, sizeof *m->path);
    m->order = gw_alloc(n, sizeof *m->order);
    return m->y && m->z && m->b && m->expected && m->reads && m->all && m->path && m->order ? GW_OK : GW_ERR_MEMORY;
}

enum { MOST_SIZES = 64 };
typedef struct {
    double n[MOST_SIZES], path[SAMPLERS][MOST_SIZES];
    int sizes;
} path_curves;

static gw_status draw_curves(const char *path, const path_curves *c) {
    gw_picture_series series[SAMPLERS];
    for (int s = 0; s < SAMPLERS; s++) series[s] = (gw_picture_series){samplers[s].name, c->n, c->path[s], c->sizes};
    const gw_picture_panel panel = {"Sampled graphs in which a Hamiltonian path was found",
                                    "tokens n = k^2",
                                    "fraction of the draws",
                                    true,
                                    series,
                                    SAMPLERS};
    return gw_picture_panels(path, &panel, 1);
}

static gw_status run_clusters(int64_t k, const approximator_arguments *a, path_curves *c) {
    block_models m;
    gw_status status = allocate(&m, k);
    c->n[c->sizes] = (double)m.n;
    for (int s = 0; s < SAMPLERS && status == GW_OK; s++) {
        sampled_result r;
        status = run_size(&m, &samplers[s], a, &r);
        if (status != GW_OK) break;
        c->path[s][c->sizes] = r.path;
        printf("%s\t%lld\t%lld\t%.0f\t%.2f\t%.3f\t%.3f\t%.3f\t%lld\n", samplers[s].name, (long long)m.n, (long long)k,
               r.edges, r.edges / pow((double)m.n, 1.5), r.joined, r.path, r.excluded, (long long)r.mixing);
        if (s == 0 && (r.joined < 1 || r.path < 1))
            status = gw_fail(GW_ERR_MISMATCH, "the expected graphs of n = %lld do not fulfil the conditions",
                             (long long)m.n);
    }
    c->sizes++;
    void *const pieces[] = {m.y, m.z, m.b, m.expected, m.reads, m.all, m.path, m.order};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) free(pieces[i]);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const approximator_arguments *a = arguments;
    (void)operands, (void)count;
    path_curves c = {.sizes = 0};
    puts("sampler\ttokens\tclusters\tedges\tedges_by_n^1.5\tjoined\tpath_found\tpath_excluded\tlayers_to_mix");
    for (int64_t k = 2; k <= a->most_clusters; k = k < 4 ? k + 1 : k + k / 3) GW_TRY(run_clusters(k, a, &c));
    return a->picture ? draw_curves(a->picture, &c) : GW_OK;
}

const gw_command gw_theory_approximator = {
    .name = "approximator",
    .group = "SBM-Transformer",
    .summary = "three stochastic block models whose graphs allow universal approximation (Theorem 1)",
    .usage = "[-k N] [options]",
    .description =
        "Builds the three block models of the proof sketch (k clusters, and two halves of a star with k relay tokens), "
        "adds self-loops and checks the conditions on the union of their graphs: a Hamiltonian path, and a path "
        "between every pair. On the expected graphs (p = 1) they hold. Sampled ones: fastRG as printed draws an edge "
        "with probability 1 - exp(-p), 63 % where p is 1; a softmax over all k x k pairs of clusters leaves p = 1/k in "
        "the blocks. path_found counts draws with a path in hand, path_excluded those that cannot have one; "
        "layers_to_mix is of the first draw.",
    .examples = "godwit-theory approximator -o approximator.svg",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
