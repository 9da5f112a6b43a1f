// SPDX-License-Identifier: MIT
// A table of windows (labelled_set.h) as a part. Private to lib/label.
#ifndef GW_LABEL_LABELLED_TABLE_H
#define GW_LABEL_LABELLED_TABLE_H

#include "label/labelled_options.h"
#include "label/labelled_source.h"

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

#endif
