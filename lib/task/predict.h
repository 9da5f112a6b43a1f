// SPDX-License-Identifier: MIT
// What models predict, written row by row.
#ifndef GW_TASK_PREDICT_H
#define GW_TASK_PREDICT_H

#include "task/input.h"

typedef enum { GW_ROWS_TSV, GW_ROWS_JSONL } gw_rows_format; // a line, or an object, for each row
#define GW_ROWS_FORMATS "tsv|jsonl"

typedef struct {
    gw_task_input in;
    // Of windows: those of regions, where there is no set; FASTA without any is sequences, a row each
    const char *regions, *regions_file; // gw_regions_parse(), BED
    const char *aliases;                // other names of the genome's contigs (gw_genome_read_aliases()); or NULL
    const char *genes;                  // annotation: a column of the genes that a window overlaps; NULL: none
    const char *split;                  // "train", "valid", "test", "all"
    const char *bigwig, *bedgraph;      // folder of tracks instead of the table (windows/tracks.h); NULL: none
    int64_t step;                       // bp of a tile; 0: the model's bin, or a tenth of its window
    gw_string_list controls;            // of profiles of counts: control tracks (network/controls.h)
    double least;                       // of bases: probability of a class in its stretches; 0: the largest
    // Of texts
    gw_rows_format format;
    bool logits;     // instead of probabilities
    bool submission; // index from 0 and prediction, as GLUE takes it
    // Of question sets (predict_questions.h)
    int64_t best;            // answers to each question; 0: one
    const char *predictions; // as the official script takes them; NULL: none
    const char *no_answer;   // {id: none - best answer}; NULL: none
} gw_predict_options;

// Writes what the models say, by the kind of their data (data_kind.h): the mean over several where it has one.
gw_status gw_predict(gw_model *const *models, int count, const gw_predict_options *options) GW_MUST_CHECK;

#endif
