// SPDX-License-Identifier: MIT
// Compiles an expression by recursive descent. Jumps are relative, so that the steps of a part can be moved and copied:
//   x|y     split 1, after x; x; jump after y; y          x*    split 1, after; x; jump back
//   x{2,4}  x x split 1, after; x split 1, after; x       x+    x; split back, 1
#include "base/memory.h"
#include "text/json/regex_private.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 20000, MOST_DEPTH = 50, MOST_REPEATS = 1000 };

typedef struct {
    gw_regex *regex;
    const char *pattern, *at;
    bool fold; // (?i:
    int depth;
} parser;

static gw_status refuse(const parser *p, const char *what) {
    return gw_fail(GW_ERR_UNSUPPORTED, "the regular expression \"%.60s\": %s at byte %lld", p->pattern, what,
                   (long long)(p->at - p->pattern));
}

bool gw_class_has(const gw_class *set, uint32_t point) {
    if (point < GW_REGEX_ASCII) return set->ascii[point];
    bool has = false;
    for (int32_t i = 0; i < set->count && !has; i++) {
        const gw_class_item *item = &set->items[i];
        switch (item->what) {
        case GW_ITEM_RANGE: has = point >= item->low && point <= item->high; break;
        case GW_ITEM_CATEGORY: has = gw_category(point) & item->low; break;
        case GW_ITEM_SPACE: has = gw_is_space(point); break;
        case GW_ITEM_WORD: has = gw_is_word(point); break;
        }
        has = has != item->negated;
    }
    return has != set->negated;
}

static bool ascii_has(const gw_class_item *item, uint32_t c) {
    switch (item->what) {
    case GW_ITEM_RANGE: return c >= item->low && c <= item->high;
    case GW_ITEM_CATEGORY: return gw_category(c) & item->low;
    case GW_ITEM_SPACE: return gw_is_space(c);
    default: return gw_is_word(c);
    }
}

static void finish_class(gw_class *set) {
    for (uint32_t c = 0; c < GW_REGEX_ASCII; c++) {
        set->ascii[c] = false;
        for (int32_t i = 0; i < set->count; i++)
            if (ascii_has(&set->items[i], c) != set->items[i].negated) set->ascii[c] = true;
        set->ascii[c] = set->ascii[c] != set->negated;
    }
}

static gw_status emit(parser *p, gw_regex_step step) {
    gw_regex *r = p->regex;
    if (r->count >= MOST_STEPS) return refuse(p, "repetitions that make it too long");
    GW_TRY(gw_reserve(&r->steps, &r->capacity, r->count + 1, sizeof *r->steps));
    r->steps[r->count++] = step;
    return GW_OK;
}

static gw_status insert(parser *p, int32_t place, gw_regex_step step) {
    GW_TRY(emit(p, step));
    gw_regex_step *steps = p->regex->steps;
    memmove(steps + place + 1, steps + place, (size_t)(p->regex->count - 1 - place) * sizeof *steps);
    steps[place] = step;
    return GW_OK;
}

// --- classes -------------------------------------------------------------------------------------------------------

static gw_status new_class(parser *p, int32_t *index) {
    gw_regex *r = p->regex;
    GW_TRY(gw_reserve(&r->classes, &r->class_capacity, r->class_count + 1, sizeof *r->classes));
    r->classes[r->class_count] = (gw_class){0};
    *index = r->class_count++;
    return GW_OK;
}

static gw_status add_item(gw_class *set, gw_class_item item) {
    GW_TRY(gw_reserve(&set->items, &set->capacity, set->count + 1, sizeof *set->items));
    set->items[set->count++] = item;
    return GW_OK;
}

