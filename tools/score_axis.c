// SPDX-License-Identifier: MIT
// The keys of score that have a sign.
#include "tools/score_axis.h"

#include <string.h>

gw_score_axis gw_score_axis_of(const char *key) {
    static const struct {
        const char *name;
        gw_score_axis axis;
    } known[] = {
        {"LLR", {"bits", "ALT is more likely than REF", "ALT is less likely"}},
        {"DIFF", {"p(ALT) - p(REF)", "p is higher with ALT", "p is lower with ALT"}},
        {"LOGIT", {"difference of logits", "p is higher with ALT", "p is lower with ALT"}},
        {"LOG2FC", {"log2 of p(ALT) / p(REF)", "p is higher with ALT", "p is lower with ALT"}},
    };
    const char *underscore = strrchr(key, '_'), *name = underscore ? underscore + 1 : key;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].axis;
    return (gw_score_axis){NULL, "above 0", "below 0"};
}

void gw_score_axis_label(gw_string *out, const char *key) {
    const gw_score_axis axis = gw_score_axis_of(key);
    gw_string_puts(out, key);
    if (axis.unit) gw_string_printf(out, " (%s)", axis.unit);
}
