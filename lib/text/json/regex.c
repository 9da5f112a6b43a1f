// SPDX-License-Identifier: MIT
// Regular expressions in Oniguruma's Ruby syntax are rewritten for PCRE2, and compiled to machine code if possible;
// searches are limited. Characters are written as \x{..}, so that none has a special meaning. Further rewriting:
//   ( )          (?: )                  groups are not needed
//   {,m}         {0,m}                  and a { that begins no interval is a character
//   \s \w        their sets             PCRE2's sets differ
//   [^..] \W     with a set's opposite among others, (?:[..]|[^..]) and (?:(?!..)(?s:.)): classes cannot hold one
//   \b           (?:(?<=W)(?!W)|(?<!W)(?=W)), W being \w
#include "text/json/regex.h"

#include "base/memory.h"
#include "base/string.h"
#include "base/utf8.h"
#include "text/unicode.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 50, MOST_REPEATS = 1000, ENDLESS = -1 };

#define SPACES "\\p{Z}\\x{9}-\\x{D}\\x{85}"
#define WORDS                                                                                                          \
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{"    \
    "1F189}"
// \w that stands alone: there, and not inside [ ], Oniguruma counts Latin-1's small digits and fractions as words.
#define LONE_WORDS WORDS "\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}"

typedef struct {
    const char *pattern, *at;
    gw_string *out;
    bool fold[MOST_DEPTH + 1]; // (?i: at each depth of groups
    int depth;
} rewriter;

static gw_status refuse(const rewriter *r, const char *what) {
    return gw_fail(GW_ERR_UNSUPPORTED, "the regular expression \"%.60s\": %s at byte %lld", r->pattern, what,
                   (long long)(r->at - r->pattern));
}

// --- characters and sets -------------------------------------------------------------------------------------------

// One character (`set` is empty), or a set as the inside of a class, or its opposite.
typedef struct {
    uint32_t point;
    char set[160];
    bool opposite;
} item;

static gw_status property(rewriter *r, bool opposite, item *out) {
    // L, Lu, ...: the general categories; C and Cn differ from version to version
    static const char names[] = " L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl "
                                "Zp Cc Cf Cs Co ";
    const char *close = *r->at == '{' ? strchr(r->at, '}') : NULL;
    if (!close) return refuse(r, "\\p without {name}");
    const char *name = r->at + 1;
    if (*name == '^') opposite = !opposite, name++;
    char marked[8];
    if (close - name < 1 || close - name > 2) return refuse(r, "an unknown property");
    snprintf(marked, sizeof marked, " %.*s ", (int)(close - name), name);
    if (!strstr(names, marked)) return refuse(r, "an unknown property");
    if (r->fold[r->depth] && (strstr(" Lu Ll Lt ", marked))) return refuse(r, "the case of letters without case");
    snprintf(out->set, sizeof out->set, "\\p{%.*s}", (int)(close - name), name);
    out->opposite = opposite;
    r->at = close + 1;
    return GW_OK;
}

static gw_status hexadecimal(rewriter *r, int digits, uint32_t *point) {
    const bool braces = *r->at == '{';
    char *end, text[9] = {0};
    const size_t length = braces ? strcspn(r->at + 1, "}") : strnlen(r->at, (size_t)digits);
    if (length > 8 || length == 0) return refuse(r, "a malformed code point");
    memcpy(text, r->at + braces, length);
    *point = (uint32_t)strtoul(text, &end, 16);
    if (*end || *text == '-' || *text == '+' || *text == ' ' || *point > 0x10FFFF ||
        (*point >= 0xD800 && *point < 0xE000) || (braces && r->at[length + 1] != '}'))
        return refuse(r, "a malformed code point");
    r->at += length + (braces ? 2 : 0);
    return GW_OK;
}

static void set_item(item *out, const char *set, bool opposite) {
    snprintf(out->set, sizeof out->set, "%s", set);
    out->opposite = opposite;
}

