// SPDX-License-Identifier: MIT
// Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011).
//
// A draw is a pure function of (seed, site, a, b, index). There is no state to save, and the numbers do not depend on
// the number of threads, the batches or the backend. `site` is a constant for each place of use, so that two uses never
// share draws.
#ifndef GW_BASE_RANDOM_H
#define GW_BASE_RANDOM_H

#include <stdint.h>

// Places of use. Results of saved seeds depend on the values: append, never renumber.
typedef enum {
    GW_SITE_CORPUS = 1,     // a: contig index, b: repeat and strand
    GW_SITE_SHUFFLE = 2,    // a: epoch
    GW_SITE_PAIR = 3,       // a: example index (sentence pairs)
    GW_SITE_MASK = 4,       // a: example index (masked tokens)
    GW_SITE_INIT = 5,       // a: tensor index
    GW_SITE_DROPOUT = 6,    // a: step, b: layer and place
    GW_SITE_NEGATIVE = 7,   // a: example index (negatives of labelled sets)
    GW_SITE_TEST = 8,       // tests only
    GW_SITE_EVAL_PAIR = 9,  // a: example index
    GW_SITE_AUGMENT = 10,   // a: example index (strand of a training example)
    GW_SITE_PATTERN = 11,   // a: 2^32 layer + block row, b: head (random blocks of attention patterns)
    GW_SITE_TEXT = 12,      // sample of bases
    GW_SITE_LINKS = 13,     // a: node or size, b: kind of random graph
    GW_SITE_PROOF = 14,     // godwit-theory; a: draw, b: place
    GW_SITE_WINDOW = 15,    // a: example index (windows of a genome), b: 1 for the draw whether masked repeats count
    GW_SITE_GENERATE = 16,  // a: target, b: its token (sampling)
    GW_SITE_BOOTSTRAP = 17, // a: sample (resampled means)
    GW_SITE_SBM = 18,       // a: step and layer, b: head; for seeds drawn from these, a: query or sequence (sampled
                            // graphs)
    GW_SITE_QUESTION = 19,  // a: question, b: window of its context (windows that training omits)
    GW_SITE_FEATURES = 20,  // a: draw, b: layer (random features)
    GW_SITE_PROBE = 21,     // a: training row (rows that a seed omits)
    GW_SITE_ARENA = 22,     // a: example, b: task and split (data/arena)
    GW_SITE_NULL = 23,      // a, b: a hash of a variant (neutral variants beside it)
    GW_SITE_HALVES = 24,    // a: window (halves of its counts)
    GW_SITE_DESIGN = 25,    // a: sequence (edits of annealing; random starts)
    GW_SITE_REFERENCE = 26, // a: region, b: reference (shuffled dinucleotides)
} gw_random_site;

// One block of four 32-bit words: counter (4 words) and key (2 words) in, out[4].
void gw_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// A stream of draws for one (seed, site, a, b). It is cheap to make and lives on the stack.
typedef struct {
    uint32_t key[2], counter[4], block[4];
    int used; // words of block that were returned
} gw_random;

// a has 48 significant bits, b has 16; further bits of a and b are mixed in by exclusive or. A stream holds 2^32
// blocks.
gw_random gw_random_at(uint64_t seed, gw_random_site site, uint64_t a, uint32_t b);
uint32_t gw_random_u32(gw_random *random);
// Uniform in [0, n), unbiased (rejection); n > 0.
uint64_t gw_random_below(gw_random *random, uint64_t n);
// Uniform in [low, high], both included.
int64_t gw_random_between(gw_random *random, int64_t low, int64_t high);
// Uniform in [0, 1) with 24 bits, and a standard normal (Box-Muller).
float gw_random_uniform(gw_random *random);
float gw_random_normal(gw_random *random);

#endif
