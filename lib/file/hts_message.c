// SPDX-License-Identifier: MIT
// Takes what HTSlib writes to stderr during one call, by a temporary file in its place.
#include "file/hts_message.h"

#include <htslib/hts_log.h>
#include <string.h>
#include <unistd.h>

void gw_hts_message_begin(gw_hts_message *message) {
    fflush(stderr);
    message->file = tmpfile();
    message->saved = message->file ? dup(STDERR_FILENO) : -1;
    if (message->saved < 0) return;
    dup2(fileno(message->file), STDERR_FILENO);
    hts_set_log_level(HTS_LOG_WARNING);
}

void gw_hts_message_end(gw_hts_message *message, char *text, size_t size) {
    text[0] = 0;
    if (message->saved >= 0) {
        hts_set_log_level(HTS_LOG_OFF);
        fflush(stderr);
        dup2(message->saved, STDERR_FILENO);
        close(message->saved);
        rewind(message->file);
        if (!fgets(text, (int)size, message->file)) text[0] = 0;
    }
    if (message->file) fclose(message->file);
    text[strcspn(text, "\n")] = 0;
    const char *end = text[0] == '[' ? strstr(text, "] ") : NULL;
    if (end) memmove(text, end + 2, strlen(end + 2) + 1);
}
