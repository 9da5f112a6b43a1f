// SPDX-License-Identifier: MIT
// Sequences of any length -> hidden states of a model, a row for each tile (or each token), and a table of the rows.
//
// With P positions in the model, tile i of a sequence is [CLS], its tokens from i (P - 2 - overlap) on, at most P - 2,
// [SEP]; the last one ends with the sequence. A row is, over the tile's hidden states after the chosen layer,
//   cls   that of [CLS]
//   mean  the mean over the sequence's own tokens, [CLS] and [SEP] left out (summed in double)
//   max   the largest value of each column over the same tokens
//   none  a row for every token, [CLS] and [SEP] included
//   sentence  the mean over all tokens of the tile
//   auto  as the folder of sentence-transformers says (network/sentence_folder.h), several vectors end to end; else cls
// Tiles are packed into batches without padding: a row does not depend on its company.
//
// Columns of the table, positions 0-based and half-open: name, contig, begin, end (of the bases that the tile covers),
// strand, tile (of the sequence), first_token, end_token (of the sequence); for none also position (in the tile, [CLS]
// is 0) and token (its id), and begin and end are the token's own. A run of N that a vocabulary calls one gap is one
// token of that many bases. begin and end are "." where tokens and bases cannot be matched: texts, unusual normalisers.
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

// What becomes of a sequence that is longer than the positions. What a folder of sentence-transformers pools is cut.
typedef enum { GW_EMBED_TILES, GW_EMBED_CUTS, GW_EMBED_REFUSES } gw_embed_long;

typedef struct {
    gw_embed_pool pool;
    const gw_sentence_folder *folder; // that GW_EMBED_AUTO follows, borrowed; NULL: none
    int64_t layer;   // hidden states after so many layers, 0: the embeddings; -1: after all, -2: after all but one ...
    int64_t overlap; // tokens that neighbouring tiles share; -1: 64, at most a quarter of a tile
    int64_t tokens;  // most tokens a batch holds (memory); at least the model's positions are taken. 0: the default
    int64_t bases;   // of all sequences, for the progress; 0: unknown
    bool keep_case;  // gw_encoder_keep_case()
    gw_embed_long when_long; // a sequence without tokens is an error where it is GW_EMBED_REFUSES
} gw_embed_options;

// Destination of rows.
typedef struct {
    gw_status (*row)(void *context, const float *row); // takes the next row [E]; NULL: nothing does
    void *context;
    gw_table_writer *table; // what each row stands for, or NULL: gw_embed_columns()
    bool whole;             // the numbers of a row stand in the table, too
} gw_embed_output;

// Origin of a sequence.
typedef struct {
    const char *name, *contig;
    int64_t begin; // bp of its leftmost base on the contig, 0-based
    char strand;   // '-': the sequence is the contig's reverse complement
} gw_embed_source;

// The columns of the table, of a pool; and those of so many numbers, e1, e2 ..., 0: none.
void gw_embed_columns(gw_embed_pool pool, int64_t numbers, gw_columns *columns);
// Floats of a row.
int64_t gw_embed_width(const gw_model *model, const gw_embed_options *options);

typedef struct gw_embedder gw_embedder;
// Borrows the model and what the output names. Writes the head of the table. A layer that the model has not, and an
// overlap that leaves no token to a tile, are errors.
gw_status gw_embedder_new(gw_model *model, const gw_embed_options *options, const gw_embed_output *out,
                          gw_embedder **embedder) GW_MUST_CHECK;
void gw_embedder_free(gw_embedder *embedder);
// Adds a sequence. One without tokens makes no row and is counted.
gw_status gw_embedder_add(gw_embedder *embedder, const gw_embed_source *source, const char *bases,
                          int64_t length) GW_MUST_CHECK;
// Writes what waits in the batch; to be called before the outputs are closed. Warns of sequences that were cut, and of
// those without tokens.
gw_status gw_embedder_finish(gw_embedder *embedder) GW_MUST_CHECK;

#endif
