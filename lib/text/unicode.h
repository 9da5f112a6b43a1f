// SPDX-License-Identifier: MIT
// Categories of characters, lower case, and the four normal forms, from the tables of utf8proc.
//
// The `tokenizers` package takes these properties from several libraries of different versions. Characters that Unicode
// added recently may therefore have another category there.
#ifndef GW_TEXT_UNICODE_H
#define GW_TEXT_UNICODE_H

#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

// Sets of the general categories of Unicode, as bits: 1 << utf8proc's number.
enum {
    GW_CATEGORY_LETTER = 0x3E,         // Lu Ll Lt Lm Lo
    GW_CATEGORY_MARK = 0x1C0,          // Mn Mc Me
    GW_CATEGORY_NONSPACING = 0x40,     // Mn
    GW_CATEGORY_NUMBER = 0xE00,        // Nd Nl No
    GW_CATEGORY_DECIMAL = 0x200,       // Nd
    GW_CATEGORY_CONNECTOR = 0x1000,    // Pc
    GW_CATEGORY_PUNCTUATION = 0x7F000, // Pc Pd Ps Pe Pi Pf Po
    GW_CATEGORY_OTHER = 0x3C000000,    // Cc Cf Cs Co, but not the unassigned Cn
};

uint32_t gw_category(uint32_t point); // one bit
bool gw_is_space(uint32_t point);     // White_Space
// w of regular expressions: letters, marks, decimal and letter numbers, connectors, circled letters.
bool gw_is_word(uint32_t point);
bool gw_is_ascii_punctuation(uint32_t point);
// The lower case of a character: one or two code points. Returns their number.
int gw_lower_case(uint32_t point, uint32_t out[2]);

typedef enum { GW_NFC, GW_NFD, GW_NFKC, GW_NFKD } gw_normal_form;
// Appends the text, which must be valid UTF-8, in this form.
gw_status gw_normal_form_append(gw_string *out, gw_normal_form form, const char *text, int64_t length) GW_MUST_CHECK;

#endif