// What follows a backslash.
static gw_status escape(rewriter *r, item *out) {
    static const char letters[] = "ntrfvae", controls[] = "\n\t\r\f\v\a\033";
    const char c = *r->at;
    if (!c) return refuse(r, "a backslash at the end");
    const char *known = strchr(letters, c);
    out->point = known ? (uint8_t)controls[known - letters] : (uint8_t)c;
    r->at++;
    switch (c) {
    case 'd':
    case 'D': set_item(out, "\\p{Nd}", c == 'D'); return GW_OK;
    case 's':
    case 'S': set_item(out, SPACES, c == 'S'); return GW_OK;
    case 'w':
    case 'W': set_item(out, WORDS, c == 'W'); return GW_OK;
    case 'p':
    case 'P': return property(r, c == 'P', out);
    case 'x': return hexadecimal(r, 2, &out->point);
    case 'u': return hexadecimal(r, 4, &out->point);
    default:
        if (!known && !gw_is_ascii_punctuation(out->point) && c != ' ') return refuse(r, "an unknown escape");
        return GW_OK;
    }
}

// A character or an escape, in a class or outside.
static gw_status read_item(rewriter *r, item *out) {
    int bytes;
    *out = (item){0};
    if (*r->at == '\\') {
        r->at++;
        return escape(r, out);
    }
    out->point = gw_utf8_read(r->at, &bytes);
    r->at += bytes;
    return GW_OK;
}

// Beyond ASCII letters have case in more ways than PCRE2 knows.
static gw_status check_case(rewriter *r, uint32_t low, uint32_t high) {
    if (!r->fold[r->depth] || high < 0x80 || (low == high && gw_category(low) & GW_CATEGORY_PUNCTUATION)) return GW_OK;
    return refuse(r, "letters other than a to z without case");
}

// --- classes -------------------------------------------------------------------------------------------------------

// One part of a class: a set, or a character, or a range from it on.
static gw_status class_part(rewriter *r, gw_string *inside, gw_string *opposites) {
    item first, last;
    if (*r->at == '[') return refuse(r, "a class within a class");
    if (r->at[0] == '&' && r->at[1] == '&') return refuse(r, "an intersection of classes");
    GW_TRY(read_item(r, &first));
    if (*first.set) {
        if (first.opposite) gw_string_printf(opposites, "|[^%s]", first.set);
        else gw_string_puts(inside, first.set);
        return GW_OK;
    }
    last = first;
    if (r->at[0] == '-' && r->at[1] && r->at[1] != ']') {
        r->at++;
        if (*r->at == '[') return refuse(r, "a class within a class");
        GW_TRY(read_item(r, &last));
        if (*last.set || last.point < first.point) return refuse(r, "a malformed range");
    }
    GW_TRY(check_case(r, first.point, last.point));
    gw_string_printf(inside, "\\x{%X}-\\x{%X}", first.point, last.point);
    return GW_OK;
}

static gw_status class(rewriter *r) {
    gw_string inside = {0}, opposites = {0};
    gw_status status = GW_OK;
    const bool negated = *++r->at == '^';
    r->at += negated;
    bool closed = false;
    for (int parts = 0; status == GW_OK && !closed; parts++) {
        if (!*r->at || (*r->at == ']' && parts == 0)) status = refuse(r, "a class without end");
        else if (*r->at == ']') closed = true, r->at++;
        else status = class_part(r, &inside, &opposites);
    }
    if (status == GW_OK) {
        // Writes what the class comes to; `opposites` holds |[^set] for each set whose opposite is a part.
        gw_string *out = r->out;
        const char *parts = opposites.length > 0 ? opposites.data : "";
        if (inside.length == 0) parts += *parts == '|';
        gw_string_puts(out, *parts ? negated ? "(?:(?!" : "(?:" : "");
        if (inside.length > 0) gw_string_printf(out, negated && !*parts ? "[^%s]" : "[%s]", inside.data);
        gw_string_puts(out, parts);
        gw_string_puts(out, *parts ? negated ? ")(?s:.))" : ")" : "");
    }
    gw_string_free(&inside);
    gw_string_free(&opposites);
    return status;
}

// --- expressions ---------------------------------------------------------------------------------------------------

