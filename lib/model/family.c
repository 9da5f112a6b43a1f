// SPDX-License-Identifier: MIT
// The table of families, from families.def.
#include "model/family.h"

#define GW_FAMILY(NAME, row) extern const gw_family_row gw_family_##row;
#include "model/families.def"
#undef GW_FAMILY

const gw_family_row *gw_family_of(gw_family family) {
    static const gw_family_row *const rows[GW_FAMILIES] = {
#define GW_FAMILY(NAME, row) [GW_FAMILY_##NAME] = &gw_family_##row,
#include "model/families.def"
#undef GW_FAMILY
    };
    return rows[family];
}
