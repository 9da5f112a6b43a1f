// SPDX-License-Identifier: MIT
// The picture of a training run.
#ifndef GW_TOOLS_PICTURE_LOSS_PICTURE_H
#define GW_TOOLS_PICTURE_LOSS_PICTURE_H

#include "base/status.h"

// Draws loss.png of a model folder from its metrics.jsonl, over epochs, with the kept weights marked. A picture that is
// newer than the metrics is kept.
gw_status gw_draw_run(const char *model, const char *title) GW_MUST_CHECK;
// Draws the lines of a metrics.jsonl as `picture` (.png, .svg), if they have curves. title: or NULL.
gw_status gw_draw_metrics(const char *metrics, const char *title, const char *picture) GW_MUST_CHECK;

#endif
