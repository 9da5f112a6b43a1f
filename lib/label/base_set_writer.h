// SPDX-License-Identifier: MIT
// A set of labelled bases: windows on either strand, and the classes of their bases as intervals.
//
// PREFIX.bed.gz, .labels, .names.tsv and .json are a set of regions (label/labelled_set.h); its labels say which
// classes occur in a window. PREFIX.classes.bed.gz has the intervals, with the class in column 4 and the strand in
// column 6. Intervals on a strand do not overlap; if classes may overlap, those of one class do not. Bases without an
// interval have the class none.
#ifndef GW_LABEL_BASE_SET_WRITER_H
#define GW_LABEL_BASE_SET_WRITER_H

#include "label/base_classes.h"
#include "label/held_out.h"

#include <stdbool.h>

enum { GW_BASE_SET_KMER = 31 };

typedef struct {
    int64_t window;              // bp; the last window of a stretch may be shorter
    const gw_gene_models *genes; // windows lie in genes, on the gene's strand; NULL: everywhere, on both strands
    bool overlap;                // a base has all of its classes, not only the last
    bool labelled_only;          // only windows with at least one class
    bool keep_shared;            // see gw_base_set_counts
    const char *command;         // written to PREFIX.json; may be NULL
} gw_base_set_options;

typedef struct {
    int64_t windows[GW_SPLITS];
    int64_t touching;   // windows that touch held-out or excluded sequence of another split
    int64_t unlabelled; // dropped by labelled_only
    int64_t shared;     // training or validation windows that share a tenth of their 31-mers with windows held out from
                        // them
} gw_base_set_counts;

// Writes `prefix` with the endings above, one contig at a time.
gw_status gw_base_set_write(gw_genome *genome, const gw_base_intervals *intervals, const gw_held_out *held_out,
                            const gw_base_set_options *options, const char *prefix,
                            gw_base_set_counts *counts) GW_MUST_CHECK;

#endif
