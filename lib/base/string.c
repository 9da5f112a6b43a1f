// SPDX-License-Identifier: MIT
// Grows by doubling, and remembers a failed append until the builder asks.
#include "base/string.h"

#include "base/memory.h"

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

void gw_string_put_field(gw_string *text, const char *field) {
    for (const char *c = field; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7F) gw_string_printf(text, "\\%03o", (unsigned)*c);
        else gw_string_putc(text, *c);
    }
}

void gw_string_cut(gw_string *text, int64_t length) {
    text->length = length;
    if (text->data) text->data[length] = 0;
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
