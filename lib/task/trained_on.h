// SPDX-License-Identifier: MIT
// The genomes that a model was trained on, stored in its folder as training.chrom.sizes (seq/genome/contig_sizes.h).
// Scores for another genome are of little use, but look the same. A folder may lack the file.
#ifndef GW_TASK_TRAINED_ON_H
#define GW_TASK_TRAINED_ON_H

#include "model/model.h"
#include "seq/genome/contig_sizes.h"

// Writes the file for a model trained on these genomes after those of the start folder `start` (NULL: fresh weights).
// If either is unknown no file is written.
gw_status gw_trained_on_write(const char *folder, const char *start, const gw_contig_sizes *genomes) GW_MUST_CHECK;
// The same with the genome of labelled sequences. NULL: the genomes are assumed to be those of `start`; a note says so,
// or that they are unknown.
gw_status gw_trained_on_write_genome(const char *folder, const char *start, gw_genome *genome) GW_MUST_CHECK;
// Stores the MD5 of a genome in the model's config.
gw_status gw_keep_reference(gw_genome *genome, gw_config *config) GW_MUST_CHECK;

// Warns if less than half of a genome lies on contigs that the model was trained on (gw_contig_sizes_share()). Prints a
// note if the genomes of a model trained by godwit are unknown. `folder`: the folder that `model` was loaded from, or
// the name of an installed model.
gw_status gw_trained_on_check(const char *folder, const gw_model *model, const gw_genome *genome) GW_MUST_CHECK;

#endif
