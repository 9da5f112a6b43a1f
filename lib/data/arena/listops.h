// SPDX-License-Identifier: MIT
// ListOps (Nangia and Bowman, 2018) as in Long Range Arena: nested lists of digits, each with an operator, [MED 4 [MAX
// 2 9 ] 7 ]. The value of a list is a digit.
#ifndef GW_DATA_ARENA_LISTOPS_H
#define GW_DATA_ARENA_LISTOPS_H

#include "base/status.h"

#include <stdint.h>

typedef enum { GW_LIST_MIN, GW_LIST_MAX, GW_LIST_MEDIAN, GW_LIST_SUM, GW_LIST_OPERATORS } gw_list_operator;
#define GW_LIST_SYMBOLS "[MIN [MAX [MED [SM ] 0 1 2 3 4 5 6 7 8 9"

// The value of an operator for `count` digits, at least 1: the least, the greatest, the median (for an even number the
// mean of the middle two, rounded down), or the sum modulo 10. Sorts the digits.
int gw_list_value(gw_list_operator operator, int * digits, int count);
// The value of a text of symbols between blanks. An invalid list is an error that names the place.
gw_status gw_list_read(const char *text, int *value) GW_MUST_CHECK;

#endif
