// SPDX-License-Identifier: MIT
// Models that can be had by a name: tables called available.tsv in the folders of models (store/installed.h), with the
// columns name, file, bytes, sha256, kind (whose weights they are: model/foreign.def), licence, url, purpose.
#ifndef GW_FETCH_CATALOGUE_H
#define GW_FETCH_CATALOGUE_H

#include "base/status.h"

#include <stdint.h>

// One file of one model; rows of a name follow each other, and all have the same kind, licence and purpose.
typedef struct {
    char *name, *file, *sha256, *kind, *licence, *url, *purpose;
    int64_t bytes;
} gw_catalogue_row;

typedef struct {
    gw_catalogue_row *rows; // in the order of the tables
    int64_t count, capacity;
} gw_catalogue;

// All tables; of a name that stands in several the first one's rows. Malformed rows are errors that name the line. Free
// with gw_catalogue_free(), also on failure.
gw_status gw_catalogue_read(gw_catalogue *out) GW_MUST_CHECK;
void gw_catalogue_free(gw_catalogue *catalogue);
// The first row of the name and how many there are; an error names those that there are, and the nearest one.
gw_status gw_catalogue_find(const gw_catalogue *catalogue, const char *name, const gw_catalogue_row **first,
                            int64_t *count) GW_MUST_CHECK;
// Whether a text can be a model's or a file's name: letters, digits, '.', '_' and '-', neither '.' nor '-' at its
// beginning.
int gw_is_plain_name(const char *text);

#endif
