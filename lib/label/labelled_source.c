// SPDX-License-Identifier: MIT
// Frees what the readers of a part have filled.
#include "label/labelled_source.h"

#include <stdlib.h>

void gw_labelled_source_free(gw_labelled_source *part) {
    for (int64_t i = 0; part->names && i < part->count; i++) free(part->names[i]);
    for (int64_t i = 0; part->groups && i < part->count; i++) free(part->groups[i]);
    free(part->names);
    free(part->groups);
    for (int64_t l = 0; l < part->labels; l++) free(part->label_names[l]);
    free(part->label_names);
    free(part->row);
    free(part->bases);
    free(part->base_start);
    free(part->values);
    free(part->regions);
    gw_row_file_close(part->windows);
    gw_row_file_close(part->bits);
    *part = (gw_labelled_source){0};
}
