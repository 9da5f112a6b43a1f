// SPDX-License-Identifier: MIT
// The record of a training run beside its weights, saved with the state.
#ifndef GW_RUN_STATE_H
#define GW_RUN_STATE_H

#include "base/json.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Metrics of the best epoch on the labels that a baseline is rated on.
typedef struct {
    bool known;
    double auroc, auprc, f1, value, error; // by the criterion; standard error of the difference of the two AUROCs, 0:
                                           // none
} gw_beside_baseline;

// Begins as zeros.
typedef struct {
    int64_t total_tokens; // computed by this process and the runs that it continues
    double seconds;       // of training
    bool stop;            // end the training after the finished steps
    double best;          // metric of the best validation
    int64_t best_step;    // number of steps of its weights; 0: no validation yet
    // sums over the steps of an unfinished epoch, and the number of these steps
    double epoch_loss, epoch_chance, epoch_steps;
    gw_beside_baseline beside;
    json_t *unfinished; // owned: the last step's row of metrics, if its validation was interrupted; or NULL
} gw_training_record;

bool gw_training_has_best(const gw_training_record *record);               // the metric is a number
json_t *gw_training_record_json(const gw_training_record *record);         // NULL with a message
void gw_training_record_read(const json_t *json, gw_training_record *out); // missing values are 0
void gw_training_record_free(gw_training_record *record);

// The file from which a training run resumes: DIR/training.state.
//
// "GWSTATE1", u64 length of the JSON text in bytes, the JSON text {"fingerprint": ..., "step": ..., "floats": ...,
// "blocks": ..., "notes": {...}}, then the blocks of f32, all little endian. It is written under another name, synced
// and renamed.

enum { GW_STATE_BLOCKS = 5, GW_STATE_PIECE = 1 << 20 }; // floats of a piece
extern const char gw_state_file[];                      // "training.state"

typedef struct {
    const char *fingerprint;       // all settings that a continuing run must share
    int64_t step;                  // steps done
    int64_t floats;                // of each block, except those with a `size`
    int64_t size[GW_STATE_BLOCKS]; // number of floats of a block; 0: `floats`
    int blocks;                    // number of used blocks
    float *block[GW_STATE_BLOCKS]; // weights, moments, ...: borrowed; NULL: no process has the whole block
    json_t *notes;                 // object of the caller
    // For blocks that are NULL: take() moves numbers [begin, begin + count) of a block, at most GW_STATE_PIECE, to
    // their memory; give() copies them from there.
    void *context;
    void (*take)(void *context, int block, int64_t begin, int64_t count, const float *from);
    void (*give)(void *context, int block, int64_t begin, int64_t count, float *to);
    float *piece; // [GW_STATE_PIECE] memory for them
    FILE *file;   // of gw_state_load(), until these blocks are read
} gw_training_state;

int64_t gw_state_block_floats(const gw_training_state *state, int block);
// Saves the state and makes the folder. give() is called for all NULL blocks, piece by piece in order, even after a
// failure.
gw_status gw_state_save(const gw_training_state *state, const char *folder) GW_MUST_CHECK;
void gw_state_attend(const gw_training_state *state); // calls give() in the same way and writes nothing
// Fills step, notes (json_decref()) and the blocks; their number and size must agree. If the folder holds no state,
// *found is false and nothing changes. A state with another fingerprint is an error.
gw_status gw_state_load(gw_training_state *state, const char *folder, bool *found) GW_MUST_CHECK;
// Call this after gw_state_load(), whether it found a state or not. Calls take() for all NULL blocks with their
// content, and closes the file.
gw_status gw_state_load_rest(gw_training_state *state) GW_MUST_CHECK;

#endif
