// SPDX-License-Identifier: MIT
// The head of a bigWig (Kent et al. 2010, supplement; UCSC's bbiFile.h): places and counts that libBigWig believes.
#ifndef GW_SEQ_TRACK_BIGWIG_HEADER_H
#define GW_SEQ_TRACK_BIGWIG_HEADER_H

#include "base/status.h"

// Fails where the file is no bigWig, is not whole, or its head names places and counts that it has no room for.
gw_status gw_bigwig_header_check(const char *path) GW_MUST_CHECK;

#endif
