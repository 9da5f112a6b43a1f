// SPDX-License-Identifier: MIT
// Which genomes a model was trained on, kept in its folder as training.chrom.sizes (seq/genome/contig_sizes.h): scores
// of another genome look like any others, and mean little. A folder without the file does not say it.
#ifndef GW_TASK_TRAINED_ON_H
#define GW_TASK_TRAINED_ON_H

#include "model/model.h"
#include "seq/genome/contig_sizes.h"

// Writes the file of a model that was trained on these genomes after those of `start`, the folder that it began with
// (NULL: fresh weights). Where either is unknown nothing is written.
gw_status gw_trained_on_write(const char *folder, const char *start, const gw_contig_sizes *genomes) GW_MUST_CHECK;
// The same of the genome of labelled sequences. NULL: they are taken to be of those of `start`, and a note says so, or
// that nothing is known.
gw_status gw_trained_on_write_genome(const char *folder, const char *start, gw_genome *genome) GW_MUST_CHECK;
// The MD5 of a genome in the model's config.
gw_status gw_keep_reference(gw_genome *genome, gw_config *config) GW_MUST_CHECK;

// Warns of a genome of which less than half lies on contigs that the model was trained on (gw_contig_sizes_share());
// notes that a model which godwit has trained does not know its genome. The folder may be the name of an installed
// model, and is the one that `model` was loaded from.
gw_status gw_trained_on_check(const char *folder, const gw_model *model, const gw_genome *genome) GW_MUST_CHECK;

#endif
