// SPDX-License-Identifier: MIT
// Finds sites of motifs: a filter over many windows at once, then exact scores of the remaining windows.
//
// The filter. A window can lose at most `largest score - threshold`. This loss is divided into LIMIT steps. A pair of
// columns has a table of 16 losses, rounded down, one for each two bases. Their sum is a lower bound of the window's
// loss, so a sum above LIMIT excludes the window. Losses are saturating bytes: one shuffle and one addition process a
// pair of columns for 32 windows. The most informative pairs come first; three pairs exclude most windows.
#include "motif/scan.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { BLOCK = 8192, LANES = 128, LIMIT = 250, MOST_PAIRS = (GW_MOTIF_WIDEST + 1) / 2, MOST_TESTED = 6 };
static const double bin_size = 0.1, pseudo_probability = 0.0001;

// P(score >= a bin) of random sequence, the same on both strands.
typedef struct {
    int64_t smallest, bins; // numbers of the lowest bin, and of bins
    double *tail;           // [bins]
    double threshold;       // sites score more; INFINITY: there are none
} score_table;

// A motif on one strand.
typedef struct {
    double (*weights)[4]; // [width]
    const score_table *table;
    int width, pairs, tested; // tested: pairs of the first test
    int32_t motif;
    bool reverse;
    uint8_t offset[MOST_PAIRS]; // of a pair's first column, the pair that tells most first
    uint8_t (*loss)[16];        // [pairs], by base + 4 * next base
} matrix;

// Writes the windows, of [0, windows), that the filter leaves; codes may be read LANES + GW_MOTIF_WIDEST further.
typedef int64_t window_filter(const matrix *m, const uint8_t *codes, int64_t windows, int32_t *left);

struct gw_motif_scanner {
    score_table *tables; // [motifs]
    matrix *matrices;    // [count], by motif, forward first
    int64_t count;
    int strands, widest;
    window_filter *filter;
};

// --- scores and their p-values ---------------------------------------------------------------------------------------

static gw_status fill_table(score_table *table, const double (*weights)[4], int width, const double background[4],
                            double p_value) {
    int64_t rounded[GW_MOTIF_WIDEST][4];
    table->bins = 1;
    for (int j = 0; j < width; j++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int a = 0; a < 4; a++) {
            rounded[j][a] = (int64_t)rint(weights[j][a] / bin_size);
            low = gw_min(low, rounded[j][a]), high = gw_max(high, rounded[j][a]);
        }
        for (int a = 0; a < 4; a++) rounded[j][a] -= low;
        table->smallest += low, table->bins += high - low;
    }
    double *scratch = gw_alloc(table->bins, sizeof *scratch);
    table->tail = gw_alloc(table->bins, sizeof *table->tail);
    if (!scratch || !table->tail) {
        free(scratch);
        return GW_ERR_MEMORY;
    }
    double *pdf = table->tail;
    int64_t reached = 1;
    pdf[0] = 1;
    for (int j = 0; j < width; j++) {
        const int64_t before = reached;
        for (int a = 0; a < 4; a++) reached = gw_max(reached, before + rounded[j][a]);
        memset(scratch, 0, (size_t)reached * sizeof *scratch);
        for (int a = 0; a < 4; a++)
            for (int64_t k = 0; k < before; k++) scratch[k + rounded[j][a]] += pdf[k] * background[a];
        memcpy(pdf, scratch, (size_t)reached * sizeof *scratch);
    }
    free(scratch);
    for (int64_t k = table->bins - 2; k >= 0; k--) pdf[k] += pdf[k + 1];
    const int64_t first = GW_FIRST_NOT(k, table->bins, pdf[k] >= p_value);
    table->threshold = first < table->bins ? (float)((double)(first + table->smallest) * bin_size) : INFINITY;
    return GW_OK;
}

// A score can lie above the last bin, as that is a sum of rounded numbers.
static double p_value_of(const score_table *table, double score) {
    const int64_t bin = (int64_t)(score / bin_size) - table->smallest;
    return table->tail[gw_max(0, gw_min(bin, table->bins - 1))];
}

// --- the filter ------------------------------------------------------------------------------------------------------

// How many pairs to test before asking whether a window of LANES is left: the fewest operations for random sequence.
static int choose_tested(const matrix *m) {
    double share[LIMIT + 1] = {1}, least = INFINITY;
    int best = 1;
    for (int p = 0; p < m->pairs && p < MOST_TESTED; p++) {
        double next[LIMIT + 1] = {0}, left = 0;
        for (int s = 0; s <= LIMIT; s++)
            for (int c = 0; share[s] > 0 && c < 16; c++)
                if (s + m->loss[p][c] <= LIMIT) next[s + m->loss[p][c]] += share[s] / 16;
        for (int s = 0; s <= LIMIT; s++) left += next[s];
        memcpy(share, next, sizeof share);
        const double operations = 3 * (p + 1) + 2 + (1 - pow(1 - left, LANES)) * (3 * (m->pairs - p) + 4);
        if (operations < least) least = operations, best = p + 1;
    }
    return best;
}

