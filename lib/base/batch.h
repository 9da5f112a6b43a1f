// SPDX-License-Identifier: MIT
// A batch: for every stream that a network declares its sequences, laid end to end without padding, and for every row
// set the rows that are picked from a stream; with each their integer inputs and their labels.
//
// What stands under which number is the network's to say (lib/network/network.h for language models). A builder makes
// room and appends; a reader of one batch may as well point to memory of its own.
#ifndef GW_BASE_BATCH_H
#define GW_BASE_BATCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BATCH_ROWS = 14 }; // most streams and row sets

// A stream or a row set. Pointers are NULL where there is nothing to say.
typedef struct {
    int64_t count;     // rows; a network takes those of a stream from `start`
    int64_t sequences; // of a stream
    int64_t *start;    // of a stream: [sequences + 1] first row of each sequence; start[sequences] = count
    int64_t pad_to;    // of a stream: graphs are those of sequences padded to so many rows; 0: as the model has it
    int64_t first;     // of a stream: number of its first row within the step, for dropout (micro-batches follow on)
    int32_t *row;      // of a row set: [count] rows of its stream
    int32_t *token, *segment, *position; // [count]
    uint8_t *global; // of a stream: [count] 1: attends to all tokens and all to it (graphs by structure)
    float *scale;    // of a stream: [count] what the embeddings of its tokens are multiplied by
    int32_t *prefix; // of a stream: [sequences] rows of the question that a sequence begins with
    int32_t *link; // of a stream: [count] the global token of its sequence, from 0, that a row is linked with; -1: none
    int32_t *part; // of a stream: [count] parts of a sequence that near tokens do not read across
    int32_t *begin, *end; // of a stream of global tokens: [count] rows of another's sequence of the same number,
                          // counted within it, that a token stands for; begin -1: none
    int32_t *label;       // [count][classes to tell] negative: none
    float *number;        // [count][labels] 0 or 1, or any number; NaN: none
    int64_t most, most_sequences; // capacities, of builders
} gw_rows;

typedef struct {
    gw_rows of[GW_BATCH_ROWS];
    uint32_t step; // counter of dropout draws
} gw_batch;

// What gw_rows_make() makes room for, besides `start` where there are to be sequences.
enum {
    GW_WITH_ROW = 1,
    GW_WITH_TOKEN = 2,
    GW_WITH_SEGMENT = 4,
    GW_WITH_LABEL = 8,
    GW_WITH_PART = 16,
    GW_WITH_SPAN = 32,
    GW_WITH_LINK = 64
};

// Room for so many rows and sequences, in memory of its own; gw_batch_free() it, also on failure.
gw_status gw_rows_make(gw_rows *rows, int64_t most, int64_t most_sequences, unsigned with) GW_MUST_CHECK;
void gw_batch_free(gw_batch *batch);
void gw_batch_clear(gw_batch *batch); // no rows; capacities stay
// Whether a sequence of `count` rows fits behind those that there are.
bool gw_rows_fit(const gw_rows *stream, int64_t count);
// Ends a sequence with the rows that were added since the last one ended.
void gw_rows_end_sequence(gw_rows *stream);
// Makes `coarser`, which has the room, the stream of the same sequences with one row for each `factor` rows of one,
// rounded up. Dropout draws for its rows begin at finer->first, as there are never more of them.
void gw_rows_coarsen(const gw_rows *finer, int factor, gw_rows *coarser);
// Takes the last sequence out again.
void gw_rows_drop_sequence(gw_rows *stream);

#endif
