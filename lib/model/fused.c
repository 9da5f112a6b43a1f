// SPDX-License-Identifier: MIT
// Names of fused tensors: "attn.Wqkv.weight" <-> "attn.Wqkv.query.weight" and its like, by the family's rows.
#include "model/fused.h"

#include "model/family.h"

#include <stdio.h>
#include <string.h>

static int count_parts(const gw_fused_tensor *fused) {
    int count = 0;
    while (count < GW_FUSED_PARTS && fused->part[count]) count++;
    return count;
}

// What follows the fused tensor's stem and a full stop in a name; NULL: another tensor.
static const char *after_stem(const gw_fused_tensor *fused, const char *name) {
    const char *found = strstr(name, fused->stored);
    const char *rest = found ? found + strlen(fused->stored) : NULL;
    return rest && *rest == '.' ? rest + 1 : NULL;
}

// The family's row for a name, and what follows the row's stem there; NULL: none.
static const gw_fused_tensor *row_of(gw_family family, const char *name, const char **rest) {
    for (const gw_fused_tensor *fused = gw_family_of(family)->fused; fused && fused->stored; fused++)
        if ((*rest = after_stem(fused, name))) return fused;
    return NULL;
}

int gw_fused_parts(gw_family family, const char *stored) {
    const char *rest;
    const gw_fused_tensor *fused = row_of(family, stored, &rest);
    return fused ? count_parts(fused) : 1;
}

// Names are of tensors whose own fit into GW_PARAMETER_NAME with the longest part; longer ones become "".
void gw_fused_part(gw_family family, const char *stored, int part, char name[GW_PARAMETER_NAME]) {
    const char *rest;
    const gw_fused_tensor *fused = row_of(family, stored, &rest);
    const int length =
        fused ? snprintf(name, GW_PARAMETER_NAME, "%.*s%s.%s", (int)(rest - stored), stored, fused->part[part], rest)
              : snprintf(name, GW_PARAMETER_NAME, "%s", stored);
    if (length >= GW_PARAMETER_NAME) name[0] = 0;
}

void gw_fused_into(gw_family family, const char *name, char stored[GW_PARAMETER_NAME], int *part, int *parts) {
    const char *rest;
    const gw_fused_tensor *fused = row_of(family, name, &rest);
    snprintf(stored, GW_PARAMETER_NAME, "%s", name);
    *part = 0;
    *parts = 1;
    for (int p = 0; fused && p < count_parts(fused); p++) {
        const size_t length = strlen(fused->part[p]);
        if (strncmp(rest, fused->part[p], length) != 0 || rest[length] != '.') continue;
        snprintf(stored, GW_PARAMETER_NAME, "%.*s%s", (int)(rest - name), name, rest + length + 1);
        *part = p;
        *parts = count_parts(fused);
    }
}
