// SPDX-License-Identifier: MIT
// A growing byte string, for building lines and files in memory; and lists of borrowed strings.
#ifndef GW_BASE_STRING_H
#define GW_BASE_STRING_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Zero-initialise. A zero byte always follows the data after the first append. A failed append sets `failed`, and later
// appends do nothing. Check once at the end with gw_string_status().
typedef struct {
    char *data;
    int64_t length, capacity;
    bool failed;
} gw_string;

typedef struct {
    const char *const *items; // [count]
    int count;
} gw_string_list;

static inline bool gw_has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Whether text ends in `suffix` and is longer than it: the file ".gz" does not have the ending ".gz".
static inline bool gw_has_suffix(const char *text, const char *suffix) {
    const size_t length = strlen(text), tail = strlen(suffix);
    return length > tail && strcmp(text + length - tail, suffix) == 0;
}

void gw_string_append(gw_string *text, const void *bytes, int64_t count);
void gw_string_puts(gw_string *text, const char *string);
void gw_string_putc(gw_string *text, char c);
void gw_string_printf(gw_string *text, const char *format, ...) GW_PRINTF(2, 3);
void gw_string_put_integer(gw_string *text, int64_t value); // as printf's %d, but several times as fast
void gw_string_put_real(gw_string *text, double value);     // as %g, also faster
// Appends one argument of a command, quoted for a shell if it is empty or contains a blank, a quote or another special
// character. Control characters become escapes within $'', so that a command stays one line.
void gw_string_put_argument(gw_string *text, const char *argument);
// Appends a text as one field of one line: control characters (line ends, tabs, escapes of terminals) become \012 and
// so on.
void gw_string_put_field(gw_string *text, const char *field);
void gw_string_put_lines(gw_string *text, const char *lines); // the same, but line ends and tabs stay
// Appends a text with %XX decoded, as in GFF3 and INFO values. Control characters stay encoded, because they would
// break a line.
void gw_string_put_decoded(gw_string *text, const char *encoded, size_t length);
void gw_string_clear(gw_string *text);               // keeps the memory
void gw_string_cut(gw_string *text, int64_t length); // shortens the text to at most `length` bytes
gw_status gw_string_status(const gw_string *text) GW_MUST_CHECK;
void gw_string_free(gw_string *text);

#endif
