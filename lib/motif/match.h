// SPDX-License-Identifier: MIT
// Comparison of a matrix with known motifs by Tomtom's complete score (Gupta et al., Genome Biology 2007; Tanaka et
// al., Bioinformatics 2011).
//
// The score of two columns is their Euclidean distance, minus the median of the query column's distances to all columns
// of the known motifs. A column outside the overlap scores this median. Sums are divided into 100 bins. The p-value is
// that of the best sum over all offsets and both strands, for columns drawn from the known motifs. It depends on these,
// so give a whole collection.
#ifndef GW_MOTIF_MATCH_H
#define GW_MOTIF_MATCH_H

#include "motif/motif.h"

typedef struct {
    int64_t motif; // index of the known motif
    double p_value;
    double score; // sum of the bins
    int offset;   // of the query's first column in the known motif (or in its reverse complement); may be negative
    int overlap;  // columns
    bool reverse; // matches the reverse complement of the known motif
} gw_motif_match;

// Makes a matrix from bases and their contributions to a prediction (a seqlet). The larger the contribution of a column
// compared with the largest one, the more probability its base has; the rest is uniform. If contributions sum to less
// than 0 they are negated. Contributions of the opposite sign, values that are not finite, and N count as 0.
void gw_motif_of_contributions(const char *bases, const float *contributions, int64_t count, double (*columns)[4]);

// Compares a matrix of A, C, G, T with every motif of `known`. The matrix has probabilities, or contributions (one-hot
// bases times their contributions). Fills matches[known->count] by ascending p-value, equal ones in the order of
// `known`. Fails if the matrix has no column, more than GW_MOTIF_WIDEST columns, a value that is not finite, or only
// zeros. Runs on the calling thread, so callers may match several queries in parallel.
gw_status gw_motif_match_all(const gw_motifs *known, const double (*query)[4], int width,
                             gw_motif_match *matches) GW_MUST_CHECK;

#endif
