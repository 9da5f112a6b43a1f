// SPDX-License-Identifier: MIT
// An archive is a series of blocks of 512 bytes: a header, then the file's bytes, padded with zeros. Two blocks of
// zeros end it; one is accepted. A header holds, at these offsets:
//   0 name [100]   124 size [12] octal   148 checksum [8] octal   156 type   257 "ustar"   345 folder of the name [155]
// A pax header ('x') and GNU's long name ('L') are separate files that name the file after them.
#include "file/tar.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/input.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SUM_AT = 148, TYPE_AT = 156, FOLDER_AT = 345, FOLDER = 155 };
enum { MOST_NAME = 1 << 16 }; // bytes of a header that only names

struct gw_tar {
    gw_input *input;
    char *path;
    char block[BLOCK];
    bool has_block; // read, and not looked at yet
    int64_t left;   // bytes of the file that are not read
    int64_t filled; // zeros behind them
    gw_string name;
};

// *whole: false at the end of the file, where no byte of the block is there.
static gw_status read_block(gw_tar *t, bool *whole) {
    int64_t have = 0, count = 1;
    while (have < BLOCK && count > 0) {
        GW_TRY(gw_input_read(t->input, t->block + have, BLOCK - have, &count));
        have += count;
    }
    *whole = have == BLOCK;
    return have == 0 || have == BLOCK ? GW_OK : gw_fail(GW_ERR_FORMAT, "%s: the archive is cut off", t->path);
}

static bool octal(const char *digits, int count, int64_t *out) {
    int i = 0;
    *out = 0;
    while (i < count && digits[i] == ' ') i++;
    for (; i < count && digits[i] >= '0' && digits[i] <= '7'; i++) *out = *out * 8 + (digits[i] - '0');
    return i == count || digits[i] == 0 || digits[i] == ' ';
}

static bool is_header(const char *block) {
    int64_t expected, sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += i >= SUM_AT && i < SUM_AT + 8 ? ' ' : (unsigned char)block[i];
    return octal(block + SUM_AT, 8, &expected) && sum == expected;
}

static bool is_end(const char *block) {
    for (int i = 0; i < BLOCK; i++)
        if (block[i] != 0) return false;
    return true;
}

gw_status gw_tar_open(const char *path, gw_tar **out) {
    gw_tar *t = gw_alloc(1, sizeof *t);
    bool whole = false;
    *out = NULL;
    if (!t) return GW_ERR_MEMORY;
    t->path = gw_strdup(path);
    gw_status status = t->path ? gw_input_open(path, &t->input) : GW_ERR_MEMORY;
    if (status == GW_OK && read_block(t, &whole) == GW_OK && whole && is_header(t->block)) {
        t->has_block = true;
        *out = t;
        return GW_OK;
    }
    gw_tar_close(t);
    return status;
}

void gw_tar_close(gw_tar *t) {
    if (!t) return;
    gw_input_close(t->input);
    gw_string_free(&t->name);
    free(t->path);
    free(t);
}

// Reads all of the file that is left, and keeps it where `keep` is not NULL, or writes it to `to`.
static gw_status read_file(gw_tar *t, gw_string *keep, gw_output *to) {
    char piece[1 << 14];
    for (int64_t *left = &t->left; left; left = left == &t->left ? &t->filled : NULL) {
        while (*left > 0) {
            int64_t count;
            GW_TRY(gw_input_read(t->input, piece, gw_min(*left, (int64_t)sizeof piece), &count));
            if (count == 0) return gw_fail(GW_ERR_FORMAT, "%s: the archive is cut off", t->path);
            *left -= count;
            if (left == &t->left && keep) gw_string_append(keep, piece, count);
            if (left == &t->left && to) GW_TRY(gw_output_write(to, piece, count));
        }
    }
    return GW_OK;
}

// "LENGTH path=NAME\n" among other records, each as long as it says.
static void take_pax_name(const gw_string *records, gw_string *name) {
    for (const char *at = records->data, *end = at + records->length; at < end;) {
        char *text;
        const long length = strtol(at, &text, 10);
        if (length <= 0 || length > end - at || text >= at + length) return;
        if (gw_has_prefix(text, " path=")) {
            gw_string_clear(name);
            gw_string_append(name, text + 6, at + length - 1 - (text + 6));
        }
        at += length;
    }
}

gw_status gw_tar_next(gw_tar *t, const char **name, int64_t *bytes) {
    gw_string given = {0};
    gw_status status = GW_OK;
    *name = NULL;
    while (status == GW_OK) {
        bool whole = t->has_block;
        status = read_file(t, NULL, NULL);
        if (status == GW_OK && !whole) status = read_block(t, &whole);
        t->has_block = false;
        if (status != GW_OK || (whole && is_end(t->block))) break;
        if (!whole) status = gw_fail(GW_ERR_FORMAT, "%s: the archive is cut off", t->path);
        else if (!is_header(t->block) || !octal(t->block + SIZE_AT, 12, &t->left))
            status =
                gw_fail(GW_ERR_FORMAT, "%s: a header of the archive is damaged, or its file is too large", t->path);
        if (status != GW_OK) break;
        t->filled = (BLOCK - t->left % BLOCK) % BLOCK;
        const char type = t->block[TYPE_AT];
        if (type == 'x' || type == 'L') {
            gw_string text = {0};
            if (t->left > MOST_NAME) status = gw_fail(GW_ERR_FORMAT, "%s: a name in the archive is too long", t->path);
            if (status == GW_OK) status = read_file(t, &text, NULL);
            if (status == GW_OK && text.length > 0 && type == 'x') take_pax_name(&text, &given);
            else if (status == GW_OK && text.length > 0) gw_string_printf(&given, "%s", text.data);
            gw_string_free(&text);
        } else if (type == '0' || type == 0) {
            const char *folder = t->block + FOLDER_AT;
            gw_string_clear(&t->name);
            if (given.length > 0) gw_string_append(&t->name, given.data, given.length);
            else if (memcmp(t->block + 257, "ustar", 6) == 0 && *folder)
                gw_string_printf(&t->name, "%.*s/%.*s", FOLDER, folder, NAME, t->block);
            else gw_string_printf(&t->name, "%.*s", NAME, t->block);
            status = gw_string_status(&t->name);
            *name = t->name.data;
            *bytes = t->left;
            break;
        } else if (type != 'g') gw_string_clear(&given); // what names a folder or a link
    }
    gw_string_free(&given);
    return status;
}

gw_status gw_tar_save(gw_tar *t, const char *path) {
    gw_output out;
    GW_TRY(gw_output_open(&out, path));
    const gw_status status = read_file(t, NULL, &out);
    if (status == GW_OK) return gw_output_close(&out);
    gw_output_abandon(&out);
    return status;
}
