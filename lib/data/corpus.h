// SPDX-License-Identifier: MIT
// A genome as a corpus: documents of all its contigs, or of chosen regions, as text.
//
// One sentence a line, an empty line between documents. A genome without regions is read from beginning to end, one
// contig in memory at a time; with a .fai, regions or targets it is read through gw_genome, one region at a time. Both
// give the same bytes.
#ifndef GW_DATA_CORPUS_H
#define GW_DATA_CORPUS_H

#include "base/status.h"
#include "data/cut_documents.h"

#include <stdint.h>

typedef struct {
    const char *fasta;        // "-": standard input
    const char *output;       // NULL or "-": standard output; BGZF where it ends in .gz
    const char *positions;    // BED6 of the sentences, in their order; NULL: none
    const char *regions;      // "chr:beg-end,...": each counts as a contig; NULL: all contigs
    const char *regions_file; // BED, with the same meaning
    const char *targets;      // parts outside these (inside, after a leading ^) are left out; NULL: none
    const char *targets_file; // BED, with the same meaning (^ before its name)
    const char *exclude;      // exact names of contigs that are left out, joined by commas
    const char *chr_map;      // other names of contigs, for regions and targets
    int64_t min_contig;       // shorter contigs or regions are left out, bp
    gw_cut_options cut;
} gw_corpus_options;

typedef struct {
    int64_t contigs, documents, sentences, bases;
} gw_corpus_counts;

gw_status gw_corpus_write(const gw_corpus_options *options, gw_corpus_counts *counts) GW_MUST_CHECK;

#endif
