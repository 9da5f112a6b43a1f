// SPDX-License-Identifier: MIT
// A set of regions (labelled_set.h) as a part. Private to lib/label.
#ifndef GW_LABEL_LABELLED_REGIONS_H
#define GW_LABEL_LABELLED_REGIONS_H

#include "label/labelled_options.h"
#include "label/labelled_source.h"

// `bed` is the region file that was found for `prefix`.
gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_source *part) GW_MUST_CHECK;

// The row of contig, begin and end, where the genome has that; the strand is '.'. *last_contig is that of the row
// before
// (-1: none), which is not looked up again.
gw_status gw_labelled_region_place(const gw_genome *genome, int *last_contig, char *const fields[3],
                                   gw_region_row *out) GW_MUST_CHECK;

#endif
