// SPDX-License-Identifier: MIT
// Documents from a contig (BigBird, appendix F.1): from a random start, consecutive documents of `sentences` sentences
// with `sentence_length` bases each, up to the end of the contig. This is repeated for every repeat and, if requested,
// on both strands.
//
// The last short sentence and document are kept. A run of more than GW_LONG_N_RUN N ends the document, and the next
// document starts behind the run. All draws are a function of (seed, contig, repeat, strand).
#ifndef GW_DATA_CORPUS_H
#define GW_DATA_CORPUS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_LONG_N_RUN = 10 };

typedef struct {
    int64_t repeats;
    int64_t sentences[2];       // in a document, least and most
    int64_t sentence_length[2]; // bp, least and most
    int64_t max_offset;         // the start is uniform in [0, max_offset], bp
    bool both_strands;
    uint64_t seed;
} gw_cut_options;

typedef struct {
    int64_t begin, end; // 0-based half-open on the contig's forward strand
    char strand;        // '+' or '-'
    bool first;         // the first sentence of its document
} gw_cut;
typedef gw_status (*gw_cut_sink)(void *context, const gw_cut *cut);

// Passes the sentences of a contig, bases[length] with normalised letters, to `sink`: for each repeat the forward
// strand, then the reverse strand in its own reading order. `contig` is the contig's number (48 bits) for the draws.
gw_status gw_cut_documents(const gw_cut_options *options, const char *bases, int64_t length, uint64_t contig,
                           gw_cut_sink sink, void *context) GW_MUST_CHECK;

// A genome as a corpus: documents of all contigs, or of chosen regions, as text.
//
// One sentence a line, an empty line between documents. A genome without regions is read from beginning to end, with
// one contig in memory at a time. With a .fai, regions or targets it is read through gw_genome, one region at a time.
// Both ways give the same bytes.

typedef struct {
    const char *fasta;        // "-": standard input
    const char *output;       // NULL or "-": standard output; BGZF if it ends in .gz
    const char *positions;    // BED6 of the sentences, in their order; NULL: none
    const char *regions;      // "chr:beg-end,...": each counts as a contig; NULL: all contigs
    const char *regions_file; // BED, with the same meaning
    const char *targets;      // sequence outside these (with a leading ^: inside) is skipped; NULL: none
    const char *targets_file; // BED, with the same meaning (^ before its name)
    const char *exclude;      // exact names of contigs to skip, joined by commas
    const char *chr_map;      // other names of contigs, for regions and targets
    int64_t min_contig;       // shorter contigs or regions are skipped, bp
    gw_cut_options cut;
} gw_corpus_options;

typedef struct {
    int64_t contigs, documents, sentences, bases;
} gw_corpus_counts;

gw_status gw_corpus_write(const gw_corpus_options *options, gw_corpus_counts *counts) GW_MUST_CHECK;

#endif
