// SPDX-License-Identifier: MIT
// PREFIX.labels, PREFIX.names.tsv and PREFIX.json, which stand beside the windows of a set. Private to lib/label.
#ifndef GW_LABEL_LABEL_FILES_H
#define GW_LABEL_LABEL_FILES_H

#include "label/labelled_source.h"

// Fills the part's bits, names of labels and bin; `rows` is how many windows `windows` (for a message) has. On failure
// the part holds what was read until then.
gw_status gw_label_files_read(const char *prefix, int64_t rows, const char *windows,
                              gw_labelled_source *part) GW_MUST_CHECK;

// Writes PREFIX.names.tsv: of each label counts[labels][GW_SPLITS], how many there are in the windows of each split.
gw_status gw_label_names_write(const char *path, char *const *names, int64_t labels,
                               const int64_t *counts) GW_MUST_CHECK;

#endif
