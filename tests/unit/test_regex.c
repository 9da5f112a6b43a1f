// SPDX-License-Identifier: MIT
#include "base/memory.h"
#include "text/json/regex.h"
#include "text/json/text_pattern.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// All matches in `text`, in brackets.
static char *marked(const char *pattern, const char *text) {
    gw_text_pattern p = {.kind = GW_PATTERN_REGEX};
    gw_regex_scratch scratch = {0};
    gw_string out = {0};
    int64_t done = 0;
    cr_assert_eq(gw_regex_new(pattern, &p.regex), GW_OK, "%s", gw_message());
    gw_string_append(&out, "", 0);
    for (gw_match_walk walk = gw_match_walk_over(&p, &scratch, text, (int64_t)strlen(text));;) {
        cr_assert_eq(gw_match_walk_next(&walk), GW_OK);
        if (walk.begin < 0) break;
        gw_string_printf(&out, "%.*s[%.*s]", (int)(walk.begin - done), text + done, (int)(walk.end - walk.begin),
                         text + walk.begin);
        done = walk.end;
    }
    gw_string_puts(&out, text + done);
    gw_regex_scratch_free(&scratch);
    gw_text_pattern_free(&p);
    return out.data;
}

static void expect(const char *pattern, const char *text, const char *expected) {
    char *found = marked(pattern, text);
    cr_expect_str_eq(found, expected, "/%s/ in \"%s\": found \"%s\", expected \"%s\"", pattern, text, found, expected);
    free(found);
}

Test(regex, runs_of_a_class) {
    expect("N{3,}", "NNACNNNGNNNNN", "NNAC[NNN]G[NNNNN]");
    expect("N{10,}", "NNNNNNNNN", "NNNNNNNNN");
    expect(" {2,}", "a  b c   ", "a[  ]b c[   ]");
    expect("[ab]{2,3}", "abababa", "[aba][bab]a");
    expect("\\s+",
           " a\t\n\xC2\xA0"
           "b",
           "[ ]a[\t\n\xC2\xA0]b");
    expect("[^\\s\\d]", "a 1\xC3\xA9", "[a] 1[\xC3\xA9]");
}

Test(regex, the_first_choice_wins) {
    expect("ab|a|abc", "abca", "[ab]c[a]");
    expect("a+?b|a", "aaab", "[aaab]");
    expect("a{1,3}?", "aaa", "[a][a][a]");
    expect("(?:ab|a)(c|bcd)?", "abcd", "[abc]d");
    expect("x*", "axxb", "[]a[xx]b[]");
    expect("a(bc)*d", "abcbcd abd", "[abcbcd] abd");
    expect("a{,2}b", "aaab", "a[aab]");
    expect("{x}|a{", "{x}a{", "[{x}][a{]");
}

Test(regex, unicode_anchors_and_look_ahead) {
    expect("\\p{L}+", "ab1\xC3\xA9\xE6\x97\xA5", "[ab]1[\xC3\xA9\xE6\x97\xA5]");
    expect("\\p{^Lu}", "Ab", "A[b]");
    expect("\\s+(?!\\S)|\\s+", "a   b  ", "a[  ][ ]b[  ]");
    expect("e(?=r)", "erge", "[e]rge");
    expect("(?i:'s|'ll)", "'S 'lL 's", "['S] ['lL] ['s]");
    expect("^.|.$", "ab\ncd", "[a][b]\n[c][d]");
    expect("\\Aa|b\\z", "aabb", "[a]ab[b]");
    expect("\\x41\\u0042\\x{43}", "ABC", "[ABC]");
    expect("[\\]\\-a-]+", "]-ab", "[]-a]b");
}

static void expect_refused(const char *pattern, const char *what) {
    gw_regex *regex;
    cr_assert_eq(gw_regex_new(pattern, &regex), GW_ERR_UNSUPPORTED, "/%s/", pattern);
    cr_expect_null(regex);
    cr_expect(strstr(gw_message(), what), "'%s' lacks '%s'", gw_message(), what);
}

Test(regex, what_is_not_run_is_named) {
    expect_refused("a++", "a possessive or repeated quantifier at byte 2");
    expect_refused("a{2}?", "a possessive or repeated quantifier at byte 4");
    expect_refused("(?<=a)b", "a group of that kind");
    expect_refused("a(?!bc)", "look-ahead at more than one character");
    expect_refused("\\bword", "an unknown escape");
    expect_refused("[a&&b]", "an intersection of classes");
    expect_refused("[[:alpha:]]", "a class within a class");
    expect_refused("(a", "a group without end");
    expect_refused("a)", "a ) without its (");
    expect_refused("[a", "a class without end");
    expect_refused("*a", "a repetition of nothing");
    expect_refused("\\p{Greek}", "an unknown property");
    expect_refused("a{2000}", "more than 1000 repetitions");
    expect_refused("(((a{100}){100}){100}){100}", "too long");
    expect_refused("a\\", "a backslash at the end");
    expect_refused("\\x{110000}", "a malformed code point");
    expect_refused("[b-a]", "a malformed range");
}

// A matcher that tries one way after the other would not end.
Test(regex, no_pattern_takes_forever) {
    char text[20001];
    memset(text, 'a', 20000);
    text[20000] = 0;
    char *found = marked("(a*)*b|(a|aa)+c", text);
    cr_expect_str_eq(found, text);
    free(found);
}
