// SPDX-License-Identifier: MIT
// Names of classes and their numbers.
#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "language/text_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_text_add_class(gw_text_reader *r, const char *text, int32_t *class) {
    gw_label_names *names = r->names;
    GW_TRY(gw_reserve(&names->name, &r->name_capacity, names->count + 1, sizeof *names->name));
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    *class = (int32_t)names->count;
    names->name[names->count++] = copy;
    json_object_set_new(r->known, text, json_integer(*class));
    return GW_OK;
}

// Whether the names say nothing: LABEL_0, LABEL_1 ...
static bool are_numbers(const gw_label_names *names) {
    for (int64_t i = 0; i < names->count; i++) {
        char usual[32];
        snprintf(usual, sizeof usual, "LABEL_%lld", (long long)i);
        if (strcmp(names->name[i], usual) != 0) return false;
    }
    return true;
}

static gw_status unknown_class(const gw_text_reader *r, const char *text) {
    gw_string all = {0};
    for (int64_t i = 0; i < r->names->count && i < 12; i++)
        gw_string_printf(&all, "%s%.40s", i > 0 ? ", " : "", r->names->name[i]);
    const gw_status status =
        gw_table_fail(r->table, GW_ERR_MISMATCH, "the label \"%.60s\" is none of the %lld that the model has: %s%s",
                      text, (long long)r->names->count, all.data ? all.data : "", r->names->count > 12 ? " ..." : "");
    gw_string_free(&all);
    return status;
}

gw_status gw_text_class_of(gw_text_reader *r, const char *text, int32_t *class) {
    const json_t *known = json_object_get(r->known, text);
    int64_t number;
    if (known) {
        *class = (int32_t)json_integer_value(known);
        return GW_OK;
    }
    if (!*text) return gw_table_fail(r->table, GW_ERR_FORMAT, "the label is empty");
    if (r->names->open) return gw_text_add_class(r, text, class);
    if (are_numbers(r->names) && gw_parse_int(text, 0, r->names->count - 1, &number) == GW_OK) {
        *class = (int32_t)number;
        return GW_OK;
    }
    return unknown_class(r, text);
}

gw_status gw_text_index_classes(gw_text_reader *r) {
    r->known = json_object();
    if (!r->known) return gw_fail(GW_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < r->names->count; i++)
        json_object_set_new(r->known, r->names->name[i], json_integer((json_int_t)i));
    r->name_capacity = r->names->count;
    return GW_OK;
}

typedef struct {
    char *name;
    int32_t before;
    int64_t number;
    bool is_number;
} named_class;

static int by_name(const void *a, const void *b) {
    const named_class *x = a, *y = b;
    if (x->is_number && y->is_number) return (x->number > y->number) - (x->number < y->number);
    return strcmp(x->name, y->name);
}

// Sorts the names; class[old] is the new number.
static void sort_names(gw_label_names *names, named_class *sorted, int32_t *class) {
    bool numbers = true;
    for (int64_t i = 0; i < names->count; i++) {
        sorted[i] = (named_class){.name = names->name[i], .before = (int32_t)i};
        numbers = gw_parse_int(names->name[i], INT64_MIN, INT64_MAX, &sorted[i].number) == GW_OK && numbers;
    }
    for (int64_t i = 0; i < names->count; i++) sorted[i].is_number = numbers;
    qsort(sorted, (size_t)names->count, sizeof *sorted, by_name);
    for (int64_t i = 0; i < names->count; i++) {
        names->name[i] = sorted[i].name;
        class[sorted[i].before] = (int32_t)i;
    }
}

gw_status gw_text_order_classes(gw_text_reader *r) {
    gw_text_set *set = r->set;
    named_class *sorted = gw_alloc(r->names->count + 1, sizeof *sorted);
    int32_t *class = gw_alloc(r->names->count + 1, sizeof *class);
    if (sorted && class) {
        sort_names(r->names, sorted, class);
        const int64_t labels = set->labels == GW_TEXT_WORDS ? r->rows.tokens : set->rows;
        for (int64_t i = 0; set->label && i < labels; i++)
            if (set->label[i] >= 0) set->label[i] = class[set->label[i]];
        for (int64_t i = 0; i < r->mark_count; i++) r->marks[i].class = class[r->marks[i].class];
    }
    const gw_status status = sorted && class ? GW_OK : GW_ERR_MEMORY;
    free(sorted);
    free(class);
    return status;
}
