// SPDX-License-Identifier: MIT
// Categories and normal forms by utf8proc.
#include "text/unicode.h"

#include <stdlib.h>
#include <utf8proc.h>

uint32_t gw_category(uint32_t point) {
    return 1u << utf8proc_category((utf8proc_int32_t)point);
}

bool gw_is_space(uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

bool gw_is_word(uint32_t c) {
    const uint32_t letter_number = 1u << UTF8PROC_CATEGORY_NL;
    if (gw_category(c) &
        (GW_CATEGORY_LETTER | GW_CATEGORY_MARK | GW_CATEGORY_DECIMAL | GW_CATEGORY_CONNECTOR | letter_number))
        return true;
    return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
           (c >= 0x1F170 && c <= 0x1F189);
}

bool gw_is_ascii_punctuation(uint32_t c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

int gw_lower_case(uint32_t point, uint32_t out[2]) {
    out[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)point);
    if (point != 0x130) return 1;
    out[0] = 'i'; // the one character whose lower case is two whatever stands around it
    out[1] = 0x307;
    return 2;
}

gw_status gw_normal_form_append(gw_string *out, gw_normal_form form, const char *text, int64_t length) {
    const utf8proc_option_t whole = UTF8PROC_STABLE,
                            composed = form == GW_NFC || form == GW_NFKC ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE,
                            compatible = form == GW_NFKC || form == GW_NFKD ? UTF8PROC_COMPAT : 0;
    utf8proc_uint8_t *made;
    const utf8proc_ssize_t bytes =
        utf8proc_map((const utf8proc_uint8_t *)text, length, &made, whole | composed | compatible);
    if (bytes < 0) return gw_fail(GW_ERR_MEMORY, "cannot normalise text: %s", utf8proc_errmsg(bytes));
    gw_string_append(out, made, bytes);
    free(made);
    return gw_string_status(out);
}
