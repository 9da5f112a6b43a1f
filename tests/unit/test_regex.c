// SPDX-License-Identifier: MIT
// Patterns of tokenizers: what they match, and which are refused.
#include "base/memory.h"
#include "text/json/pieces.h"
#include "text/json/regex.h"

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

// Oniguruma's words are more than PCRE2's, and a class that holds a set's opposite is written otherwise.
Test(regex, sets_and_their_opposites) {
    expect("\\w+", "a_1\xC2\xB2\xCC\x81 -", "[a_1\xC2\xB2\xCC\x81] -");
    expect("[\\w]+", "a\xC2\xB2", "[a]\xC2\xB2");
    expect("\\W+", "a-\xC2\xB2", "a[-]\xC2\xB2");
    expect("[^\\W\\d_]+", "ab1_c", "[ab]1_[c]");
    expect("[\\S\\n]+", "a b\n c", "[a] [b\n] [c]");
    expect("[^\\S\\n]+", "a \t\n b", "a[ \t]\n[ ]b");
    expect("[x\\W]+", "ax-b", "a[x-]b");
    expect("[\\D\\P{L}]", "1a", "[1][a]");
    expect("\\s+", "\xE1\xA0\x8E \xC2\x85", "\xE1\xA0\x8E[ \xC2\x85]"); // U+180E is no space
    expect("\\bab\\b",
           "ab abc \xC2\xB2"
           "ab",
           "[ab] abc \xC2\xB2"
           "ab");
    expect("\\B.", "abc d", "a[b][c] d");
}

Test(regex, groups_that_look_and_keep) {
    expect("(?<=a)b", "abb", "a[b]b");
    expect("(?<!a)b", "abb", "ab[b]");
    expect("a(?!bc)", "abc abd", "abc [a]bd");
    expect("(?>a+)b|a", "aaab aa", "[aaab] [a][a]");
    expect("a++a|b", "aaab", "aaa[b]");
    expect("[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}", "it's 1234", "[it]['s] [123][4]");
    expect("(a)(b)*", "abba", "[abb][a]");
}

static void expect_refused(const char *pattern, const char *what) {
    gw_regex *regex;
    cr_assert_eq(gw_regex_new(pattern, &regex), GW_ERR_UNSUPPORTED, "/%s/", pattern);
    cr_expect_null(regex);
    cr_expect(strstr(gw_message(), what), "'%s' lacks '%s'", gw_message(), what);
}

Test(regex, what_is_not_run_is_named) {
    expect_refused("a+*", "a repeated quantifier at byte 2");
    expect_refused("a{2}?", "a repeated quantifier at byte 4");
    expect_refused("a{2,3}+", "a repeated quantifier at byte 6");
    expect_refused("(?<name>a)", "a group of that kind");
    expect_refused("(?R)", "a group of that kind");
    expect_refused("(*FAIL)", "quantifier does not follow a repeatable item");
    expect_refused("(a)\\1", "an unknown escape");
    expect_refused("\\Qa\\E", "an unknown escape");
    expect_refused("(?<=a+)b", "lookbehind assertion is not fixed length");
    expect_refused("[a&&b]", "an intersection of classes");
    expect_refused("[[:alpha:]]", "a class within a class");
    expect_refused("(a", "a group without end");
    expect_refused("a)", "a ) without its (");
    expect_refused("[a", "a class without end");
    expect_refused("*a", "quantifier does not follow a repeatable item");
    expect_refused("\\p{Greek}", "an unknown property");
    expect_refused("a{2000}", "more than 1000 repetitions");
    expect_refused("(((a{100}){100}){100}){100}", "too large");
    expect_refused("a\\", "a backslash at the end");
    expect_refused("\\x{110000}", "a malformed code point");
    expect_refused("a{3,2}", "a malformed interval");
    expect_refused("(?i:\xC3\xA9)", "letters other than a to z without case");
    expect_refused("(?i:\\p{Lu})", "the case of letters without case");
    expect_refused("[b-a]", "a malformed range");
}

// An expression that tries one way after the other gives up; one that needs not does not.
Test(regex, no_pattern_takes_forever) {
    char text[20001];
    memset(text, 'a', 20000);
    text[20000] = 0;
    gw_regex *regex;
    gw_regex_scratch scratch = {0};
    int64_t begin, end;
    cr_assert_eq(gw_regex_new("(a|aa)+[bc]", &regex), GW_OK);
    cr_expect_eq(gw_regex_find(regex, &scratch, text, 20000, 0, &begin, &end), GW_ERR_RANGE);
    cr_expect(strstr(gw_message(), "\"(a|aa)+[bc]\" gives up on a text of 20000 bytes"), "%s", gw_message());
    gw_regex_scratch_free(&scratch);
    gw_regex_free(regex);
    char *found = marked("(?:a|b)+", text);
    cr_expect_eq(strlen(found), 20002);
    free(found);
}
