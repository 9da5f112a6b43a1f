// SPDX-License-Identifier: MIT
// Metrics of a run as JSON lines, one object a line, each with its "step". Lines can be read while the run goes on.
#ifndef GW_RUN_METRICS_H
#define GW_RUN_METRICS_H

#include "base/json.h"
#include "base/status.h"

#include <stdint.h>

typedef struct gw_metrics gw_metrics;
// Continues the file at `path` after `step` steps: lines of later steps, left by a run that was cut off, are taken out.
// step 0 starts anew.
gw_status gw_metrics_open(const char *path, int64_t step, gw_metrics **out) GW_MUST_CHECK;
gw_status gw_metrics_add(gw_metrics *metrics, const json_t *row) GW_MUST_CHECK;
gw_status gw_metrics_close(gw_metrics *metrics) GW_MUST_CHECK; // NULL is fine

#endif
