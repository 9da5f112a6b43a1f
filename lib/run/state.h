// SPDX-License-Identifier: MIT
// What a training run knows beside its weights, and what is saved of it with the state.
#ifndef GW_RUN_STATE_H
#define GW_RUN_STATE_H

#include "base/json.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The best epoch's metrics on those labels that a baseline is rated on.
typedef struct {
    bool known;
    double auroc, auprc, f1, value, error; // by the criterion; standard error of the difference of both AUROCs, 0: none
} gw_beside_baseline;

// Begins as zeros.
typedef struct {
    int64_t total_tokens; // computed by this process and those that it goes on from
    double seconds;       // that they trained
    bool stop;            // the steps that are done are all
    double best;          // metric of the best validation
    int64_t best_step;    // steps that its weights had; 0: there was none
    double epoch_loss, epoch_chance,
        epoch_steps; // sums over the steps of an epoch that has not ended, and their number
    gw_beside_baseline beside;
    json_t *unfinished; // owned: the row of metrics of the last step, whose validation was interrupted; or NULL
} gw_training_record;

bool gw_training_has_best(const gw_training_record *record);               // a metric that is a number
json_t *gw_training_record_json(const gw_training_record *record);         // NULL with a message
void gw_training_record_read(const json_t *json, gw_training_record *out); // what it lacks is 0
void gw_training_record_free(gw_training_record *record);

// The one file that a training run resumes from: DIR/training.state.
//
// "GWSTATE1", u64 bytes of the JSON text, the JSON text {"fingerprint": ..., "step": ..., "floats": ..., "blocks": ...,
// "notes": {...}}, then the blocks of f32, all little endian. It is written under another name, synced and renamed.

enum { GW_STATE_BLOCKS = 5, GW_STATE_PIECE = 1 << 20 }; // floats of a piece
extern const char gw_state_file[];                      // "training.state"

typedef struct {
    const char *fingerprint;       // everything a run must share with the one it continues
    int64_t step;                  // steps done
    int64_t floats;                // of each block, but for those of
    int64_t size[GW_STATE_BLOCKS]; // another number of floats; 0: as many
    int blocks;                    // in use
    float *block[GW_STATE_BLOCKS]; // weights, moments, ...: borrowed; NULL: one that no process has as a whole
    json_t *notes;                 // object of whoever trains
    // Of such blocks: numbers [begin, begin + count) of it, at most GW_STATE_PIECE, to where they are kept and from
    // there.
    void *context;
    void (*take)(void *context, int block, int64_t begin, int64_t count, const float *from);
    void (*give)(void *context, int block, int64_t begin, int64_t count, float *to);
    float *piece; // [GW_STATE_PIECE] memory for them
    FILE *file;   // of gw_state_load(), while such blocks are to be read
} gw_training_state;

int64_t gw_state_block_floats(const gw_training_state *state, int block);
// Makes the folder. give() is called for all blocks that it is for, piece by piece in their order, also after a
// failure.
gw_status gw_state_save(const gw_training_state *state, const char *folder) GW_MUST_CHECK;
void gw_state_attend(const gw_training_state *state); // calls give() as that does, and writes nothing
// Fills step, notes (json_decref) and the blocks, whose number and size must agree. *found is false, and nothing is
// changed, where the folder holds no state; one of another fingerprint is an error.
gw_status gw_state_load(gw_training_state *state, const char *folder, bool *found) GW_MUST_CHECK;
// Of a state that gw_state_load() was called for, whether it was found or not: calls take() for all blocks without
// memory, with what the file holds, and closes it.
gw_status gw_state_load_rest(gw_training_state *state) GW_MUST_CHECK;

#endif
