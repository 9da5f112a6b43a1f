// SPDX-License-Identifier: MIT
// Small models and batches for the tests of models.
#ifndef GW_TESTS_MODEL_FIXTURES_H
#define GW_TESTS_MODEL_FIXTURES_H

#include "network/network.h"

// Two layers of two heads, width 16, blocks of 8 tokens: sparse from 89 tokens on. labels 0: a pretraining model. All
// parameters are random, including biases and norms, so that no gradient is zero by symmetry.
gw_model *fixture_model(int64_t labels, double dropout);
gw_config fixture_config(int64_t labels, double dropout); // gw_config_free() it
gw_model *fixture_model_of(const gw_config *config);      // of any config of these sizes

enum { FAMILY_WIDTH = 16, FAMILY_FEED_FORWARD = 24, FAMILY_VOCABULARY = 30, FAMILY_POSITIONS = 64, FAMILY_LABELS = 3 };
// One layer of any family with any head. Only BigBird is sparse.
gw_config fixture_family(gw_family family, gw_head head);

enum { FIXTURE_SEQUENCES = 3, FIXTURE_TOKENS = 203, FIXTURE_MASKED = 9, FIXTURE_LABELS = 4 };
// Three sequences of 100 (sparse), 7 and 96 (sparse) tokens, each in two parts, with labels for the heads of
// fixture_model(). Borrows static arrays.
gw_batch fixture_batch(void);
// Sequences [first, last) of this batch as a separate batch, with the same numbers. The caller owns `start` and `rows`.
gw_batch fixture_part(int first, int last, int64_t start[FIXTURE_SEQUENCES + 1], int32_t rows[FIXTURE_MASKED]);
gw_network *fixture_network(gw_model *model, bool training);
// For batches of these sequences and the model's head, with the options `more`; tokens 0: as many as the batch has.
gw_network *fixture_network_of(gw_model *model, gw_network_options more);

#endif
