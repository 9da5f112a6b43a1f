// SPDX-License-Identifier: MIT
// Stems of NLTK's PorterStemmer, and what rouge-score 0.1.2 gives; tests/oracle/rouge_oracle.py compares 2,000 pairs.
#include "language/porter.h"
#include "language/rouge.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(rouge, stems) {
    static const char *const words[][2] = {{"caresses", "caress"},
                                           {"ponies", "poni"},
                                           {"ties", "tie"},
                                           {"cats", "cat"},
                                           {"feed", "feed"},
                                           {"agreed", "agre"},
                                           {"plastered", "plaster"},
                                           {"bled", "bled"},
                                           {"motoring", "motor"},
                                           {"sing", "sing"},
                                           {"conflated", "conflat"},
                                           {"troubled", "troubl"},
                                           {"sized", "size"},
                                           {"hopping", "hop"},
                                           {"tanned", "tan"},
                                           {"falling", "fall"},
                                           {"hissing", "hiss"},
                                           {"fizzed", "fizz"},
                                           {"failing", "fail"},
                                           {"filing", "file"},
                                           {"happy", "happi"},
                                           {"sky", "sky"},
                                           {"relational", "relat"},
                                           {"conditional", "condit"},
                                           {"valenci", "valenc"},
                                           {"digitizer", "digit"},
                                           {"radicalli", "radic"},
                                           {"analogousli", "analog"},
                                           {"vietnamization", "vietnam"},
                                           {"operator", "oper"},
                                           {"feudalism", "feudal"},
                                           {"decisiveness", "decis"},
                                           {"hopefulness", "hope"},
                                           {"sensitiviti", "sensit"},
                                           {"formaliti", "formal"},
                                           {"sensibiliti", "sensibl"},
                                           {"triplicate", "triplic"},
                                           {"formative", "form"},
                                           {"electrical", "electr"},
                                           {"goodness", "good"},
                                           {"allowance", "allow"},
                                           {"airliner", "airlin"},
                                           {"adoption", "adopt"},
                                           {"adjustment", "adjust"},
                                           {"communism", "commun"},
                                           {"probate", "probat"},
                                           {"cease", "ceas"},
                                           {"controll", "control"},
                                           {"roll", "roll"},
                                           {"geology", "geolog"},
                                           {"skies", "sky"},
                                           {"dying", "die"},
                                           {"news", "news"},
                                           {"innings", "inning"},
                                           {"proceed", "proceed"},
                                           {"spied", "spi"},
                                           {"died", "die"},
                                           {"theologi", "theolog"},
                                           {"cheerfulli", "cheer"},
                                           {"flies", "fli"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char word[32];
        strcpy(word, words[i][0]);
        word[gw_porter_stem(word, (int64_t)strlen(word))] = 0;
        cr_expect_str_eq(word, words[i][1], "%s: %s, expected %s", words[i][0], word, words[i][1]);
    }
}

static gw_rouge_text text_of(const gw_rouge_words *words, int64_t i) {
    gw_rouge_text text;
    gw_rouge_words_text(words, i, &text.word, &text.start, &text.sentences);
    return text;
}

static void check(const char *reference, const char *text, const double expected[GW_ROUGES][3]) {
    gw_rouge_words *words;
    gw_rouge found[GW_ROUGES];
    cr_assert_eq(gw_rouge_words_new(&words), GW_OK);
    cr_assert_eq(gw_rouge_words_add(words, reference, (int64_t)strlen(reference)), GW_OK);
    cr_assert_eq(gw_rouge_words_add(words, text, (int64_t)strlen(text)), GW_OK);
    cr_assert_eq(gw_rouge_words_number(words), GW_OK);
    const gw_rouge_text a = text_of(words, 0), b = text_of(words, 1);
    cr_assert_eq(gw_rouge_compute(&a, &b, found), GW_OK);
    for (int k = 0; k < GW_ROUGES; k++) {
        const double values[] = {found[k].precision, found[k].recall, found[k].f1};
        for (int i = 0; i < 3; i++)
            cr_expect(fabs(values[i] - expected[k][i]) < 1e-12, "'%s': %s, figure %d is %.17g, expected %.17g", text,
                      gw_rouge_names[k], i, values[i], expected[k][i]);
    }
    gw_rouge_words_free(words);
}

Test(rouge, as_the_package) {
    check("The cats were running quickly.<n>They caught 3 mice in the barn.",
          "A cat ran quickly and caught the mice.\nThe barn was running empty.",
          (double[][3]){{8.0 / 13, 8.0 / 12, 0.64},
                        {1.0 / 12, 1.0 / 11, 2.0 / 23},
                        {6.0 / 13, 0.5, 0.48},
                        {8.0 / 13, 8.0 / 12, 0.64}});
    // The Kelvin sign is a k, the capital I with a dot an i before a mark; other letters part words.
    check("Kelvin: 300 \xE2\x84\xAA, \xC4\xB0stanbul na\xC3\xAFve", "300 k stanbul i na ve",
          (double[][3]){{1, 6.0 / 7, 12.0 / 13},
                        {0.4, 1.0 / 3, 4.0 / 11},
                        {5.0 / 6, 5.0 / 7, 10.0 / 13},
                        {5.0 / 6, 5.0 / 7, 10.0 / 13}});
    check("one word", "", (double[][3]){{0}, {0}, {0}, {0}});
    check("a b c d e f\ng h", "a c e f g\nb d h",
          (double[][3]){{1, 1, 1}, {2.0 / 7, 2.0 / 7, 2.0 / 7}, {0.75, 0.75, 0.75}, {1, 1, 1}});
}