static gw_status open_group(rewriter *r) {
    static const char *const kinds[] = {"?:", "?i:", "?=", "?!", "?<=", "?<!", "?>"};
    const char *kind = kinds[0];
    if (r->depth == MOST_DEPTH) return refuse(r, "groups too deep");
    r->at++;
    if (*r->at == '?') {
        size_t i = 0;
        while (i < sizeof kinds / sizeof *kinds && strncmp(r->at, kinds[i], strlen(kinds[i])) != 0) i++;
        if (i == sizeof kinds / sizeof *kinds) return refuse(r, "a group of that kind");
        kind = kinds[i];
        r->at += strlen(kind);
    }
    gw_string_printf(r->out, "(%s", kind);
    r->fold[r->depth + 1] = r->fold[r->depth] || kind[1] == 'i';
    r->depth++;
    return GW_OK;
}

// A number at *at, which is moved behind it; ENDLESS where there is none.
static long repeats(const char **at) {
    char *end;
    if (**at < '0' || **at > '9') return ENDLESS;
    const long number = strtol(*at, &end, 10);
    *at = end;
    return number;
}

// {n}, {n,}, {,m} or {n,m}; anything else after { is text.
static bool interval(const char **at, long *least, long *most) {
    const char *c = *at + 1;
    *least = repeats(&c);
    const bool open = *c == ',';
    c += open;
    *most = open ? repeats(&c) : *least;
    if (*c != '}' || (*least == ENDLESS && *most == ENDLESS)) return false;
    if (*least == ENDLESS) *least = 0;
    *at = c + 1;
    return true;
}

// The lazy or possessive sign behind a quantifier. {n}? is an optional {n} in Ruby, {n,m}+ a repeated {n,m}.
static gw_status quantifier_end(rewriter *r, bool exact, bool counted) {
    if (*r->at == '?' && !exact) gw_string_puts(r->out, "?"), r->at++;
    else if (*r->at == '+' && !counted) gw_string_puts(r->out, "+"), r->at++;
    return *r->at && strchr("*+?", *r->at) ? refuse(r, "a repeated quantifier") : GW_OK;
}

static gw_status lone_escape(rewriter *r, const item *escaped) {
    if (!*escaped->set) {
        GW_TRY(check_case(r, escaped->point, escaped->point));
        gw_string_printf(r->out, "\\x{%X}", escaped->point);
    } else {
        const char *set = strcmp(escaped->set, WORDS) == 0 ? LONE_WORDS : escaped->set;
        gw_string_printf(r->out, escaped->opposite ? "[^%s]" : "[%s]", set);
    }
    return GW_OK;
}

static gw_status backslash(rewriter *r) {
    static const char border[] =
        "(?:(?<=[" LONE_WORDS "])(?![" LONE_WORDS "])|(?<![" LONE_WORDS "])(?=[" LONE_WORDS "]))";
    static const char inner[] =
        "(?:(?<=[" LONE_WORDS "])(?=[" LONE_WORDS "])|(?<![" LONE_WORDS "])(?![" LONE_WORDS "]))";
    item escaped;
    switch (r->at[1]) {
    case 'A': gw_string_puts(r->out, "\\A"); break;
    case 'z': gw_string_puts(r->out, "\\z"); break;
    case 'b': gw_string_puts(r->out, border); break;
    case 'B': gw_string_puts(r->out, inner); break;
    default: GW_TRY(read_item(r, &escaped)); return lone_escape(r, &escaped);
    }
    r->at += 2;
    return GW_OK;
}

static gw_status next_part(rewriter *r) {
    long least, most;
    item character;
    switch (*r->at) {
    case '\\': return backslash(r);
    case '[': return class(r);
    case '(': return open_group(r);
    case ')': {
        if (r->depth == 0) return refuse(r, "a ) without its (");
        r->depth--;
        r->at++;
        gw_string_puts(r->out, ")");
        return GW_OK;
    }
    case '^':
    case '$':
    case '.':
    case '|': gw_string_putc(r->out, *r->at++); return GW_OK;
    case '*':
    case '+':
    case '?': gw_string_putc(r->out, *r->at++); return quantifier_end(r, false, false);
    case '{':
        if (interval(&r->at, &least, &most)) {
            if (least > MOST_REPEATS || most > MOST_REPEATS) return refuse(r, "more than 1000 repetitions");
            if (most != ENDLESS && most < least) return refuse(r, "a malformed interval");
            gw_string_printf(r->out, "{%ld,", least);
            if (most != ENDLESS) gw_string_printf(r->out, "%ld", most);
            gw_string_puts(r->out, "}");
            return quantifier_end(r, least == most, true);
        }
        // fall through
    default: GW_TRY(read_item(r, &character)); return lone_escape(r, &character);
    }
}

