// SPDX-License-Identifier: MIT
// A set of packed windows (labelled_set.h) as a part. Private to lib/label.
#ifndef GW_LABEL_LABELLED_BASES_H
#define GW_LABEL_LABELLED_BASES_H

#include "label/labelled_options.h"
#include "label/labelled_source.h"

// `bases` is the file of windows that was found for `prefix`.
gw_status gw_labelled_bases_read(const char *prefix, const char *bases, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

#endif
