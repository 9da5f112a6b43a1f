// SPDX-License-Identifier: MIT
// Open reading frames by the standard code: from the first ATG behind a stop codon, or behind the sequence's begin, to
// the next stop codon in its frame.
#ifndef GW_TASK_BASES_ORFS_H
#define GW_TASK_BASES_ORFS_H

#include <stdint.h>

// For each of `count` bases (A, C, G, T, N) of one strand the length in bp of the longest frame, stop codon included,
// of which it is coding sequence between both codons, a base of the start, or of the stop codon; 0: none.
typedef struct {
    float *coding, *start, *stop; // [count]
} gw_orf_lengths;
void gw_find_orfs(const char *bases, int64_t count, gw_orf_lengths *out);

#endif