static gw_status fill_filter(matrix *m) {
    double lost[MOST_PAIRS][16], told[MOST_PAIRS], largest = 0;
    m->pairs = (m->width + 1) / 2;
    m->loss = gw_alloc(m->pairs, sizeof *m->loss);
    if (!m->loss) return GW_ERR_MEMORY;
    for (int p = 0; p < m->pairs; p++) {
        double most = -INFINITY;
        for (int c = 0; c < 16; c++) {
            lost[p][c] = m->weights[2 * p][c % 4] + (2 * p + 1 < m->width ? m->weights[2 * p + 1][c / 4] : 0);
            most = fmax(most, lost[p][c]);
        }
        for (int c = 0; c < 16; c++) lost[p][c] = most - lost[p][c];
        largest += most;
    }
    // The margin is far above what the order of additions changes, and far below a step.
    const double step = (fmax(largest - m->table->threshold, 0) + 1e-6) / LIMIT;
    for (int p = 0; p < m->pairs; p++) {
        told[p] = 0;
        for (int c = 0; c < 16; c++) told[p] += fmin(lost[p][c] / step, LIMIT + 1);
    }
    for (int i = 0; i < m->pairs; i++) {
        int best = 0;
        for (int p = 1; p < m->pairs; p++)
            if (told[p] > told[best]) best = p;
        m->offset[i] = (uint8_t)(2 * best);
        for (int c = 0; c < 16; c++) m->loss[i][c] = (uint8_t)fmin(lost[best][c] / step, LIMIT + 1);
        told[best] = -1;
    }
    m->tested = choose_tested(m);
    return GW_OK;
}

static int64_t filter_windows(const matrix *m, const uint8_t *codes, int64_t windows, int32_t *left) {
    int64_t count = 0;
    for (int64_t x = 0; x < windows; x++) {
        int sum = 0, p = 0;
        while (p < m->pairs && sum <= LIMIT) sum += m->loss[p][codes[x + m->offset[p]]], p++;
        if (sum <= LIMIT) left[count++] = (int32_t)x;
    }
    return count;
}

#ifdef __x86_64__
#define VECTOR __attribute__((target("avx2")))
#define VECTOR_INLINE VECTOR __attribute__((always_inline)) static inline
enum { PARTS = LANES / 32 };

VECTOR_INLINE __m256i add_losses(__m256i sum, __m256i table, const uint8_t *codes) {
    return _mm256_adds_epu8(sum, _mm256_shuffle_epi8(table, _mm256_loadu_si256((const __m256i *)codes)));
}

VECTOR_INLINE __m256i table_of(const matrix *m, int pair) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)m->loss[pair]));
}

VECTOR_INLINE int64_t filter_tested(const matrix *m, const uint8_t *codes, int64_t windows, int32_t *left, int tested) {
    const __m256i limit = _mm256_set1_epi8((char)LIMIT), zero = _mm256_setzero_si256();
    __m256i tables[MOST_TESTED];
    const uint8_t *at[MOST_TESTED];
    int64_t count = 0;
#pragma GCC unroll 6
    for (int p = 0; p < tested; p++) tables[p] = table_of(m, p), at[p] = codes + m->offset[p];
    for (int64_t x = 0; x < windows; x += LANES) {
        __m256i sums[PARTS];
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++) {
            sums[i] = zero;
#pragma GCC unroll 6
            for (int p = 0; p < tested; p++) sums[i] = add_losses(sums[i], tables[p], at[p] + x + 32 * i);
        }
        const __m256i least = _mm256_min_epu8(_mm256_min_epu8(sums[0], sums[1]), _mm256_min_epu8(sums[2], sums[3]));
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_subs_epu8(least, limit), zero)) == 0) continue;
        for (int i = 0; i < PARTS; i++) {
            __m256i sum = sums[i];
            for (int p = tested; p < m->pairs; p++)
                sum = add_losses(sum, table_of(m, p), codes + m->offset[p] + x + 32 * i);
            uint32_t kept = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_subs_epu8(sum, limit), zero));
            for (; kept; kept &= kept - 1) {
                const int64_t window = x + 32 * i + __builtin_ctz(kept);
                if (window < windows) left[count++] = (int32_t)window;
            }
        }
    }
    return count;
}

