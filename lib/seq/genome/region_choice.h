// SPDX-License-Identifier: MIT
// The regions that a command line chooses, by bcftools' options: -r/-R name regions, -t/-T cut them down to targets, or
// with a leading ^ to what lies outside them.
#ifndef GW_SEQ_GENOME_REGION_CHOICE_H
#define GW_SEQ_GENOME_REGION_CHOICE_H

#include "base/status.h"
#include "seq/genome/regions.h"

#include <stdbool.h>

typedef struct {
    const char *regions, *regions_file; // NULL, both: every contig
    const char *targets, *targets_file; // NULL, both: nothing is cut
} gw_region_choice;

bool gw_region_choice_is_empty(const gw_region_choice *choice);
// Appends the chosen regions: those of -r as typed, then those of -R as in the file. Targets join where they overlap or
// touch; each piece of a region that they leave becomes a region (its name and strand are kept).
gw_status gw_regions_choose(gw_regions *regions, gw_genome *genome, const gw_region_choice *choice) GW_MUST_CHECK;

#endif
