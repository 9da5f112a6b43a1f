// SPDX-License-Identifier: MIT
// The keys of score, and what their numbers are.
//
// Reference of the lines: Jaganathan et al. 2019, SpliceAI.
#include "tools/score_axis.h"

#include <string.h>

const gw_picture_line gw_splice_lines[GW_SPLICE_LINES] = {
    {0.2, "0.2 high recall"}, {0.5, "0.5 recommended"}, {0.8, "0.8 high precision"}};

static const char *name_of(const char *key) {
    const char *underscore = strrchr(key, '_');
    return underscore ? underscore + 1 : key;
}

bool gw_score_is_splicing(const char *key) {
    return strcmp(name_of(key), "SPLICE") == 0;
}

gw_score_axis gw_score_axis_of(const char *key, bool numbers) {
    static const struct {
        const char *name;
        bool numbers;
        gw_score_axis axis;
    } known[] = {
        {"DIFF", true, {"predicted number, ALT - REF", "higher with ALT", "lower with ALT"}},
        {"LOGIT", true, {"predicted number, ALT - REF, in standard deviations", "higher with ALT", "lower with ALT"}},
        {"LLR", false, {"log-likelihood ratio, bits", "ALT is more likely than REF", "ALT is less likely than REF"}},
        {"DIFF", false, {"p(ALT) - p(REF)", "p is higher with ALT", "p is lower with ALT"}},
        {"LOGIT", false, {"difference of logits", "p is higher with ALT", "p is lower with ALT"}},
        {"LOG2FC", false, {"log2 of p(ALT) / p(REF)", "p is higher with ALT", "p is lower with ALT"}},
        {"SPLICE", false, {"largest delta score of splicing", NULL, NULL}},
        {"DELTA", false, {"largest gain or loss of a class of bases", NULL, NULL}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name_of(key)) == 0 && (numbers || !known[i].numbers)) return known[i].axis;
    return (gw_score_axis){NULL, "above 0", "below 0"};
}

void gw_score_axis_label(gw_string *out, const char *key, bool numbers) {
    const gw_score_axis axis = gw_score_axis_of(key, numbers);
    gw_string_puts(out, key);
    if (axis.measure) gw_string_printf(out, " (%s)", axis.measure);
}
