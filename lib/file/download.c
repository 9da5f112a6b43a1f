// SPDX-License-Identifier: MIT
// Opens the URL where the file at hand ends, and copies what comes.
#include "file/download.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

typedef struct {
    const gw_download_options *options;
    gw_download_result *result;
    hFILE *from;
    int to;
    int64_t begin, bytes; // of the file: what was there before, and what is now
} transfer;

static gw_status cannot_write(const transfer *t) {
    return gw_fail(GW_ERR_IO, "cannot write %s: %s", t->options->path, strerror(errno));
}

static gw_status open_url(transfer *t) {
    const char *url = t->options->url;
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is no address that begins with http:// or https://", url);
    hts_set_log_level(HTS_LOG_OFF); // messages are made here
    errno = 0;
    t->from = hopen(url, "r");
    t->result->found = t->from || errno != ENOENT;
    if (t->from || errno == ENOENT) return GW_OK;
    if (errno == EPROTONOSUPPORT)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: HTSlib cannot fetch it, which needs libcurl in its build", url);
    return gw_fail(GW_ERR_IO, "cannot fetch %s: %s", url, strerror(errno));
}

static gw_status open_file(transfer *t) {
    const gw_download_options *o = t->options;
    t->to = open(o->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (o->resume ? 0 : O_TRUNC), 0666);
    if (t->to < 0) return cannot_write(t);
    t->begin = (int64_t)lseek(t->to, 0, SEEK_END);
    if (o->bytes >= 0 && t->begin > o->bytes) t->begin = 0;
    return t->begin < 0 || ftruncate(t->to, t->begin) != 0 ? cannot_write(t) : GW_OK;
}

static gw_status write_piece(transfer *t, const char *bytes, ssize_t count) {
    while (count > 0) {
        const ssize_t written = write(t->to, bytes, (size_t)count);
        if (written < 0 && errno != EINTR) return cannot_write(t);
        if (written > 0) bytes += written, count -= written, t->bytes += written;
    }
    return GW_OK;
}

static gw_status broke_off(const transfer *t, const char *why) {
    if (t->options->bytes < 0)
        return gw_fail(GW_ERR_IO, "%s broke off after %lld bytes: %s", t->options->url, (long long)t->bytes, why);
    return gw_fail(GW_ERR_IO, "%s broke off after %lld of %lld bytes: %s", t->options->url, (long long)t->bytes,
                   (long long)t->options->bytes, why);
}

static gw_status copy(transfer *t) {
    const gw_download_options *o = t->options;
    char piece[PIECE];
    for (;;) {
        GW_TRY(gw_check_interrupt());
        errno = 0;
        const ssize_t count = hread(t->from, piece, sizeof piece);
        if (count < 0) return broke_off(t, strerror(errno));
        if (count == 0) break;
        GW_TRY(write_piece(t, piece, count));
        if (o->bytes >= 0 && t->bytes > o->bytes)
            return gw_fail(GW_ERR_MISMATCH, "%s is longer than the %lld bytes that it is to have", o->url,
                           (long long)o->bytes);
        gw_progress(o->name, t->bytes, o->bytes > 0 ? o->bytes : 0, "bytes", NULL);
    }
    return o->bytes < 0 || t->bytes == o->bytes ? GW_OK : broke_off(t, "the server closed it");
}

static void close_url(transfer *t) {
    if (t->from) hclose_abruptly(t->from);
    t->from = NULL;
}

static gw_status begin_anew(transfer *t) {
    close_url(t);
    t->bytes = t->begin = 0;
    if (ftruncate(t->to, 0) != 0 || lseek(t->to, 0, SEEK_SET) != 0) return cannot_write(t);
    return open_url(t);
}

// From where the file ends; where nothing comes from there, from the beginning.
static gw_status transfer_all(transfer *t) {
    GW_TRY(open_url(t));
    if (!t->from) return GW_OK;
    t->bytes = t->begin;
    const bool middle = t->begin > 0 && hseek(t->from, (off_t)t->begin, SEEK_SET) == (off_t)t->begin;
    if (t->begin > 0 && !middle) GW_TRY(begin_anew(t));
    const gw_status status = t->from ? copy(t) : GW_OK;
    t->result->resumed = t->begin > 0 && t->bytes > t->begin;
    if (status != GW_ERR_IO || !middle || t->result->resumed) return status;
    GW_TRY(begin_anew(t));
    return t->from ? copy(t) : GW_OK;
}

gw_status gw_download(const gw_download_options *options, gw_download_result *out) {
    transfer t = {.options = options, .result = out, .to = -1};
    *out = (gw_download_result){0};
    gw_status status = open_file(&t);
    if (status == GW_OK) status = transfer_all(&t);
    close_url(&t);
    gw_progress_end();
    if (t.to >= 0 && close(t.to) != 0 && status == GW_OK) status = cannot_write(&t);
    if (!out->found && t.bytes == 0) unlink(options->path);
    return status;
}