// A range, and where case does not count the other case of a single letter of it.
static gw_status add_range(parser *p, gw_class *set, uint32_t low, uint32_t high) {
    GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, low, high}));
    for (uint32_t c = 'a'; p->fold && c <= 'z'; c++) {
        const uint32_t upper = c - 32;
        if ((c < low || c > high) && (upper < low || upper > high)) continue;
        GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, c, c}));
        GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, upper, upper}));
        const uint32_t third = c == 's' ? 0x17F : c == 'k' ? 0x212A : c; // long s, the Kelvin sign
        GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, third, third}));
    }
    return p->fold && high >= GW_REGEX_ASCII ? refuse(p, "letters other than a to z without case") : GW_OK;
}

// The set of the categories that \p{..} names; 0: unknown.
static uint32_t named_categories(const char *name, size_t length) {
    static const char order[] = "CnLuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCo";
    uint32_t set = 0;
    if (length == 1 && *name == 'C') return 0; // unassigned characters too: they differ from version to version
    for (uint32_t i = 0; i < 30; i++)
        if ((length == 1 || length == 2) && memcmp(order + (size_t)2 * i, name, length) == 0) set |= 1u << i;
    return set;
}

static gw_status property(parser *p, bool negated, gw_class_item *item) {
    const char *close = *p->at == '{' ? strchr(p->at, '}') : NULL;
    if (!close) return refuse(p, "\\p without {name}");
    const char *name = p->at + 1;
    if (*name == '^') negated = !negated, name++;
    *item = (gw_class_item){GW_ITEM_CATEGORY, negated, named_categories(name, (size_t)(close - name)), 0};
    if (!item->low) return refuse(p, "an unknown property");
    p->at = close + 1;
    return GW_OK;
}

static gw_status hexadecimal(parser *p, int digits, uint32_t *point) {
    const bool braces = *p->at == '{';
    char *end, text[9] = {0};
    size_t length = braces ? strcspn(p->at + 1, "}") : strnlen(p->at, (size_t)digits);
    if (length > 8 || length == 0) return refuse(p, "a malformed code point");
    memcpy(text, p->at + braces, length);
    *point = (uint32_t)strtoul(text, &end, 16);
    if (*end || *text == '-' || *text == '+' || *point > 0x10FFFF || (braces && p->at[length + 1] != '}'))
        return refuse(p, "a malformed code point");
    p->at += length + (braces ? 2 : 0);
    return GW_OK;
}

// What follows a backslash, as an item.
static gw_status escape(parser *p, gw_class_item *item) {
    const char c = *p->at;
    if (!c) return refuse(p, "a backslash at the end");
    static const char letters[] = "ntrfvae", controls[] = "\n\t\r\f\v\a\033";
    const char *known = strchr(letters, c);
    p->at++;
    if (known) {
        const uint32_t point = (uint8_t)controls[known - letters];
        *item = (gw_class_item){GW_ITEM_RANGE, false, point, point};
        return GW_OK;
    }
    uint32_t point = (uint8_t)c;
    switch (c) {
    case 'd':
    case 'D': *item = (gw_class_item){GW_ITEM_CATEGORY, c == 'D', GW_CATEGORY_DECIMAL, 0}; return GW_OK;
    case 's':
    case 'S': *item = (gw_class_item){GW_ITEM_SPACE, c == 'S', 0, 0}; return GW_OK;
    case 'w':
    case 'W': *item = (gw_class_item){GW_ITEM_WORD, c == 'W', 0, 0}; return GW_OK;
    case 'p':
    case 'P': return property(p, c == 'P', item);
    case 'x': GW_TRY(hexadecimal(p, 2, &point)); break;
    case 'u': GW_TRY(hexadecimal(p, 4, &point)); break;
    default:
        if (!gw_is_ascii_punctuation(point) && point != ' ') return refuse(p, "an unknown escape");
    }
    *item = (gw_class_item){GW_ITEM_RANGE, false, point, point};
    return GW_OK;
}

// A character or an escape inside [ ].
static gw_status class_atom(parser *p, gw_class_item *item) {
    if (*p->at == '\\') {
        p->at++;
        return escape(p, item);
    }
    if (*p->at == '[') return refuse(p, "a class within a class");
    if (p->at[0] == '&' && p->at[1] == '&') return refuse(p, "an intersection of classes");
    int bytes;
    item->what = GW_ITEM_RANGE;
    item->negated = false;
    item->low = item->high = gw_utf8_read(p->at, &bytes);
    p->at += bytes;
    return GW_OK;
}

