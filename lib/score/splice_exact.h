// SPDX-License-Identifier: MIT
// The probabilities of gw_base_network_run(), computed once where windows share them: all levels of a stretch of REF,
// one member at a time, and of each ALT its cone (score/splice_cone.h) alone. No window's rows depend on what others
// there are; sums have the order that they have in whole windows.
#ifndef GW_SCORE_SPLICE_EXACT_H
#define GW_SCORE_SPLICE_EXACT_H

#include "network/base_network.h"

typedef struct gw_splice_exact gw_splice_exact;
// Borrows the model, whose weights stay as they are. *out is NULL where it can only be run in whole windows: it has
// layers other than residual units and skips, or the backend's memory is not the host's.
gw_status gw_splice_exact_new(gw_model *model, gw_splice_exact **out) GW_MUST_CHECK;
void gw_splice_exact_free(gw_splice_exact *exact); // NULL is fine
// Bytes that levels take of each base of a stretch of REF.
int64_t gw_splice_exact_base_bytes(const gw_splice_exact *exact);
// Rows between two places of a stretch beyond which two stretches cost fewer products.
int64_t gw_splice_exact_gap(const gw_splice_exact *exact);
// Tells how much of the window of an allele of one base, of which so many rows are read, is computed: the share of all
// products, and that of each layer's rows.
void gw_splice_exact_note(const gw_splice_exact *exact, int64_t rows);
gw_status gw_splice_exact_run(gw_splice_exact *exact, const gw_labelling_window *windows, int64_t count) GW_MUST_CHECK;

#endif
