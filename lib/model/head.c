// SPDX-License-Identifier: MIT
// The table of heads, from heads.def.
#include "model/head.h"

#include <string.h>

static const gw_head_row *const head_rows[] = {
#define GW_HEAD(NAME, row) &gw_head_##row,
#include GW_HEADS_DEF
#undef GW_HEAD
};

int gw_head_count(void) {
    return sizeof head_rows / sizeof *head_rows;
}

const gw_head_row *gw_head_of(gw_head head) {
    return head_rows[head];
}

int gw_head_by_suffix(const char *suffix) {
    for (int head = 0; head < gw_head_count(); head++)
        if (strcmp(head_rows[head]->suffix, suffix) == 0) return head;
    return -1;
}

bool gw_head_names_spans(gw_head head) {
    return head_rows[head]->answers && head_rows[head]->tokens;
}