VECTOR static int64_t filter_vectors(const matrix *m, const uint8_t *codes, int64_t windows, int32_t *left) {
    switch (m->tested) { // so that the first test's tables stay in registers
    case 1: return filter_tested(m, codes, windows, left, 1);
    case 2: return filter_tested(m, codes, windows, left, 2);
    case 3: return filter_tested(m, codes, windows, left, 3);
    case 4: return filter_tested(m, codes, windows, left, 4);
    case 5: return filter_tested(m, codes, windows, left, 5);
    default: return filter_tested(m, codes, windows, left, 6);
    }
}
#endif

// --- the scanner -----------------------------------------------------------------------------------------------------

typedef struct {
    gw_motif_scanner *scanner;
    const gw_motifs *motifs;
    double background[4], p_value;
    int strands;
    atomic_bool failed;
} preparation;

static gw_status prepare_motif(const preparation *work, int64_t number) {
    const gw_motif *motif = &work->motifs->items[number];
    score_table *table = &work->scanner->tables[number];
    matrix *strands = work->scanner->matrices + number * work->strands;
    for (int s = 0; s < work->strands; s++) {
        matrix *m = &strands[s];
        *m = (matrix){.table = table, .width = motif->width, .motif = (int32_t)number, .reverse = s == 1};
        m->weights = gw_alloc(m->width, sizeof *m->weights);
        if (!m->weights) return GW_ERR_MEMORY;
        for (int j = 0; j < m->width; j++)
            for (int a = 0; a < 4; a++)
                m->weights[s ? m->width - 1 - j : j][s ? 3 - a : a] =
                    log2(motif->columns[j][a] + pseudo_probability) - log2(work->background[a]);
    }
    GW_TRY(fill_table(table, (const double(*)[4])strands[0].weights, motif->width, work->background, work->p_value));
    for (int s = 0; s < work->strands; s++)
        if (isfinite(table->threshold)) GW_TRY(fill_filter(&strands[s]));
    return GW_OK;
}

static void prepare_motifs(void *context, int64_t begin, int64_t end, int thread) {
    preparation *work = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (prepare_motif(work, i) != GW_OK) atomic_store(&work->failed, true);
}

gw_status gw_motif_scanner_make(const gw_motifs *motifs, double p_value, bool one_strand, gw_motif_scanner **out) {
    preparation work = {.motifs = motifs, .p_value = p_value, .strands = one_strand ? 1 : 2};
    for (int a = 0; a < 4; a++)
        work.background[a] =
            one_strand ? motifs->background[a] : (motifs->background[a] + motifs->background[3 - a]) / 2;
    gw_motif_scanner *scanner = gw_alloc(1, sizeof *scanner);
    *out = NULL;
    if (!scanner) return GW_ERR_MEMORY;
    scanner->count = motifs->count * work.strands, scanner->strands = work.strands;
    for (int64_t i = 0; i < motifs->count; i++) scanner->widest = (int)gw_max(scanner->widest, motifs->items[i].width);
    scanner->tables = gw_alloc(motifs->count, sizeof *scanner->tables);
    scanner->matrices = gw_alloc(scanner->count, sizeof *scanner->matrices);
    scanner->filter = filter_windows;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) scanner->filter = filter_vectors;
#endif
    work.scanner = scanner;
    if (!scanner->matrices) scanner->count = 0;
    if (scanner->tables && scanner->matrices) gw_parallel_for(motifs->count, 8, prepare_motifs, &work);
    if (!scanner->tables || !scanner->matrices || atomic_load(&work.failed)) {
        gw_motif_scanner_free(scanner);
        return gw_fail(GW_ERR_MEMORY, "out of memory for %lld motifs", (long long)motifs->count);
    }
    *out = scanner;
    return GW_OK;
}

void gw_motif_scanner_free(gw_motif_scanner *scanner) {
    if (!scanner) return;
    for (int64_t i = 0; i < scanner->count; i++) {
        if (!scanner->matrices[i].reverse && scanner->tables) free(scanner->tables[scanner->matrices[i].motif].tail);
        free(scanner->matrices[i].weights);
        free(scanner->matrices[i].loss);
    }
    free(scanner->tables);
    free(scanner->matrices);
    free(scanner);
}

// --- sequences -------------------------------------------------------------------------------------------------------

// Windows that begin in [begin, begin + BLOCK) of a run of known bases, which ends at `end`; and their sites.
typedef struct {
    int64_t begin, end;
    gw_motif_sites sites;
} block;

typedef struct {
    const gw_motif_scanner *scanner;
    const char *bases;
    block *blocks;
    atomic_bool failed;
} scan_work;

static int code_of(char base) {
    return base == 'A' ? 0 : base == 'C' ? 1 : base == 'G' ? 2 : base == 'T' ? 3 : -1;
}

int64_t gw_motif_scanner_reach(const gw_motif_scanner *scanner) {
    return scanner->widest - 1;
}

