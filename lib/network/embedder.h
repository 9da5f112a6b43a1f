// SPDX-License-Identifier: MIT
// Vectors of sequences of any length, from a model's hidden states: a row for each tile (or each token), and a table of
// the rows.
//
// P is the number of positions of the model. Tile i of a sequence is [CLS], at most P - 2 tokens from token i (P - 2 -
// overlap) on, and [SEP]. The last tile ends at the end of the sequence. A row is made from the tile's hidden states
// after the chosen layer:
//   cls   the state of [CLS]
//   mean  the mean over the sequence's own tokens, without [CLS] and [SEP] (summed in double precision)
//   max   the largest value of each column over the same tokens
//   none  a row for every token, [CLS] and [SEP] included
//   sentence  the mean over all tokens of the tile
//   auto  the pooling of a folder of sentence-transformers (network/sentence_folder.h), several vectors joined; for
//         other folders cls
// Tiles are packed into batches without padding. A row does not depend on the other tiles of its batch.
//
// Columns of the table (positions are 0-based and half-open): name, contig, begin, end (bases that the tile covers),
// strand, tile (number in the sequence), first_token, end_token (in the sequence). With none, begin and end are those
// of the token, and there are two more columns: position (in the tile, [CLS] is 0) and token (its id). A run of N that
// a vocabulary calls one gap is one token. begin and end are "." if tokens cannot be matched to bases: texts, and
// unusual normalisers.
#ifndef GW_NETWORK_EMBEDDER_H
#define GW_NETWORK_EMBEDDER_H

#include "file/table_writer.h"
#include "model/model.h"
#include "network/sentence_folder.h"

typedef enum {
    GW_EMBED_AUTO,
    GW_EMBED_CLS,
    GW_EMBED_MEAN,
    GW_EMBED_MAX,
    GW_EMBED_SENTENCE,
    GW_EMBED_NONE
} gw_embed_pool;
#define GW_EMBED_POOLS "auto|cls|mean|max|sentence|none"

// Treatment of sequences with more tokens than positions: tiles, cutting, or an error. Poolings of
// sentence-transformers always cut.
typedef enum { GW_EMBED_TILES, GW_EMBED_CUTS, GW_EMBED_REFUSES } gw_embed_long;

typedef struct {
    gw_embed_pool pool;
    const gw_sentence_folder *folder; // followed by GW_EMBED_AUTO, borrowed; NULL: none
    int64_t layer;   // hidden states after this number of layers, 0: the embeddings; -1: after all, -2: after all but
                     // one ...
    int64_t overlap; // tokens that neighbouring tiles share; -1: 64, at most a quarter of a tile
    int64_t tokens;  // most tokens of a batch (memory), raised to the model's positions if lower; 0: the default
    int64_t bases;   // total number of bases, for the progress display; 0: unknown
    bool keep_case;  // gw_encoder_keep_case()
    gw_embed_long when_long; // with GW_EMBED_REFUSES a sequence without tokens is an error too
} gw_embed_options;

// Destination of rows.
typedef struct {
    gw_status (*row)(void *context, const float *row); // takes the next row [E]; NULL: rows are dropped
    void *context;
    gw_table_writer *table; // a description of each row (gw_embed_columns()), or NULL
    bool whole;             // the table has the numbers of the rows too
} gw_embed_output;

// Origin of a sequence.
typedef struct {
    const char *name, *contig;
    int64_t begin; // bp of its leftmost base on the contig, 0-based
    char strand;   // '-': the sequence is the contig's reverse complement
} gw_embed_source;

// The columns of the table for a pooling, followed by `numbers` columns of values: e1, e2 ...; 0: none.
void gw_embed_columns(gw_embed_pool pool, int64_t numbers, gw_columns *columns);
// The number of floats of a row.
int64_t gw_embed_width(const gw_model *model, const gw_embed_options *options);

typedef struct gw_embedder gw_embedder;
// Borrows the model and the members of `out`. Writes the header of the table. A missing layer, and an overlap that
// leaves no token for a tile, are errors.
gw_status gw_embedder_new(gw_model *model, const gw_embed_options *options, const gw_embed_output *out,
                          gw_embedder **embedder) GW_MUST_CHECK;
void gw_embedder_free(gw_embedder *embedder);
// Adds a sequence. A sequence without tokens makes no row and is counted.
gw_status gw_embedder_add(gw_embedder *embedder, const gw_embed_source *source, const char *bases,
                          int64_t length) GW_MUST_CHECK;
// Writes the rows of the last batch. Call this before the outputs are closed. Warns of sequences that were cut, and of
// sequences without tokens.
gw_status gw_embedder_finish(gw_embedder *embedder) GW_MUST_CHECK;

#endif
