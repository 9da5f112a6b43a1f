// SPDX-License-Identifier: MIT
// The picture of a training run.
#ifndef GW_TOOLS_PICTURE_LOSS_PICTURE_H
#define GW_TOOLS_PICTURE_LOSS_PICTURE_H

#include "base/status.h"

// Draws loss.png of a model folder, from its metrics.jsonl, over the tokens that were trained on. A picture that is as
// new as the metrics stays.
gw_status gw_draw_run(const char *model, const char *title) GW_MUST_CHECK;

#endif