int64_t gw_motif_scanner_width(const gw_motif_scanner *scanner, int32_t motif) {
    return scanner->matrices[(int64_t)motif * scanner->strands].width;
}

double gw_motif_score(const gw_motif_scanner *scanner, int32_t motif, bool reverse, const char *bases) {
    if (reverse && scanner->strands == 1) return -INFINITY;
    const matrix *m = &scanner->matrices[(int64_t)motif * scanner->strands + reverse];
    double score = 0;
    for (int j = 0; j < m->width; j++) {
        const int base = code_of(bases[j]);
        if (base < 0) return -INFINITY;
        score += m->weights[j][base];
    }
    return score;
}

// Orders by begin; motifs and strands stay in order.
static gw_status sort_sites(block *b) {
    gw_motif_site *sorted = gw_alloc(b->sites.count, sizeof *sorted);
    int64_t *next = gw_alloc(BLOCK + 1, sizeof *next);
    if (!sorted || !next) {
        free(sorted);
        free(next);
        return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < b->sites.count; i++) next[b->sites.items[i].begin - b->begin + 1]++;
    for (int i = 0; i < BLOCK; i++) next[i + 1] += next[i];
    for (int64_t i = 0; i < b->sites.count; i++) sorted[next[b->sites.items[i].begin - b->begin]++] = b->sites.items[i];
    free(b->sites.items);
    free(next);
    b->sites.items = sorted, b->sites.capacity = b->sites.count;
    return GW_OK;
}

static gw_status scan_block(const scan_work *work, block *b) {
    uint8_t base[BLOCK + GW_MOTIF_WIDEST], codes[BLOCK + GW_MOTIF_WIDEST + LANES] = {0};
    int32_t left[BLOCK];
    const int64_t known = gw_min(b->end - b->begin, (int64_t)sizeof base);
    for (int64_t i = 0; i < known; i++) base[i] = (uint8_t)code_of(work->bases[b->begin + i]);
    for (int64_t i = 0; i < known; i++) codes[i] = (uint8_t)(base[i] | (i + 1 < known ? base[i + 1] << 2 : 0));
    for (int64_t k = 0; k < work->scanner->count; k++) {
        const matrix *m = &work->scanner->matrices[k];
        const int64_t windows = gw_min(BLOCK, b->end - b->begin - m->width + 1);
        if (!m->loss || windows <= 0) continue;
        const int64_t count = work->scanner->filter(m, codes, windows, left);
        for (int64_t i = 0; i < count; i++) {
            double score = 0;
            for (int j = 0; j < m->width; j++) score += m->weights[j][base[left[i] + j]];
            if (!(score > m->table->threshold)) continue;
            GW_TRY(gw_reserve(&b->sites.items, &b->sites.capacity, b->sites.count + 1, sizeof *b->sites.items));
            b->sites.items[b->sites.count++] =
                (gw_motif_site){b->begin + left[i], m->motif, m->reverse, score, p_value_of(m->table, score)};
        }
    }
    return b->sites.count > 0 ? sort_sites(b) : GW_OK;
}

static void scan_blocks(void *context, int64_t begin, int64_t end, int thread) {
    scan_work *work = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (scan_block(work, &work->blocks[i]) != GW_OK) atomic_store(&work->failed, true);
}

gw_status gw_motif_scan(const gw_motif_scanner *scanner, const char *bases, int64_t count, gw_motif_sites *sites) {
    scan_work work = {.scanner = scanner, .bases = bases};
    int64_t blocks = 0, capacity = 0, found = sites->count;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count;) {
        if (code_of(bases[i]) < 0) {
            i++;
            continue;
        }
        int64_t end = i;
        while (end < count && code_of(bases[end]) >= 0) end++;
        for (; status == GW_OK && i < end; i += BLOCK) {
            status = gw_reserve(&work.blocks, &capacity, blocks + 1, sizeof *work.blocks);
            if (status == GW_OK) work.blocks[blocks++] = (block){.begin = i, .end = end};
        }
        i = end;
    }
    if (status == GW_OK) gw_parallel_for(blocks, 1, scan_blocks, &work);
    if (status == GW_OK && atomic_load(&work.failed)) status = gw_fail(GW_ERR_MEMORY, "out of memory for motif sites");
    for (int64_t i = 0; i < blocks; i++) found += work.blocks[i].sites.count;
    if (status == GW_OK) status = gw_reserve(&sites->items, &sites->capacity, found, sizeof *sites->items);
    for (int64_t i = 0; i < blocks; i++) {
        const gw_motif_sites *of = &work.blocks[i].sites;
        if (status == GW_OK && of->count > 0) {
            memcpy(sites->items + sites->count, of->items, (size_t)of->count * sizeof *of->items);
            sites->count += of->count;
        }
        free(of->items);
    }
    free(work.blocks);
    return status;
}
