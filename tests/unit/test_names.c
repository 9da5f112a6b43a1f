// SPDX-License-Identifier: MIT
// A table of names: indices in the order of first use, through many growths; and names that may recur.
#include "base/memory.h"
#include "base/names.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

Test(names, indices_are_in_the_order_of_first_use) {
    enum { COUNT = 5000 };
    gw_names names = {0};
    char name[32];
    for (int turn = 0; turn < 2; turn++)
        for (int64_t i = 0; i < COUNT; i++) {
            int64_t index = -1;
            snprintf(name, sizeof name, "gene%lld", (long long)(i * 7919 % COUNT));
            cr_assert(gw_names_add(&names, name, &index) == GW_OK);
            cr_assert(index == i, "%s: %lld, expected %lld", name, (long long)index, (long long)i);
        }
    cr_expect(names.count == COUNT);
    gw_names_free(&names);
    cr_expect(names.count == 0 && !names.items && !names.slots);
}

Test(names, appended_names_may_recur_and_are_handed_over) {
    gw_names names = {0};
    cr_assert(gw_names_append(&names, gw_strdup("CTCF")) == GW_OK);
    cr_assert(gw_names_append(&names, gw_strdup("CTCF")) == GW_OK);
    cr_assert(gw_names_append(&names, NULL) == GW_ERR_MEMORY);
    cr_assert(names.count == 2);
    char **items = gw_names_take(&names);
    cr_expect_str_eq(items[0], "CTCF");
    cr_expect_str_eq(items[1], "CTCF");
    cr_expect(names.count == 0 && !names.items);
    for (int i = 0; i < 2; i++) free(items[i]);
    free(items);
}
