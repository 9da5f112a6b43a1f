// SPDX-License-Identifier: MIT
// One message per thread, in a fixed buffer, so that "out of memory" can be reported without allocation.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 2048 };
static _Thread_local char message[MESSAGE_SIZE];

gw_status gw_fail(gw_status code, const char *format, ...) {
    char text[MESSAGE_SIZE]; // the arguments may point into message
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof text);
    return code;
}

// Puts ": <message>" at text[used], as much of it as fits.
static void append_message(char text[MESSAGE_SIZE], int used) {
    size_t length = strlen(message), capacity = (size_t)(MESSAGE_SIZE - 1 - used);
    if (capacity < 2) return;
    memcpy(text + used, ": ", 2);
    if (length > capacity - 2) length = capacity - 2;
    memcpy(text + used + 2, message, length);
    text[(size_t)used + 2 + length] = 0;
}

gw_status gw_fail_in(gw_status code, const char *format, ...) {
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    int used = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (used < 0) used = 0;
    if (used < MESSAGE_SIZE) append_message(text, used);
    memcpy(message, text, sizeof text);
    return code;
}

const char *gw_message(void) {
    return message;
}
