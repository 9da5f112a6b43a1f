// SPDX-License-Identifier: MIT
// A batch: the inputs and labels of one run of a network. For each stream that a network declares, the batch holds
// sequences, end to end, without padding. For each row set, the batch holds rows picked from a stream.
//
// Each network defines the meaning of each stream and row set by number (lib/network/network.h for language models).
// Builders allocate a batch and append to it. A caller that reads one batch may also set the pointers to its own
// memory.
#ifndef GW_BASE_BATCH_H
#define GW_BASE_BATCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BATCH_ROWS = 14 }; // most streams and row sets

// A stream or a row set. Unused pointers are NULL.
typedef struct {
    int64_t count;     // rows; rows of a stream begin at `start`
    int64_t sequences; // of a stream
    int64_t *start;    // of a stream: [sequences + 1] first row of each sequence; start[sequences] = count
    int64_t pad_to; // of a stream: attention graphs are made as for sequences padded to this number of rows; 0: as in
                    // the model
    int64_t first;  // of a stream: number of its first row within the step, for dropout (micro-batches count on)
    int32_t *row;   // of a row set: [count] rows of its stream
    int32_t *token, *segment, *position; // [count]
    uint8_t *global; // of a stream: [count] 1: attends to all tokens, and all tokens attend to it (graphs by structure)
    float *scale;    // of a stream: [count] factor of the embedding of each token
    int32_t *prefix; // of a stream: [sequences] number of rows of the question at the start of each sequence
    int32_t *link; // of a stream: [count] index within the sequence, from 0, of the global token linked with this row;
                   // -1: none
    int32_t *part; // of a stream: [count] part of the sequence; local attention does not cross parts
    int32_t *begin, *end; // of a stream of global tokens: [count] rows that this token summarises, counted from the
                          // start of the sequence of the same index in the other stream; begin -1: none
    int32_t *label;       // [count][classes to predict] negative: no label
    float *number;        // [count][labels] 0 or 1, or any number; NaN: no label
    int64_t most, most_sequences; // capacities of rows and of sequences, for builders
} gw_rows;

typedef struct {
    gw_rows of[GW_BATCH_ROWS];
    uint32_t step; // counter of dropout draws
} gw_batch;

// Arrays that gw_rows_make() allocates, in addition to `start` if the rows have sequences.
enum {
    GW_WITH_ROW = 1,
    GW_WITH_TOKEN = 2,
    GW_WITH_SEGMENT = 4,
    GW_WITH_LABEL = 8,
    GW_WITH_PART = 16,
    GW_WITH_SPAN = 32,
    GW_WITH_LINK = 64
};

// Allocates `most` rows and `most_sequences` sequences. Free the rows with gw_batch_free(), also after a failure.
gw_status gw_rows_make(gw_rows *rows, int64_t most, int64_t most_sequences, unsigned with) GW_MUST_CHECK;
void gw_batch_free(gw_batch *batch);
void gw_batch_clear(gw_batch *batch); // removes all rows; keeps the capacities
// Whether a sequence of `count` rows fits behind the present rows.
bool gw_rows_fit(const gw_rows *stream, int64_t count);
// Ends a sequence with the rows that were added since the last sequence ended.
void gw_rows_end_sequence(gw_rows *stream);
// Fills `coarser`, which has the capacity, with the same sequences at one row for each `factor` rows, rounded up.
// Dropout numbers its rows from finer->first; there are never more rows than in `finer`.
void gw_rows_coarsen(const gw_rows *finer, int factor, gw_rows *coarser);
// Removes the last sequence.
void gw_rows_drop_sequence(gw_rows *stream);

#endif
