// SPDX-License-Identifier: MIT
// A word is [C](VC)^m[V], where C and V are runs of consonants and vowels; m is its measure. Each step finds the first
// suffix of its list that the word has, and replaces it if the rest of the word meets the suffix's condition.
#include "language/porter.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    char *text;
    int64_t length;
} word;

static bool is_consonant(const char *text, int64_t i) {
    bool consonant = true; // y is one after a vowel and at the start
    int64_t first = i;
    while (first > 0 && text[first] == 'y') first--;
    for (int64_t k = first; k <= i; k++)
        consonant = text[k] == 'y' ? k == 0 || !consonant : strchr("aeiou", text[k]) == NULL;
    return consonant;
}

static int64_t measure(const char *text, int64_t length) {
    int64_t m = 0;
    for (int64_t i = 1; i < length; i++) m += is_consonant(text, i) && !is_consonant(text, i - 1);
    return m;
}

static bool has_vowel(const char *text, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        if (!is_consonant(text, i)) return true;
    return false;
}

static bool ends(const word *w, const char *suffix) {
    const int64_t length = (int64_t)strlen(suffix);
    return w->length >= length && memcmp(w->text + w->length - length, suffix, (size_t)length) == 0;
}

static bool ends_double(const char *text, int64_t length) {
    return length >= 2 && text[length - 1] == text[length - 2] && is_consonant(text, length - 1);
}

// Consonant, vowel, consonant other than w, x, y; of two letters vowel and consonant.
static bool ends_cvc(const char *text, int64_t length) {
    if (length == 2) return !is_consonant(text, 0) && is_consonant(text, 1);
    return length > 2 && is_consonant(text, length - 3) && !is_consonant(text, length - 2) &&
           is_consonant(text, length - 1) && !strchr("wxy", text[length - 1]);
}

static void replace(word *w, int64_t cut, const char *with) {
    const size_t length = strlen(with);
    memcpy(w->text + w->length - cut, with, length);
    w->length += (int64_t)length - cut;
}

typedef struct {
    const char *suffix, *with;
} rule;

// Where the measure before the suffix is at least that.
static void apply(word *w, const rule *rules, int64_t least) {
    for (; rules->suffix; rules++) {
        if (!ends(w, rules->suffix)) continue;
        const int64_t cut = (int64_t)strlen(rules->suffix);
        if (measure(w->text, w->length - cut) >= least) replace(w, cut, rules->with);
        return;
    }
}

static void plurals(word *w) {
    static const rule rules[] = {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}, {NULL, NULL}};
    if (ends(w, "ies") && w->length == 4) replace(w, 3, "ie");
    else apply(w, rules, 0);
}

// After -ed and -ing were taken away.
static void mend(word *w) {
    const char last = w->text[w->length - 1];
    if (ends(w, "at") || ends(w, "bl") || ends(w, "iz")) replace(w, 0, "e");
    else if (ends_double(w->text, w->length)) w->length -= strchr("lsz", last) == NULL;
    else if (measure(w->text, w->length) == 1 && ends_cvc(w->text, w->length)) replace(w, 0, "e");
}

static void past(word *w) {
    if (ends(w, "ied")) {
        replace(w, 3, w->length == 4 ? "ie" : "i");
        return;
    }
    if (ends(w, "eed")) {
        w->length -= measure(w->text, w->length - 3) > 0;
        return;
    }
    const int64_t cut = ends(w, "ed") ? 2 : ends(w, "ing") ? 3 : 0;
    if (cut == 0 || !has_vowel(w->text, w->length - cut)) return;
    w->length -= cut;
    mend(w);
}

static void final_y(word *w) {
    if (ends(w, "y") && w->length > 2 && is_consonant(w->text, w->length - 2)) replace(w, 1, "i");
}

static void double_suffixes(word *w) {
    static const rule rules[] = {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
                                 {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
                                 {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
                                 {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
                                 {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
                                 {"fulli", "ful"},   {NULL, NULL}};
    while (ends(w, "alli") && measure(w->text, w->length - 4) > 0) replace(w, 4, "al");
    const bool logi = ends(w, "logi") && measure(w->text, w->length - 3) > 0; // its l belongs to what stands before
    if (logi) w->length--;
    else apply(w, rules, 1);
}

static void other_suffixes(word *w) {
    static const rule third[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                 {"ical", "ic"},  {"ful", ""},   {"ness", ""},    {NULL, NULL}};
    static const rule fourth[] = {{"al", ""},   {"ance", ""},   {"ence", ""}, {"er", ""},    {"ic", ""},
                                  {"able", ""}, {"ible", ""},   {"ant", ""},  {"ement", ""}, {"ment", ""},
                                  {"ent", ""},  {"ion", "ion"}, {"ou", ""},   {"ism", ""},   {"ate", ""},
                                  {"iti", ""},  {"ous", ""},    {"ive", ""},  {"ize", ""},   {NULL, NULL}};
    apply(w, third, 1);
    // -ion goes behind s and t alone, which count with what stands before.
    if (ends(w, "sion") || ends(w, "tion")) {
        if (measure(w->text, w->length - 3) > 1) w->length -= 3;
    } else {
        apply(w, fourth, 2);
    }
}

static void final_e_and_l(word *w) {
    const int64_t before = w->length - 1;
    if (ends(w, "e")) {
        const int64_t m = measure(w->text, before);
        if (m > 1 || (m == 1 && !ends_cvc(w->text, before))) w->length--;
    }
    if (ends(w, "ll") && measure(w->text, w->length - 1) > 1) w->length--;
}

static const char *irregular(const word *w) {
    static const rule forms[] = {
        {"skies", "sky"},      {"sky", "sky"},         {"dying", "die"},        {"lying", "lie"},
        {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
        {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
        {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if ((int64_t)strlen(forms[i].suffix) == w->length && ends(w, forms[i].suffix)) return forms[i].with;
    return NULL;
}

int64_t gw_porter_stem(char *text, int64_t length) {
    word w = {text, length};
    const char *known = irregular(&w);
    if (known) {
        replace(&w, length, known);
        return w.length;
    }
    if (length <= 2) return length;
    plurals(&w);
    past(&w);
    final_y(&w);
    double_suffixes(&w);
    other_suffixes(&w);
    final_e_and_l(&w);
    return w.length;
}