static gw_status class_items(parser *p, gw_class *set) {
    for (bool first = true; *p->at != ']' || first; first = false) {
        if (!*p->at || (*p->at == ']' && first)) return refuse(p, "a class without end");
        gw_class_item item, last;
        GW_TRY(class_atom(p, &item));
        if (item.what != GW_ITEM_RANGE) {
            GW_TRY(add_item(set, item));
            continue;
        }
        if (p->at[0] == '-' && p->at[1] && p->at[1] != ']') {
            p->at++;
            GW_TRY(class_atom(p, &last));
            if (last.what != GW_ITEM_RANGE || last.high < item.low) return refuse(p, "a malformed range");
            item.high = last.high;
        }
        GW_TRY(add_range(p, set, item.low, item.high));
    }
    p->at++;
    return GW_OK;
}

// \w or \W that stands alone: there, and not inside [ ], Oniguruma counts Latin-1's small digits and fractions as
// words.
static gw_status add_word(gw_class *set, bool negated) {
    set->negated = negated;
    GW_TRY(add_item(set, (gw_class_item){GW_ITEM_WORD, false, 0, 0}));
    GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, 0xB2, 0xB3}));
    GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, 0xB9, 0xB9}));
    return add_item(set, (gw_class_item){GW_ITEM_RANGE, false, 0xBC, 0xBE});
}

// The next class, escape or character as a class of its own.
static gw_status single(parser *p, int32_t *index) {
    GW_TRY(new_class(p, index));
    gw_class *set = &p->regex->classes[*index];
    if (*p->at == '[') {
        p->at++;
        if (*p->at == '^') set->negated = true, p->at++;
        GW_TRY(class_items(p, set));
    } else if (*p->at == '.') {
        p->at++;
        set->negated = true;
        GW_TRY(add_item(set, (gw_class_item){GW_ITEM_RANGE, false, '\n', '\n'}));
    } else {
        gw_class_item item;
        GW_TRY(class_atom(p, &item));
        if (item.what == GW_ITEM_RANGE) GW_TRY(add_range(p, set, item.low, item.high));
        else if (item.what == GW_ITEM_WORD) GW_TRY(add_word(set, item.negated));
        else GW_TRY(add_item(set, item));
    }
    finish_class(set);
    return GW_OK;
}

// --- expressions ---------------------------------------------------------------------------------------------------

static gw_status alternatives(parser *p);

static gw_status look_ahead(parser *p, bool negated) {
    int32_t set;
    if (strchr("()|*+?{", *p->at)) return refuse(p, "look-ahead at more than one character");
    GW_TRY(single(p, &set));
    if (*p->at != ')') return refuse(p, "look-ahead at more than one character");
    p->at++;
    return emit(p, (gw_regex_step){GW_REGEX_LOOK, set, negated});
}

static gw_status group(parser *p) {
    const bool fold = p->fold;
    p->at++;
    if (*p->at == '?') {
        if (p->at[1] == '=' || p->at[1] == '!') {
            p->at += 2;
            return look_ahead(p, p->at[-1] == '!');
        }
        if (strncmp(p->at, "?i:", 3) == 0) p->fold = true, p->at++;
        if (p->at[1] != ':') return refuse(p, "a group of that kind");
        p->at += 2;
    }
    if (++p->depth > MOST_DEPTH) return refuse(p, "groups too deep");
    GW_TRY(alternatives(p));
    p->depth--;
    p->fold = fold;
    if (*p->at != ')') return refuse(p, "a group without end");
    p->at++;
    return GW_OK;
}

