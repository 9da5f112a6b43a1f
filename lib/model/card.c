// SPDX-License-Identifier: MIT
// Writes a card, and looks for the licence among the first lines of one.
#include "model/card.h"

#include "base/output.h"
#include "base/string.h"

#include <stdlib.h>
#include <string.h>

static const char card_file[] = "README.md", fence[] = "---\n", key[] = "license:";

gw_status gw_card_write(const char *folder, const char *program, const char *licence) {
    gw_string text = {0};
    gw_string_printf(&text,
                     "%s%s %s\n%s# Weights of %s\n\nConverted by godwit. The weights, and what is derived from them, "
                     "stay under the licence of their authors.\n",
                     fence, key, licence, fence, program);
    char *path = gw_join_path(folder, card_file);
    gw_status status = path ? gw_string_status(&text) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_write_file(path, text.data, text.length);
    free(path);
    gw_string_free(&text);
    return status;
}

// Of the lines between the fences.
static void find_licence(const char *text, char licence[GW_LICENCE_NAME]) {
    if (strncmp(text, fence, strlen(fence)) != 0) return;
    for (const char *line = text + strlen(fence); *line && strncmp(line, fence, strlen(fence) - 1) != 0;) {
        const size_t length = strcspn(line, "\r\n");
        if (length > strlen(key) && strncmp(line, key, strlen(key)) == 0) {
            const char *name = line + strlen(key) + strspn(line + strlen(key), " ");
            const size_t left = strcspn(name, " \r\n"), most = GW_LICENCE_NAME - 1;
            memcpy(licence, name, left < most ? left : most);
            return;
        }
        line += length + strspn(line + length, "\r\n");
    }
}

gw_status gw_card_licence(const char *folder, char licence[GW_LICENCE_NAME]) {
    char *path = gw_join_path(folder, card_file), *text = NULL;
    int64_t length;
    memset(licence, 0, GW_LICENCE_NAME);
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) status = gw_read_file(path, &text, &length);
    if (text) find_licence(text, licence);
    free(text);
    free(path);
    return status;
}
