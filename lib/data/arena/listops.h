// SPDX-License-Identifier: MIT
// ListOps (Nangia and Bowman, 2018) as Long Range Arena draws it: nested lists of digits under an operator each,
// [MED 4 [MAX 2 9 ] 7 ], whose value is a digit.
#ifndef GW_DATA_ARENA_LISTOPS_H
#define GW_DATA_ARENA_LISTOPS_H

#include "base/status.h"

#include <stdint.h>

typedef enum { GW_LIST_MIN, GW_LIST_MAX, GW_LIST_MEDIAN, GW_LIST_SUM, GW_LIST_OPERATORS } gw_list_operator;
#define GW_LIST_SYMBOLS "[MIN [MAX [MED [SM ] 0 1 2 3 4 5 6 7 8 9"

// Of `count` digits, 1 or more: the least, the greatest, the median (of an even number the mean of the middle two,
// rounded down), the sum modulo 10. Sorts them.
int gw_list_value(gw_list_operator operator, int * digits, int count);
// Value of a text of symbols between blanks; what is no such list is an error that says where.
gw_status gw_list_read(const char *text, int *value) GW_MUST_CHECK;

#endif
