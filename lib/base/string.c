// SPDX-License-Identifier: MIT
// Grows by doubling. A failed append is stored until gw_string_status().
#include "base/string.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(gw_string *text, int64_t more) {
    if (!text->failed && gw_reserve(&text->data, &text->capacity, text->length + more + 1, 1) != GW_OK)
        text->failed = true;
    return !text->failed;
}

void gw_string_append(gw_string *text, const void *bytes, int64_t count) {
    if (!reserve(text, count)) return;
    memcpy(text->data + text->length, bytes, (size_t)count);
    text->length += count;
    text->data[text->length] = 0;
}

void gw_string_puts(gw_string *text, const char *string) {
    gw_string_append(text, string, (int64_t)strlen(string));
}

void gw_string_putc(gw_string *text, char c) {
    gw_string_append(text, &c, 1);
}

void gw_string_put_integer(gw_string *text, int64_t value) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--at = '-';
    gw_string_append(text, at, digits + sizeof digits - at);
}

// The six digits of a number between 1e-4 and 1e6 are a product with a power of ten, rounded. printf() decides where
// the product is so near a half that its own rounding could matter, and writes all other numbers.
void gw_string_put_real(gw_string *text, double value) {
    static const double powers[] = {1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0}; // by exponent + 4
    static const double least[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5};
    const double size = fabs(value);
    int64_t digits = 0;
    int exponent = -4;
    if (size >= 1e-4 && size < 1e6) {
        while (exponent < 5 && size >= least[exponent + 5]) exponent++;
        const double product = size * powers[exponent + 4], rest = product - floor(product);
        if (fabs(rest - 0.5) > 1e-6) digits = (int64_t)product + (rest > 0.5);
    }
    if (digits < 100000 || digits > 999999) {
        gw_string_printf(text, "%g", value);
        return;
    }
    char out[16] = "-0.000", *const begin = out + (value > 0), *at = out + 1; // of 0.000123456
    int count = 6; // digits without the zeros at the end of a fraction
    while (count > 1 && count > exponent + 1 && digits % 10 == 0) {
        digits /= 10;
        count--;
    }
    if (exponent < 0) at += 1 - exponent; // behind "0." and its zeros
    const int point = exponent < 0 ? -1 : exponent + 1;
    char *end = at + count + (point > 0 && point < count);
    at = end;
    for (int i = count; i-- > 0;) {
        *--at = (char)('0' + digits % 10);
        digits /= 10;
        if (i == point) *--at = '.';
    }
    gw_string_append(text, begin, end - begin);
}

void gw_string_printf(gw_string *text, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && reserve(text, length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += length;
    }
    va_end(again);
}

static bool is_plain(const char *argument) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
    const char *c = argument;
    while (*c && ((unsigned char)*c >= 0x80 || strchr(plain, *c))) c++;
    return c > argument && !*c;
}

static bool has_control(const char *argument) {
    for (const char *c = argument; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) return true;
    return false;
}

// Within $'' a backslash takes its meaning away from a quote; within '' nothing does, so that the quotes are closed.
void gw_string_put_argument(gw_string *text, const char *argument) {
    if (is_plain(argument)) {
        gw_string_puts(text, argument);
        return;
    }
    const bool coded = has_control(argument);
    gw_string_puts(text, coded ? "$'" : "'");
    for (const char *c = argument; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7F) gw_string_printf(text, "\\%03o", (unsigned)*c);
        else if (coded && (*c == '\'' || *c == '\\')) gw_string_printf(text, "\\%c", *c);
        else if (*c == '\'') gw_string_puts(text, "'\\''");
        else gw_string_putc(text, *c);
    }
    gw_string_putc(text, '\'');
}

// Bytes of the control character that stands here, 0: none. C0, DEL, and in two bytes C1 (U+0080 to U+009F), which
// terminals obey too.
static int control_bytes(const char *c) {
    const unsigned char byte = (unsigned char)*c, next = (unsigned char)c[1];
    if (byte < ' ' || byte == 0x7F) return 1;
    return byte == 0xC2 && next >= 0x80 && next < 0xA0 ? 2 : 0;
}

static void put_without_controls(gw_string *text, const char *from, bool lines) {
    for (const char *c = from; *c; c++) {
        const bool stays = lines && (*c == '\n' || *c == '\t' || (*c == '\r' && c[1] == '\n'));
        const int bytes = stays ? 0 : control_bytes(c);
        if (bytes == 0) gw_string_putc(text, *c);
        for (int i = 0; i < bytes; i++) gw_string_printf(text, "\\%03o", (unsigned)(unsigned char)c[i]);
        c += bytes > 1;
    }
}

void gw_string_put_field(gw_string *text, const char *field) {
    put_without_controls(text, field, false);
}

void gw_string_put_lines(gw_string *text, const char *lines) {
    put_without_controls(text, lines, true);
}

void gw_string_cut(gw_string *text, int64_t length) {
    text->length = length;
    if (text->data) text->data[length] = 0;
}

static int hex_digit(char c) {
    if (isdigit((unsigned char)c)) return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

void gw_string_put_decoded(gw_string *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const bool code =
            text[i] == '%' && i + 2 < length && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
        const int byte = code ? 16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]) : text[i];
        if (code && byte < ' ') {
            gw_string_append(out, text + i, 3);
        } else {
            gw_string_putc(out, (char)byte);
        }
        if (code) i += 2;
    }
}

void gw_string_clear(gw_string *text) {
    gw_string_cut(text, 0);
}

gw_status gw_string_status(const gw_string *text) {
    return text->failed ? gw_fail(GW_ERR_MEMORY, "out of memory for %lld bytes of text", (long long)text->length)
                        : GW_OK;
}

void gw_string_free(gw_string *text) {
    free(text->data);
    *text = (gw_string){0};
}
