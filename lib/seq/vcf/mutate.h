// SPDX-License-Identifier: MIT
// Saturation mutagenesis: every single-base change of some regions as VCF, one record for each ALT, in the genome's
// order. Bases that are not A, C, G or T are skipped; overlapping regions give each change once.
#ifndef GW_SEQ_VCF_MUTATE_H
#define GW_SEQ_VCF_MUTATE_H

#include "base/status.h"
#include "seq/genome/region_choice.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *output;           // NULL or "-": standard output
    bool bgzf;                    // compressed output
    const char *source, *command; // for the header: ##source, ##godwit_command
} gw_mutate_options;

// Writes the changes of all regions, which it sorts and merges. *count: records written.
gw_status gw_mutate_write(gw_genome *genome, gw_regions *regions, const gw_mutate_options *options,
                          int64_t *count) GW_MUST_CHECK;

#endif
