// SPDX-License-Identifier: MIT
// Draws lists until one has the right length, and writes them as they are drawn.
#include "data/arena/listops.h"

#include "data/arena/arena.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The published settings: depth 10, 2 to 10 items, an item is a list with probability 1/4; more than 500 and fewer than
// 2,000 symbols.
enum { DEEPEST = 10, MOST_ITEMS = 10, LISTS_IN_FOUR = 1, MORE_THAN = 500, FEWER_THAN = 2000 };

static const char *const operator_names[GW_LIST_OPERATORS] = {"[MIN", "[MAX", "[MED", "[SM"};

static int by_size(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int gw_list_value(gw_list_operator operator, int * digits, int count) {
    int sum = 0;
    qsort(digits, (size_t)count, sizeof *digits, by_size);
    for (int i = 0; i < count; i++) sum += digits[i];
    switch (operator) {
    case GW_LIST_MIN: return digits[0];
    case GW_LIST_MAX: return digits[count - 1];
    case GW_LIST_MEDIAN: return (digits[(count - 1) / 2] + digits[count / 2]) / 2;
    default: return sum % 10;
    }
}

typedef struct {
    gw_random *random;
    gw_string *text;
    int64_t symbols;
} drawing;

static void put(drawing *d, const char *symbol) {
    gw_string_printf(d->text, "%s%s", d->symbols > 0 ? " " : "", symbol);
    d->symbols++;
}

// Draws an item, a digit or a list, and returns its value. What is too long already is not drawn to its end.
static int draw_item(drawing *d, int depth) {
    const bool is_list = depth < DEEPEST && gw_random_below(d->random, 4) < LISTS_IN_FOUR;
    if (!is_list) {
        const int digit = (int)gw_random_below(d->random, 10);
        put(d, (const char[]){(char)('0' + digit), 0});
        return digit;
    }
    const gw_list_operator operator=(gw_list_operator) gw_random_below(d->random, GW_LIST_OPERATORS);
    const int items = (int)gw_random_between(d->random, 2, MOST_ITEMS);
    int value[MOST_ITEMS];
    put(d, operator_names[operator]);
    for (int i = 0; i < items; i++) value[i] = d->symbols < FEWER_THAN ? draw_item(d, depth + 1) : 0;
    put(d, "]");
    return gw_list_value(operator, value, items);
}

gw_status gw_listops_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                          gw_arena_example *out) {
    (void)source, (void)split, (void)i;
    drawing d;
    int value;
    do {
        gw_string_clear(&out->text);
        d = (drawing){random, &out->text, 0};
        value = draw_item(&d, 1);
    } while (!out->text.failed && (d.symbols <= MORE_THAN || d.symbols >= FEWER_THAN));
    gw_string_printf(&out->label, "%d", value);
    return GW_OK;
}

// --- reading -------------------------------------------------------------------------------------------------------

typedef struct {
    const char *text, *at;
} reading;

static gw_status bad(const reading *r, const char *expected) {
    return gw_fail(GW_ERR_FORMAT, "list: character %lld is not a %s", (long long)(r->at - r->text + 1), expected);
}

// The next symbol and its length, 0 at the end.
static size_t next_symbol(reading *r) {
    r->at += strspn(r->at, " ");
    return strcspn(r->at, " ");
}

static gw_status read_item(reading *r, int depth, int *value);

static gw_status read_list(reading *r, gw_list_operator operator, int depth, int *value) {
    int digits[MOST_ITEMS], count = 0;
    for (;;) {
        const size_t length = next_symbol(r);
        if (length == 1 && *r->at == ']') break;
        if (count == MOST_ITEMS || depth == DEEPEST) return bad(r, "end of a list that is so long or deep");
        GW_TRY(read_item(r, depth + 1, &digits[count++]));
    }
    if (count == 0) return bad(r, "item of a list, which has one at least");
    r->at++;
    *value = gw_list_value(operator, digits, count);
    return GW_OK;
}

static gw_status read_item(reading *r, int depth, int *value) {
    const size_t length = next_symbol(r);
    if (length == 1 && isdigit((unsigned char)*r->at)) {
        *value = *r->at++ - '0';
        return GW_OK;
    }
    for (int o = 0; o < GW_LIST_OPERATORS; o++)
        if (length == strlen(operator_names[o]) && strncmp(r->at, operator_names[o], length) == 0) {
            r->at += length;
            return read_list(r, (gw_list_operator)o, depth, value);
        }
    return bad(r, "digit or list");
}

gw_status gw_list_read(const char *text, int *value) {
    reading r = {text, text};
    GW_TRY(read_item(&r, 0, value));
    return next_symbol(&r) == 0 ? GW_OK : bad(&r, "end, where the list ends");
}
