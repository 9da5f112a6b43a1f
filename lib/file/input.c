// SPDX-License-Identifier: MIT
// HTSlib's BGZF layer reads all three kinds. Its own messages are suppressed, because every failure is reported here,
// once, with the file's name.
#include "file/input.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct gw_input {
    BGZF *file;
    char *path;
    int64_t read;     // bytes given so far
    int64_t left_out; // of a byte order mark
    bool is_text;
};

char *gw_hts_path(const char *path) {
    static const char *const addresses[] = {"http://", "https://", "ftp://", "s3://", "gs://"};
    const bool has_scheme = path[strcspn(path, ":/")] == ':';
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (strncasecmp(path, addresses[i], strlen(addresses[i])) == 0) return gw_strdup(path);
    return gw_strprintf("%s%s", has_scheme ? "./" : "", path);
}

gw_status gw_input_open(const char *path, gw_input **out) {
    *out = NULL;
    const bool standard = !path || strcmp(path, "-") == 0;
    gw_input *input = gw_alloc(1, sizeof *input);
    if (!input) return GW_ERR_MEMORY;
    input->path = gw_strdup(standard ? "standard input" : path);
    if (!input->path) {
        free(input);
        return GW_ERR_MEMORY;
    }
    char *name = gw_hts_path(standard ? "-" : path);
    if (!name) {
        gw_input_close(input);
        return GW_ERR_MEMORY;
    }
    hts_set_log_level(HTS_LOG_OFF);
    errno = 0;
    input->file = bgzf_open(name, "r");
    free(name);
    if (!input->file) {
        const gw_status status =
            gw_fail(GW_ERR_IO, "cannot open %s: %s", input->path, errno ? strerror(errno) : "damaged compressed file");
        gw_input_close(input);
        return status;
    }
    *out = input;
    return GW_OK;
}

void gw_input_close(gw_input *input) {
    if (!input) return;
    if (input->file) bgzf_close(input->file);
    free(input->path);
    free(input);
}

void gw_input_as_text(gw_input *input) {
    input->is_text = true;
}

int64_t gw_input_left_out(const gw_input *input) {
    return input->left_out;
}

static gw_status read_bytes(gw_input *input, void *bytes, int64_t capacity, int64_t *count) {
    errno = 0;
    const ssize_t got = bgzf_read(input->file, bytes, (size_t)capacity);
    *count = got > 0 ? got : 0;
    input->read += *count;
    if (got < 0 && !input->file->is_compressed)
        return gw_fail(GW_ERR_IO, "cannot read %s: %s", input->path, errno ? strerror(errno) : "input error");
    if (got < 0)
        return gw_fail(GW_ERR_FORMAT, "%s: the compressed file is truncated or damaged (after %lld bytes of text)",
                       input->path, (long long)input->read);
    if (got == 0 && input->file->no_eof_block)
        return gw_fail(GW_ERR_FORMAT, "%s: the BGZF file lacks its end-of-file block, so it is probably truncated",
                       input->path);
    return GW_OK;
}

gw_status gw_input_read(gw_input *input, void *bytes, int64_t capacity, int64_t *count) {
    const bool first = input->read == 0;
    GW_TRY(read_bytes(input, bytes, capacity, count));
    if (!first || !input->is_text) return GW_OK;
    input->left_out = gw_utf8_mark(bytes, *count);
    *count -= input->left_out;
    memmove(bytes, (char *)bytes + input->left_out, (size_t)*count);
    return *count > 0 || input->left_out == 0 ? GW_OK : read_bytes(input, bytes, capacity, count); // the mark alone
}

const char *gw_input_path(const gw_input *input) {
    return input->path;
}

bool gw_input_is_gzip(const gw_input *input) {
    return input->file->is_compressed && input->file->is_gzip;
}

bool gw_input_is_bgzf(const gw_input *input) {
    return input->file->is_compressed && !input->file->is_gzip;
}

struct BGZF *gw_input_bgzf(gw_input *input) {
    return input->file;
}

// Takes what HTSlib writes to stderr during one call, by a temporary file in its place.

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

// Asks HTSlib which version it is.

const char *gw_htslib_version(void) {
    return hts_version();
}
