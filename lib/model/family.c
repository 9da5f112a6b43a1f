// SPDX-License-Identifier: MIT
// The table of families, from families.def.
#include "model/family.h"

#include "model/head.h"

#include <string.h>

static const gw_family_row *const family_rows[] = {
#define GW_FAMILY(NAME, row) &gw_family_##row,
#include GW_FAMILIES_DEF
#undef GW_FAMILY
};

int gw_family_count(void) {
    return sizeof family_rows / sizeof *family_rows;
}

const gw_family_row *gw_family_of(gw_family family) {
    return family_rows[family];
}

// Families whose own pretraining goes without sentence pairs, as RoBERTa's, have no class for them.
bool gw_family_has_head(gw_family family, gw_head head) {
    const gw_family_row *row = gw_family_of(family);
    const gw_head_row *asked = gw_head_of(head);
    if (asked->generates != (row->decoder_layers != NULL)) return false;
    if (asked->answers && row->no_questions) return false;
    return !asked->pairs || gw_head_of(row->usual_head)->pairs;
}

const char *gw_family_field(gw_family family, const char *field) {
    const gw_tensor_stem *own = gw_family_of(family)->fields;
    for (; own && own->bert; own++)
        if (strcmp(own->bert, field) == 0) return own->own;
    return field;
}
