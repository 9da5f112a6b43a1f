// SPDX-License-Identifier: MIT
// A growing byte string, for building lines and files in memory.
#ifndef GW_BASE_TEXT_H
#define GW_BASE_TEXT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Zero-initialise; data is always followed by a zero byte once anything was appended. A failed append sets `failed`
// and later ones do nothing, so that a builder checks once, with gw_text_status().
typedef struct {
    char *data;
    int64_t length, capacity;
    bool failed;
} gw_text;

void gw_text_append(gw_text *text, const void *bytes, int64_t count);
void gw_text_puts(gw_text *text, const char *string);
void gw_text_putc(gw_text *text, char c);
void gw_text_printf(gw_text *text, const char *format, ...) GW_PRINTF(2, 3);
void gw_text_clear(gw_text *text); // keeps the memory
gw_status gw_text_status(const gw_text *text) GW_MUST_CHECK;
void gw_text_free(gw_text *text);

#endif
