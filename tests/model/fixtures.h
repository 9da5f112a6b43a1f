// SPDX-License-Identifier: MIT
// Small models and batches for the tests of models.
#ifndef GW_TESTS_MODEL_FIXTURES_H
#define GW_TESTS_MODEL_FIXTURES_H

#include "network/network.h"

// Two layers of two heads, 16 wide, blocks of 8 tokens: sparse from 89 tokens on. labels 0: a pretraining model. Every
// parameter is drawn, biases and norms too, so that no gradient is zero by symmetry.
gw_model *fixture_model(int64_t labels, double dropout);
gw_config fixture_config(int64_t labels, double dropout); // gw_config_free() it
gw_model *fixture_model_of(const gw_config *config);      // of any config of these sizes

enum { FAMILY_WIDTH = 16, FAMILY_FEED_FORWARD = 24, FAMILY_VOCABULARY = 30, FAMILY_POSITIONS = 64, FAMILY_LABELS = 3 };
// One layer of any family with any head; BigBird alone is sparse.
gw_config fixture_family(gw_family family, gw_head head);

enum { FIXTURE_SEQUENCES = 3, FIXTURE_TOKENS = 203, FIXTURE_MASKED = 9, FIXTURE_LABELS = 4 };
// Three sequences of 100 (sparse), 7 and 96 (sparse) tokens, each in two parts, with labels of fixture_model()'s heads;
// borrows static arrays.
gw_batch fixture_batch(void);
// Sequences [first, last) of that batch as a batch of their own, numbered as within the whole; `start` and `rows` are
// the caller's memory.
gw_batch fixture_part(int first, int last, int64_t start[FIXTURE_SEQUENCES + 1], int32_t rows[FIXTURE_MASKED]);
gw_network *fixture_network(gw_model *model, bool training);
// For batches of those sequences and the model's head, with `more` beside; tokens 0: as many as the batch has.
gw_network *fixture_network_of(gw_model *model, gw_network_options more);

#endif
