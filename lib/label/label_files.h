// SPDX-License-Identifier: MIT
// PREFIX.labels, PREFIX.names.tsv and PREFIX.json, which stand beside the windows of a set. Private to lib/label.
#ifndef GW_LABEL_LABEL_FILES_H
#define GW_LABEL_LABEL_FILES_H

#include "label/labelled_source.h"

// Fills the part's bits, names of labels and bin; `rows` is how many windows `windows` (for a message) has. On failure
// the part holds what was read until then.
gw_status gw_label_files_read(const char *prefix, int64_t rows, const char *windows,
                              gw_labelled_source *part) GW_MUST_CHECK;

#endif
