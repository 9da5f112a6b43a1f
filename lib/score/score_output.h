// SPDX-License-Identifier: MIT
// The weights that scores come from, as outputs name them.
#ifndef GW_SCORE_SCORE_OUTPUT_H
#define GW_SCORE_SCORE_OUTPUT_H

#include "base/status.h"

// MD5 over the bytes of a folder's files of weights in order of their names, as 32 hex digits; of one file it is that
// file's MD5.
gw_status gw_model_md5(const char *folder, char hex[33]) GW_MUST_CHECK;

#endif
