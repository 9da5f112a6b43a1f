// SPDX-License-Identifier: MIT
// Searches: every step of the expression has at most one thread, which knows where its match began; threads stand in
// the order in which a backtracking matcher would try them. A thread that matches ends all that stand behind it.
#include "base/memory.h"
#include "text/json/regex_private.h"
#include "text/utf8.h"

#include <stdlib.h>

typedef struct {
    int32_t *step;  // [count]
    int64_t *begin; // [count]
    int32_t count;
} thread_list;

typedef struct {
    const gw_regex *regex;
    const char *text;
    int64_t length;
    thread_list now, next;
    int64_t *seen;  // [steps] the place at which a step was last added, + 1
    int32_t *stack; // [steps + 1]
} search;

void gw_regex_scratch_free(gw_regex_scratch *scratch) {
    free(scratch->memory);
    *scratch = (gw_regex_scratch){0};
}

static uint32_t point_at(const search *s, int64_t place, int *bytes) {
    return gw_utf8_read(s->text + place, bytes);
}

// Whether a step that takes nothing lets a thread pass.
static bool passes(const search *s, gw_regex_step step, int64_t place) {
    int bytes;
    switch (step.op) {
    case GW_REGEX_LOOK:
        return (place < s->length && gw_class_has(&s->regex->classes[step.x], point_at(s, place, &bytes))) != step.y;
    case GW_REGEX_LINE_BEGIN: return place == 0 || (s->text[place - 1] == '\n' && place < s->length);
    case GW_REGEX_LINE_END: return place == s->length || s->text[place] == '\n';
    case GW_REGEX_TEXT_BEGIN: return place == 0;
    default: return place == s->length;
    }
}

// Adds a thread at `step`, or at all steps that are reached from there without taking a character, first choice first.
static void add_thread(search *s, thread_list *list, int32_t step, int64_t begin, int64_t place) {
    int32_t depth = 0;
    s->stack[depth++] = step;
    while (depth > 0) {
        const int32_t at = s->stack[--depth];
        if (s->seen[at] == place + 1) continue;
        s->seen[at] = place + 1;
        const gw_regex_step here = s->regex->steps[at];
        if (here.op == GW_REGEX_SPLIT) {
            s->stack[depth++] = at + here.y;
            s->stack[depth++] = at + here.x;
        } else if (here.op == GW_REGEX_JUMP) {
            s->stack[depth++] = at + here.x;
        } else if (here.op == GW_REGEX_CLASS || here.op == GW_REGEX_MATCH) {
            list->step[list->count] = at;
            list->begin[list->count++] = begin;
        } else if (passes(s, here, place)) {
            s->stack[depth++] = at + 1;
        }
    }
}

// One class, repeated: runs of its characters.
static void find_run(const search *s, int64_t from, int64_t *begin, int64_t *end) {
    const gw_regex *r = s->regex;
    const gw_class *set = &r->classes[0];
    int64_t place = from;
    while (place < s->length) {
        int bytes = 1;
        int32_t count = 0;
        while (place < s->length && !r->starts[(uint8_t)s->text[place]]) place++;
        const int64_t first = place;
        for (; count < r->most && place < s->length; count++, place += bytes)
            if (!gw_class_has(set, point_at(s, place, &bytes))) break;
        if (count >= r->least) {
            *begin = first;
            *end = place;
            return;
        }
        if (place < s->length) place += bytes; // the character that ended the run
    }
}

// One character further: threads whose class has it go on; a match is noted and ends the threads behind it.
static void advance(search *s, int64_t place, int64_t *begin, int64_t *end) {
    int bytes = 1;
    const bool more = place < s->length;
    const uint32_t point = more ? point_at(s, place, &bytes) : 0;
    s->next.count = 0;
    for (int32_t i = 0; i < s->now.count; i++) {
        const int32_t at = s->now.step[i];
        const gw_regex_step step = s->regex->steps[at];
        if (step.op == GW_REGEX_MATCH) {
            *begin = s->now.begin[i];
            *end = place;
            return;
        }
        if (more && gw_class_has(&s->regex->classes[step.x], point))
            add_thread(s, &s->next, at + 1, s->now.begin[i], place + bytes);
    }
}

static void find_threads(search *s, int64_t from, int64_t *begin, int64_t *end) {
    int bytes = 1;
    s->now.count = 0;
    for (int64_t place = from; place <= s->length; place += bytes) {
        if (s->now.count == 0) {
            if (*begin >= 0) return;
            while (s->regex->filters && place < s->length && !s->regex->starts[(uint8_t)s->text[place]]) place++;
        }
        if (*begin < 0) add_thread(s, &s->now, 0, place, place);
        advance(s, place, begin, end);
        bytes = 1;
        if (place < s->length) point_at(s, place, &bytes);
        const thread_list old = s->now;
        s->now = s->next;
        s->next = old;
    }
}

gw_status gw_regex_find(const gw_regex *regex, gw_regex_scratch *scratch, const char *text, int64_t length,
                        int64_t from, int64_t *begin, int64_t *end) {
    search s = {.regex = regex, .text = text, .length = length};
    *begin = *end = -1;
    if (regex->is_run) {
        find_run(&s, from, begin, end);
        return GW_OK;
    }
    const int64_t n = regex->count + 1;
    GW_TRY(gw_reserve(&scratch->memory, &scratch->capacity, n, 3 * sizeof(int64_t) + 4 * sizeof(int32_t)));
    s.seen = scratch->memory;
    s.now.begin = s.seen + n;
    s.next.begin = s.now.begin + n;
    s.now.step = (int32_t *)(s.next.begin + n);
    s.next.step = s.now.step + n;
    s.stack = s.next.step + n;
    for (int64_t i = 0; i < n; i++) s.seen[i] = 0;
    find_threads(&s, from, begin, end);
    return GW_OK;
}
