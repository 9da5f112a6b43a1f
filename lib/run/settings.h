// SPDX-License-Identifier: MIT
// Compares the settings of two runs by the words of their fingerprints (gw_trainer_options.fingerprint).
#ifndef GW_RUN_SETTINGS_H
#define GW_RUN_SETTINGS_H

#include "base/string.h"

// Appends each differing setting by its option, with its value in `stored` and in `now`:
// "--lr 0.003 (now 0.002), --seed 1 (now 2)".
void gw_settings_differ(const char *stored, const char *now, gw_string *out);

#endif
