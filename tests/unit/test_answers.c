// SPDX-License-Identifier: MIT
// Answers against those expected: figures of SQuAD's own script.
#include "base/utf8.h"
#include "text/answers.h"

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
