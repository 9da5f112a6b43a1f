// SPDX-License-Identifier: MIT
#ifndef GW_TOOLS_LOSS_PICTURE_H
#define GW_TOOLS_LOSS_PICTURE_H

#include "base/status.h"

// Draws the losses of a pretraining run's metrics (JSON lines) over its steps.
gw_status gw_draw_losses(const char *metrics, const char *picture) GW_MUST_CHECK;

#endif