// {n}, {n,}, {,m} or {n,m}; anything else after { is text.
static bool interval(parser *p, int32_t *least, int32_t *most) {
    const char *c = p->at + 1;
    char *end;
    const bool open = *c == ',';
    const long low = open ? 0 : strtol(c, &end, 10);
    if (!open && (end == c || *c == '-' || *c == '+' || *c == ' ')) return false;
    if (open) end = (char *)c;
    long high = low;
    if (*end == ',') {
        c = end + 1;
        high = strtol(c, &end, 10);
        if (end == c) high = GW_REGEX_ENDLESS;
        if ((end == c && open) || *c == '-' || *c == '+' || *c == ' ') return false;
    }
    if (*end != '}' || low < 0 || high < low) return false;
    *least = (int32_t)(low < GW_REGEX_ENDLESS ? low : GW_REGEX_ENDLESS);
    *most = (int32_t)(high < GW_REGEX_ENDLESS ? high : GW_REGEX_ENDLESS);
    p->at = end + 1;
    return true;
}

static bool quantifier(parser *p, int32_t *least, int32_t *most) {
    *least = *p->at == '+';
    *most = *p->at == '?' ? 1 : GW_REGEX_ENDLESS;
    if (*p->at == '{') return interval(p, least, most);
    if (!*p->at || !strchr("*+?", *p->at)) return false;
    p->at++;
    return true;
}

static gw_status append_steps(parser *p, const gw_regex_step *steps, int32_t count) {
    for (int32_t i = 0; i < count; i++) GW_TRY(emit(p, steps[i]));
    return GW_OK;
}

static gw_status split(parser *p, int32_t first, int32_t second, bool lazy) {
    return emit(p, (gw_regex_step){GW_REGEX_SPLIT, lazy ? second : first, lazy ? first : second});
}

static gw_status repeat_steps(parser *p, const gw_regex_step *x, int32_t n, int32_t least, int32_t most, bool lazy) {
    for (int32_t i = 0; i < least; i++) GW_TRY(append_steps(p, x, n));
    if (most == GW_REGEX_ENDLESS && least > 0) return split(p, -n, 1, lazy);
    if (most == GW_REGEX_ENDLESS) {
        GW_TRY(split(p, 1, n + 2, lazy));
        GW_TRY(append_steps(p, x, n));
        return emit(p, (gw_regex_step){GW_REGEX_JUMP, -n - 1, 0});
    }
    for (int32_t i = least; i < most; i++) {
        GW_TRY(split(p, 1, (most - i) * (n + 1), lazy));
        GW_TRY(append_steps(p, x, n));
    }
    return GW_OK;
}

// The steps from `begin` on, repeated.
static gw_status repeat(parser *p, int32_t begin, int32_t least, int32_t most, bool lazy) {
    const int32_t count = p->regex->count - begin;
    if (least > MOST_REPEATS || (most > MOST_REPEATS && most != GW_REGEX_ENDLESS))
        return refuse(p, "more than 1000 repetitions");
    gw_regex_step *steps = gw_alloc(count, sizeof *steps);
    if (!steps) return GW_ERR_MEMORY;
    memcpy(steps, p->regex->steps + begin, (size_t)count * sizeof *steps);
    p->regex->count = begin;
    const gw_status status = repeat_steps(p, steps, count, least, most, lazy);
    free(steps);
    return status;
}

static gw_status atom(parser *p) {
    static const char anchors[] = "^$";
    if (*p->at == '(') return group(p);
    if (strchr("*+?", *p->at)) return refuse(p, "a repetition of nothing");
    if (*p->at == '^' || *p->at == '$')
        return emit(p, (gw_regex_step){*p->at++ == anchors[0] ? GW_REGEX_LINE_BEGIN : GW_REGEX_LINE_END, 0, 0});
    if (p->at[0] == '\\' && (p->at[1] == 'A' || p->at[1] == 'z')) {
        p->at += 2;
        return emit(p, (gw_regex_step){p->at[-1] == 'A' ? GW_REGEX_TEXT_BEGIN : GW_REGEX_TEXT_END, 0, 0});
    }
    int32_t set;
    GW_TRY(single(p, &set));
    return emit(p, (gw_regex_step){GW_REGEX_CLASS, set, 0});
}

