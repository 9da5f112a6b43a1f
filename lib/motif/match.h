// SPDX-License-Identifier: MIT
// Which known motif a matrix is like: Tomtom's complete score (Gupta et al., Genome Biology 2007; Tanaka et al.,
// Bioinformatics 2011).
//
// Columns are compared by their Euclidean distance, less the median of a query's column over all columns of the known
// motifs; a column outside of the overlap scores that median. Sums are cut into 100 bins. The p-value is that of the
// best sum over all offsets and both strands, where columns are drawn from those of the known motifs. It therefore
// depends on them: give a whole collection.
#ifndef GW_MOTIF_MATCH_H
#define GW_MOTIF_MATCH_H

#include "motif/motif.h"

typedef struct {
    int64_t motif; // number of the known motif
    double p_value;
    double score; // sum of the bins
    int offset;   // of the query's first column in the known motif (or its reverse complement); may be negative
    int overlap;  // columns
    bool reverse; // the known motif's reverse complement is meant
} gw_motif_match;

// The matrix of a stretch of bases with their contributions to a prediction (a seqlet): a column is as sure of its base
// as its contribution is near to the largest one, and else uniform. Where contributions sum to less than 0 they are
// negated. Contributions of the other sign, what is not finite, and N count as 0.
void gw_motif_of_contributions(const char *bases, const float *contributions, int64_t count, double (*columns)[4]);

// Compares a matrix of A, C, G, T with every motif of `known`: probabilities, or contributions (one-hot bases times
// their contributions). Fills matches[known->count], the smallest p-value first, equal ones in the order of `known`.
// Fails where the matrix has no column, more than GW_MOTIF_WIDEST, a value that is not finite, or only zeros.
// Computes on the calling thread alone, so callers may match many queries at once.
gw_status gw_motif_match_all(const gw_motifs *known, const double (*query)[4], int width,
                             gw_motif_match *matches) GW_MUST_CHECK;

#endif
