// SPDX-License-Identifier: MIT
// Predictions of models, written row by row.
#ifndef GW_TASK_PREDICT_H
#define GW_TASK_PREDICT_H

#include "task/input.h"

typedef enum { GW_ROWS_TSV, GW_ROWS_JSONL } gw_rows_format; // a line, or an object, for each row
#define GW_ROWS_FORMATS "tsv|jsonl"

typedef struct {
    gw_task_input in;
    // For windows: regions, if there is no set; FASTA without either is read as sequences, with a row each
    const char *regions, *regions_file; // gw_regions_parse(), BED
    const char *aliases;                // other names of the genome's contigs (gw_genome_read_aliases()); or NULL
    const char *genes;                  // annotation for a column of the genes that a window overlaps; NULL: none
    const char *split;                  // "train", "valid", "test", "all"
    const char *bigwig, *bedgraph;      // folder for tracks instead of the table (windows/tracks.h); NULL: none
    int64_t step;                       // bp of a tile; 0: the model's bin, or a tenth of its window
    gw_string_list controls;            // for profiles of counts: control tracks (network/controls.h)
    double least;                       // for bases: smallest probability of a class in its intervals; 0: the largest
                                        // class
    // For texts
    gw_rows_format format;
    bool logits;     // instead of probabilities
    bool submission; // index from 0 and prediction, for submission to GLUE
    // For question sets (predict_questions.h)
    int64_t best;            // number of answers to each question; 0: one
    const char *predictions; // file in the official script's format; NULL: none
    const char *no_answer;   // file with {id: none - best answer}; NULL: none
} gw_predict_options;

// Writes the models' predictions, by the kind of their data (data_kind.h); several models are averaged if the kind
// allows.
gw_status gw_predict(gw_model *const *models, int count, const gw_predict_options *options) GW_MUST_CHECK;

#endif