// Appends the expression as PCRE2 is to read it.
static gw_status rewrite(const char *pattern, gw_string *out) {
    rewriter r = {.pattern = pattern, .at = pattern, .out = out};
    gw_string_append(out, "", 0);
    while (*r.at) GW_TRY(next_part(&r));
    if (r.depth > 0) return refuse(&r, "a group without end");
    return gw_string_status(out);
}

// --- compiled expressions ------------------------------------------------------------------------------------------

enum {
    MOST_STEPS = 10000000, // of a search
    FIRST_STACK = 32 << 10,
    LARGEST_STACK = 16 << 20,
    HEAP_KIB = 256 << 10, // where there is no machine code
    MESSAGE = 128
};

struct gw_regex {
    pcre2_code *code;
    char *pattern; // as it was given, for messages
};

static gw_status compile(const char *pattern, gw_regex *regex) {
    gw_string text = {0};
    int error = 0;
    size_t at = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    gw_status status = context ? rewrite(pattern, &text) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        regex->code =
            pcre2_compile((PCRE2_SPTR)text.data, (size_t)text.length,
                          PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &at, context);
        if (!regex->code) {
            PCRE2_UCHAR what[MESSAGE];
            pcre2_get_error_message(error, what, sizeof what);
            status =
                gw_fail(GW_ERR_UNSUPPORTED, "the regular expression \"%.60s\": %s (at byte %zu of what PCRE2 reads)",
                        pattern, (const char *)what, at);
        } else pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); // where it cannot, the interpreter runs
    }
    pcre2_compile_context_free(context);
    gw_string_free(&text);
    return status;
}

gw_status gw_regex_new(const char *pattern, gw_regex **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->pattern = gw_strdup(pattern);
    const gw_status status = (*out)->pattern ? compile(pattern, *out) : GW_ERR_MEMORY;
    if (status == GW_OK) return GW_OK;
    gw_regex_free(*out);
    *out = NULL;
    return status;
}

void gw_regex_free(gw_regex *regex) {
    if (!regex) return;
    pcre2_code_free(regex->code);
    free(regex->pattern);
    free(regex);
}

static gw_status make_scratch(gw_regex_scratch *scratch) {
    if (scratch->match) return GW_OK;
    scratch->context = pcre2_match_context_create(NULL);
    scratch->stack = pcre2_jit_stack_create(FIRST_STACK, LARGEST_STACK, NULL); // NULL where there is no machine code
    scratch->match = pcre2_match_data_create(1, NULL);
    if (!scratch->context || !scratch->match) return gw_fail(GW_ERR_MEMORY, "out of memory for a regular expression");
    pcre2_set_match_limit(scratch->context, MOST_STEPS);
    pcre2_set_heap_limit(scratch->context, HEAP_KIB);
    if (scratch->stack) pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
    return GW_OK;
}

void gw_regex_scratch_free(gw_regex_scratch *scratch) {
    pcre2_match_data_free(scratch->match);
    pcre2_match_context_free(scratch->context);
    pcre2_jit_stack_free(scratch->stack);
    *scratch = (gw_regex_scratch){0};
}

gw_status gw_regex_find(const gw_regex *regex, gw_regex_scratch *scratch, const char *text, int64_t length,
                        int64_t from, int64_t *begin, int64_t *end) {
    *begin = *end = -1;
    GW_TRY(make_scratch(scratch));
    const int found = pcre2_match(regex->code, (PCRE2_SPTR)text, (size_t)length, (size_t)from, PCRE2_NO_UTF_CHECK,
                                  scratch->match, scratch->context);
    if (found == PCRE2_ERROR_NOMATCH) return GW_OK;
    if (found < 0) {
        PCRE2_UCHAR what[MESSAGE];
        pcre2_get_error_message(found, what, sizeof what);
        return gw_fail(GW_ERR_RANGE, "the regular expression \"%.60s\" gives up on a text of %lld bytes: %s",
                       regex->pattern, (long long)length, (const char *)what);
    }
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(scratch->match);
    *begin = (int64_t)ends[0];
    *end = (int64_t)ends[1];
    return GW_OK;
}
