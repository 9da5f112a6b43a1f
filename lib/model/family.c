// SPDX-License-Identifier: MIT
// The table of families, from families.def.
#include "model/family.h"

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

const char *gw_family_field(gw_family family, const char *field) {
    const gw_config_field *own = gw_family_of(family)->fields;
    for (; own && own->bert; own++)
        if (strcmp(own->bert, field) == 0) return own->own;
    return field;
}
