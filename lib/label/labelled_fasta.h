// SPDX-License-Identifier: MIT
// The records of a FASTA file as a part (labelled_set.h). Private to lib/label.
#ifndef GW_LABEL_LABELLED_FASTA_H
#define GW_LABEL_LABELLED_FASTA_H

#include "label/labelled_options.h"
#include "label/labelled_source.h"

// Of the one label "positive" with the value 1 or 0 in all records, or (GW_UNLABELLED) of none.
typedef enum { GW_NEGATIVES, GW_POSITIVES, GW_UNLABELLED } gw_fasta_label;

// Records are named by their header up to the first blank; several may have one name. Those of the wanted split are
// taken where options->tenth has splits. Errors name file and record: one without bases, a letter that stands for no
// nucleotide, one longer than `most` bp (0: any).
gw_status gw_labelled_fasta_read(const char *path, const gw_labelled_options *options, gw_fasta_label label,
                                 int64_t most, gw_labelled_source *part) GW_MUST_CHECK;

#endif
