// SPDX-License-Identifier: MIT
// Seqlets beside those of tangermeme 1.6.0 (tests/oracle/explain_oracle.py): rows of values, then what it found in them
// and, of the negated ones, what does not overlap that.
#include "score/seqlets.h"

#include "file/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, LENGTH = 150, FIELDS = LENGTH + 1 };

Test(seqlets, are_tangermemes) {
    static float values[ROWS][LENGTH];
    gw_seqlet expected[64];
    int rows = 0, count = 0;
    gw_line_reader *lines;
    char *line, *fields[FIELDS], path[4096];
    int64_t length;
    snprintf(path, sizeof path, "%s/tests/data/explain/seqlets.tsv", getenv("ROOT") ? getenv("ROOT") : ".");
    cr_assert_eq(gw_lines_open(path, &lines), GW_OK, "%s", gw_message());
    while (gw_lines_next(lines, &line, &length) == GW_OK && line) {
        const int found = gw_split(line, '\t', fields, FIELDS);
        if (strcmp(fields[0], "values") == 0) {
            cr_assert_eq(found, FIELDS);
            for (int i = 0; i < LENGTH; i++) values[rows][i] = strtof(fields[1 + i], NULL);
            rows++;
        } else
            expected[count++] =
                (gw_seqlet){atoi(fields[1]), atoi(fields[2]), atoi(fields[3]), atof(fields[4]), atof(fields[5])};
    }
    gw_lines_close(lines);
    cr_assert(rows == ROWS && count > 4);

    const float *list[ROWS];
    int64_t lengths[ROWS];
    for (int r = 0; r < ROWS; r++) list[r] = values[r], lengths[r] = LENGTH;
    const gw_seqlet_options options = GW_SEQLET_DEFAULTS;
    gw_seqlets seqlets = {0};
    cr_assert_eq(gw_seqlets_find(list, lengths, ROWS, &options, &seqlets), GW_OK);
    cr_expect_eq(seqlets.count, count);
    for (int e = 0; e < count; e++) {
        bool found = false;
        for (int64_t i = 0; i < seqlets.count; i++) {
            const gw_seqlet *s = &seqlets.items[i], *x = &expected[e];
            found |= s->sequence == x->sequence && s->begin == x->begin && s->end == x->end &&
                     fabs(s->sum - x->sum) < 1e-5 && fabs(s->p - x->p) < 1e-9 * fmax(1, x->p) + 1e-6 * x->p;
        }
        cr_expect(found, "sequence %lld, %lld-%lld, sum %g, p %g is missing", (long long)expected[e].sequence,
                  (long long)expected[e].begin, (long long)expected[e].end, expected[e].sum, expected[e].p);
    }
    gw_seqlets_free(&seqlets);
}

// Where all values are equal nothing stands out; what is not finite is passed over.
Test(seqlets, flat_and_missing) {
    float flat[20], spike[40];
    const float *list[] = {flat};
    const int64_t length = 20, longer = 40;
    const gw_seqlet_options options = {1e-3, 4, 25};
    gw_seqlets seqlets = {0};
    for (int i = 0; i < 20; i++) flat[i] = 1;
    cr_assert_eq(gw_seqlets_find(list, &length, 1, &options, &seqlets), GW_OK);
    cr_expect_eq(seqlets.count, 0);
    for (int i = 0; i < 40; i++) spike[i] = i >= 10 && i < 14 ? 1 : i == 30 ? NAN : 0;
    list[0] = spike;
    cr_assert_eq(gw_seqlets_find(list, &longer, 1, &options, &seqlets), GW_OK);
    cr_assert_eq(seqlets.count, 1);
    // Four draws of a value that a tenth of the places has.
    cr_expect(seqlets.items[0].begin == 10 && seqlets.items[0].end == 14);
    cr_expect_float_eq(seqlets.items[0].p, 1e-4, 1e-12);
    gw_seqlets_free(&seqlets);
}
