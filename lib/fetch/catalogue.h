// SPDX-License-Identifier: MIT
// Models available by name: tables called available.tsv in the folders of models (store/installed.h), with the columns
// name, file, bytes, sha256, kind (format of the weights: model/foreign.def), licence, url, purpose.
#ifndef GW_FETCH_CATALOGUE_H
#define GW_FETCH_CATALOGUE_H

#include "base/status.h"

#include <stdint.h>

// A file of a model. Rows of a model follow each other, with the same kind, licence and purpose.
typedef struct {
    char *name, *file, *sha256, *kind, *licence, *url, *purpose;
    int64_t bytes;
} gw_catalogue_row;

typedef struct {
    gw_catalogue_row *rows; // in the order of the tables
    int64_t count, capacity;
} gw_catalogue;

// Reads all tables. If several tables have a name, the rows of the first one count. Malformed rows are errors that name
// the line. Free `out` with gw_catalogue_free(), also after a failure.
gw_status gw_catalogue_read(gw_catalogue *out) GW_MUST_CHECK;
void gw_catalogue_free(gw_catalogue *catalogue);
// Finds the first row of the name and the number of its rows. An unknown name is an error that lists the names and
// suggests the nearest one.
gw_status gw_catalogue_find(const gw_catalogue *catalogue, const char *name, const gw_catalogue_row **first,
                            int64_t *count) GW_MUST_CHECK;
// Whether a text can be the name of a model or a file: letters, digits, '.', '_' and '-', without '.' or '-' at its
// beginning.
int gw_is_plain_name(const char *text);

#endif
