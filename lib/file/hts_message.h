// SPDX-License-Identifier: MIT
// What HTSlib says on stderr, as a text: it reports reasons nowhere else. Private to lib/seq.
//
// Only for a call that failed already and is made once more: between begin and end the process's stderr is redirected.
#ifndef GW_FILE_HTS_MESSAGE_H
#define GW_FILE_HTS_MESSAGE_H

#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    int saved; // descriptor; -1: nothing is caught
} gw_hts_message;

void gw_hts_message_begin(gw_hts_message *message);
// The first message without its "[E::function] "; an empty text where there was none.
void gw_hts_message_end(gw_hts_message *message, char *text, size_t size);

#endif
