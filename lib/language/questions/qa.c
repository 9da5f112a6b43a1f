// SPDX-License-Identifier: MIT
// The table of kinds.
#include "language/questions/qa_private.h"

#include <string.h>

static const struct {
    const char *name;
    gw_qa_rater *rate;
} kinds[] = {{"squad", gw_qa_rate_squad},
             {"hotpotqa", gw_qa_rate_hotpotqa},
             {"natural-questions", gw_qa_rate_natural_questions},
             {"triviaqa", gw_qa_rate_triviaqa},
             {"wikihop", gw_qa_rate_wikihop}};

gw_status gw_qa_rate(const char *kind, const gw_qa_files *files, gw_qa_rating *out) {
    *out = (gw_qa_rating){0};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].name, kind) == 0) return kinds[k].rate(files, out);
    return gw_fail(GW_ERR_RANGE, "'%s' is no kind of question set, expected one of " GW_QA_KINDS, kind);
}
