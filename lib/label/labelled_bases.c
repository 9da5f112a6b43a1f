// SPDX-License-Identifier: MIT
// Sets of packed windows: nothing is read but what is asked for, from files that are mapped.
#include "label/labelled_source.h"

#include "label/base_rows.h"
#include "label/label_files.h"

gw_status gw_labelled_bases_read(const char *prefix, const char *bases, const gw_labelled_options *options,
                                 gw_labelled_source *part) {
    *part = (gw_labelled_source){.tss_offset = -1};
    GW_TRY(gw_no_splits(options, bases));
    gw_status status = gw_row_file_open(bases, &gw_base_rows, &part->windows);
    if (status == GW_OK) {
        part->count = gw_row_file_rows(part->windows);
        status = gw_label_files_read(prefix, part->count, bases, part);
    }
    if (status != GW_OK) gw_labelled_source_free(part);
    return status;
}