static gw_status sequence(parser *p) {
    while (*p->at && *p->at != '|' && *p->at != ')') {
        const int32_t begin = p->regex->count;
        GW_TRY(atom(p));
        int32_t least, most;
        const char *quantified = p->at;
        if (!quantifier(p, &least, &most)) continue;
        const bool exact =
            *quantified == '{' && !memchr(quantified, ',', (size_t)(p->at - quantified)); // {n}? is another
        const bool lazy = *p->at == '?' && !exact;
        p->at += lazy;
        if (*p->at && strchr("*+?", *p->at)) return refuse(p, "a possessive or repeated quantifier");
        const bool whole = begin == 0 && !*p->at && p->regex->count == 1 && p->depth == 0;
        if (whole && !lazy && least > 0 && p->regex->steps[0].op == GW_REGEX_CLASS) {
            p->regex->is_run = true;
            p->regex->least = least;
            p->regex->most = most;
        }
        GW_TRY(repeat(p, begin, least, most, lazy));
    }
    return GW_OK;
}

static gw_status alternatives(parser *p) {
    const int32_t begin = p->regex->count;
    GW_TRY(sequence(p));
    if (*p->at != '|') return GW_OK;
    p->at++;
    if (++p->depth > MOST_DEPTH * 4) return refuse(p, "too many alternatives");
    GW_TRY(insert(p, begin, (gw_regex_step){GW_REGEX_SPLIT, 1, p->regex->count - begin + 2}));
    const int32_t jump = p->regex->count;
    GW_TRY(emit(p, (gw_regex_step){GW_REGEX_JUMP, 0, 0}));
    GW_TRY(alternatives(p));
    p->regex->steps[jump].x = p->regex->count - jump;
    p->depth--;
    return GW_OK;
}

// --- the first byte ------------------------------------------------------------------------------------------------

// Marks the bytes that a match from this step on may begin with; false: it may take nothing.
static bool mark_starts(gw_regex *r, bool *seen, int32_t at) {
    for (;;) {
        const gw_regex_step step = r->steps[at];
        if (seen[at]) return true;
        seen[at] = true;
        if (step.op == GW_REGEX_MATCH) return false;
        if (step.op == GW_REGEX_SPLIT && !mark_starts(r, seen, at + step.y)) return false;
        if (step.op == GW_REGEX_CLASS) {
            for (int c = 0; c < GW_REGEX_ASCII; c++) r->starts[c] |= r->classes[step.x].ascii[c];
            for (int c = GW_REGEX_ASCII; c < 256; c++) r->starts[c] = true;
            return true;
        }
        at += step.op == GW_REGEX_SPLIT || step.op == GW_REGEX_JUMP ? step.x : 1;
    }
}

static gw_status compile(parser *p) {
    gw_regex *r = p->regex;
    GW_TRY(alternatives(p));
    if (*p->at) return refuse(p, "a ) without its (");
    GW_TRY(emit(p, (gw_regex_step){GW_REGEX_MATCH, 0, 0}));
    if (r->count == 2 && r->steps[0].op == GW_REGEX_CLASS) r->is_run = true, r->least = r->most = 1;
    bool *seen = gw_alloc(r->count, sizeof *seen);
    if (!seen) return GW_ERR_MEMORY;
    r->filters = mark_starts(r, seen, 0);
    free(seen);
    return GW_OK;
}

gw_status gw_regex_new(const char *pattern, gw_regex **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    parser p = {*out, pattern, pattern, false, 0};
    const gw_status status = compile(&p);
    if (status == GW_OK) return GW_OK;
    gw_regex_free(*out);
    *out = NULL;
    return status;
}

void gw_regex_free(gw_regex *regex) {
    if (!regex) return;
    for (int32_t i = 0; i < regex->class_count; i++) free(regex->classes[i].items);
    free(regex->classes);
    free(regex->steps);
    free(regex);
}
