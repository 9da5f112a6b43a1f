// SPDX-License-Identifier: MIT
// Writes a card, and looks for a value among the first lines of one.
#include "store/card.h"

#include "base/output.h"
#include "base/string.h"

#include <stdlib.h>
#include <string.h>

static const char card_file[] = "README.md", fence[] = "---\n", licence_key[] = "license";

gw_status gw_card_write(const char *folder, const char *program, const char *licence) {
    gw_string text = {0};
    gw_string_printf(&text,
                     "%s%s: %s\n%s# Weights of %s\n\nConverted by godwit. The weights, and what is derived from them, "
                     "stay under the licence of their authors.\n",
                     fence, licence_key, licence, fence, program);
    char *path = gw_join_path(folder, card_file);
    gw_status status = path ? gw_string_status(&text) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_write_file(path, text.data, text.length);
    free(path);
    gw_string_free(&text);
    return status;
}

// Of the lines between the fences.
void gw_card_value(const char *card, const char *key, char value[GW_CARD_VALUE]) {
    const size_t name = strlen(key), most = GW_CARD_VALUE - 1;
    memset(value, 0, GW_CARD_VALUE);
    if (strncmp(card, fence, strlen(fence)) != 0) return;
    for (const char *line = card + strlen(fence); *line && strncmp(line, fence, strlen(fence) - 1) != 0;) {
        const size_t length = strcspn(line, "\r\n");
        if (length > name && strncmp(line, key, name) == 0 && line[name] == ':') {
            const char *begin = line + name + 1 + strspn(line + name + 1, " ");
            const size_t left = (size_t)(line + length - begin);
            memcpy(value, begin, left < most ? left : most);
            for (char *c = value; *c; c++)
                if ((unsigned char)*c < ' ') *c = ' '; // values stand in lines and tables
            return;
        }
        line += length + strspn(line + length, "\r\n");
    }
}

gw_status gw_card_read_value(const char *folder, const char *key, char value[GW_CARD_VALUE]) {
    char *path = gw_join_path(folder, card_file), *text = NULL;
    int64_t length;
    value[0] = 0;
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) status = gw_read_file(path, &text, &length);
    if (text) gw_card_value(text, key, value);
    free(text);
    free(path);
    return status;
}
