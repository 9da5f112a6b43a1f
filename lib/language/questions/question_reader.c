// SPDX-License-Identifier: MIT
// Ids are kept as the keys of an object.
#include "language/questions/question_reader.h"

#include <stdio.h>
#include <string.h>

gw_status gw_question_reader_begin(gw_question_reader *r, const char *path, gw_questions *questions) {
    *r = (gw_question_reader){.path = path, .questions = questions, .ids = json_object()};
    return r->ids ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
}

gw_status gw_question_reader_end(gw_question_reader *r, gw_status status, int64_t before) {
    json_decref(r->ids);
    gw_string_free(&r->where);
    if (status == GW_OK && r->questions->count == before)
        return gw_fail(GW_ERR_FORMAT, "%s: there is no question in it", r->path);
    return status;
}

gw_status gw_question_reader_at(gw_question_reader *r, const char *question) {
    gw_string_clear(&r->where);
    gw_string_puts(&r->where, r->path);
    if (question) gw_string_printf(&r->where, ": question %.80s", question);
    return gw_string_status(&r->where);
}

gw_status gw_question_reader_add(gw_question_reader *r, const char *id, const char *text) {
    r->questions->repeated += json_object_get(r->ids, id) != NULL;
    if (json_object_set_new(r->ids, id, json_true()) != 0) return gw_fail(GW_ERR_MEMORY, "out of memory");
    return gw_questions_add(r->questions, id, text);
}

gw_status gw_question_reader_list(const char *path, gw_questions *questions, gw_question_item *item) {
    const int64_t before = questions->count;
    gw_question_reader r;
    json_t *set = NULL, *one;
    size_t i;
    gw_status status = gw_question_reader_begin(&r, path, questions);
    if (status == GW_OK) status = gw_json_file(path, &set);
    if (status == GW_OK && !json_is_array(set)) status = gw_fail(GW_ERR_FORMAT, "%s: expected a list", path);
    json_array_foreach(set, i, one) {
        if (status == GW_OK) status = gw_question_reader_at(&r, NULL);
        if (status == GW_OK) status = item(&r, one);
    }
    json_decref(set);
    return gw_question_reader_end(&r, status, before);
}

bool gw_head_begins(const char *head, char bracket) {
    return head[strspn(head, " \t\r\n")] == bracket;
}

bool gw_head_has_key(const char *head, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    for (const char *at = head; (at = strstr(at, quoted)) != NULL;) {
        const bool escaped = at > head && at[-1] == '\\';
        at += strlen(quoted);
        if (!escaped && at[strspn(at, " \t\r\n")] == ':') return true;
    }
    return false;
}
