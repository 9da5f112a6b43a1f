// SPDX-License-Identifier: MIT
// Labels of a row: a class, several, numbers, or the right one of its answers.
#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "language/text_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status add_number(gw_text_reader *r, int column, double least, double most) {
    const char *text;
    double number = NAN;
    gw_text_set *set = r->set;
    const int64_t at = set->rows * r->options->label.count + column;
    GW_TRY(gw_table_text(r->table, r->label[column], &text));
    const bool missing = !*text || strcmp(text, "NA") == 0;
    if (!missing && gw_parse_double(text, least, most, &number) != GW_OK)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "label \"%s\": %s", r->options->label.items[column],
                             gw_message());
    GW_TRY(gw_reserve(&set->number, &r->number_capacity, at + 1, sizeof *set->number));
    set->number[at] = (float)number;
    return GW_OK;
}

static gw_status add_mark(gw_text_reader *r, const char *name) {
    int32_t class;
    GW_TRY(gw_text_class_of(r, name, &class));
    GW_TRY(gw_reserve(&r->marks, &r->mark_capacity, r->mark_count + 1, sizeof *r->marks));
    r->marks[r->mark_count++] = (gw_text_mark){r->set->rows, class};
    return GW_OK;
}

// Names between commas; an empty field has none.
static gw_status add_names(gw_text_reader *r, const char *text) {
    char *copy = gw_strdup(text), *rest = NULL;
    gw_status status = copy ? GW_OK : GW_ERR_MEMORY;
    for (char *name = strtok_r(copy, ",", &rest); status == GW_OK && name; name = strtok_r(NULL, ",", &rest)) {
        name += strspn(name, " ");
        size_t length = strlen(name);
        while (length > 0 && name[length - 1] == ' ') name[--length] = 0;
        status = add_mark(r, name);
    }
    free(copy);
    return status;
}

// What stands in a field as a JSON list.
static gw_status add_list(gw_text_reader *r, const char *text) {
    json_error_t error;
    json_t *list = json_loads(text, 0, &error);
    gw_status status = GW_OK;
    if (!json_is_array(list))
        status = gw_table_fail(r->table, GW_ERR_FORMAT, "the label \"%.60s\" begins as JSON and is no list: %s", text,
                               list ? "an object" : error.text);
    for (size_t i = 0; status == GW_OK && i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        status =
            name ? add_mark(r, name)
                 : gw_table_fail(r->table, GW_ERR_FORMAT, "item %zu of the labels \"%.60s\" is no text", i + 1, text);
    }
    json_decref(list);
    return status;
}

// A list of JSON, or a text: names, or a list written out.
static gw_status add_marks(gw_text_reader *r) {
    const int64_t items = gw_table_items(r->table, r->label[0]);
    const char *text;
    for (int64_t i = 0; i < items; i++) {
        GW_TRY(gw_table_item(r->table, r->label[0], i, &text));
        GW_TRY(add_mark(r, text));
    }
    if (items >= 0) return GW_OK;
    GW_TRY(gw_table_text(r->table, r->label[0], &text));
    const char first = text[strspn(text, " ")];
    return first == '[' || first == '{' ? add_list(r, text) : add_names(r, text);
}

static gw_status add_class(gw_text_reader *r, bool answer) {
    const char *text;
    int32_t class = 0;
    int64_t number;
    gw_text_set *set = r->set;
    GW_TRY(gw_table_text(r->table, r->label[0], &text));
    if (answer) {
        if (gw_parse_int(text, 0, r->options->choices.count - 1, &number) != GW_OK)
            return gw_table_fail(r->table, GW_ERR_FORMAT, "the right answer is \"%.60s\", expected 0 to %d", text,
                                 r->options->choices.count - 1);
        class = (int32_t)number;
    } else {
        GW_TRY(gw_text_class_of(r, text, &class));
    }
    GW_TRY(gw_reserve(&set->label, &r->label_capacity, set->rows + 1, sizeof *set->label));
    set->label[set->rows] = class;
    return GW_OK;
}

gw_status gw_text_add_labels(gw_text_reader *r) {
    switch (r->options->labels) {
    case GW_TEXT_ONE: return add_class(r, false);
    case GW_TEXT_ANSWER: return add_class(r, true);
    case GW_TEXT_MANY:
        if (r->options->label.count == 1) return add_marks(r);
        for (int c = 0; c < r->options->label.count; c++) GW_TRY(add_number(r, c, 0, 1));
        return GW_OK;
    case GW_TEXT_NUMBERS:
        for (int c = 0; c < r->options->label.count; c++) GW_TRY(add_number(r, c, -1e30, 1e30));
        return GW_OK;
    default: return GW_OK;
    }
}

gw_status gw_text_fill_marks(gw_text_reader *r) {
    gw_text_set *set = r->set;
    if (set->labels != GW_TEXT_MANY || r->options->label.count != 1) return GW_OK;
    set->number = gw_alloc(set->rows * set->classes + 1, sizeof *set->number);
    if (!set->number) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < r->mark_count; i++) set->number[r->marks[i].row * set->classes + r->marks[i].class] = 1;
    return GW_OK;
}
