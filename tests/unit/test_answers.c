// SPDX-License-Identifier: MIT
// Answers against those expected: figures of SQuAD's own script.
#include "base/utf8.h"
#include "language/answers.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *found, const char *expected, double exact, double f1) {
    gw_answer_match match;
    cr_assert_eq(gw_answer_compare(found, expected, &match), GW_OK);
    cr_expect_eq(match.exact, exact, "'%s' and '%s'", found, expected);
    cr_expect_float_eq(match.f1, f1, 1e-12, "'%s' and '%s': %.17g", found, expected, match.f1);
}

Test(answers, words_in_common) {
    expect("The Normans.", "normans", 1, 1);
    expect("in  the 10th and 11th\tcenturies", "10th and 11th centuries", 0, 2 * 4 / 9.0);
    expect("a b b", "b b c", 0, 2 * 2 / 5.0);
    expect("Beyonc\xc3\x89", "beyonc\xc3\xa9", 1, 1);
    expect("U.S.", "us", 1, 1);
    expect("Denmark", "Iceland", 0, 0);
}

Test(answers, nothing) {
    expect("", "", 1, 1);
    expect("the", "", 1, 1);
    expect("Rollo", "", 0, 0);
    expect("", "Rollo", 0, 0);
}

static void expect_normal(const char *answer, gw_answer_rule rule, const char *normal) {
    gw_string out = {0};
    cr_assert_eq(gw_answer_normalise(answer, rule, &out), GW_OK);
    cr_expect_str_eq(out.data, normal, "'%s' becomes '%s'", answer, out.data);
    gw_string_free(&out);
}

// What Python's str.lower(), str.split() and \b make of them.
Test(answers, normal_forms) {
    expect_normal("the\u2013end, an A-b", GW_ANSWERS_WITHOUT_PUNCTUATION, "\u2013end ab");
    expect_normal("the\u0301 the\u00b2", GW_ANSWERS_WITHOUT_PUNCTUATION, "\u0301 the\u00b2");
    expect_normal("\u039f\u0394\u039f\u03a3 \u03a3a a\u03a3.b", GW_ANSWERS_WITHOUT_PUNCTUATION,
                  "\u03bf\u03b4\u03bf\u03c2 \u03c3a a\u03c3b");
    expect_normal("\u0130 a\x1c"
                  "b\u3000c",
                  GW_ANSWERS_WITHOUT_PUNCTUATION, "i\u0307 b c");
    expect_normal("an_the rock\u2019n\u2019roll", GW_ANSWERS_SPLIT_AT_PUNCTUATION, "rock n roll");
    expect_normal("!", GW_ANSWERS_SPLIT_AT_PUNCTUATION, "");
}

Test(answers, bytes_that_are_no_characters) {
    static const char *const texts[][2] = {{"ab\xc3\xa9", "ab\xc3\xa9"},
                                           {"\xa9 a", "\xef\xbf\xbd a"},
                                           {"a\xe2\x82", "a\xef\xbf\xbd"},
                                           {"\xc3"
                                            "b\xff",
                                            "\xef\xbf\xbd"
                                            "b\xef\xbf\xbd"}};
    for (int i = 0; i < 4; i++) {
        gw_string out = {0};
        gw_utf8_append_mended(&out, texts[i][0], (int64_t)strlen(texts[i][0]));
        cr_expect_str_eq(out.data, texts[i][1]);
        gw_string_free(&out);
    }
}
