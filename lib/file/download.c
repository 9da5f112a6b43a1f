// SPDX-License-Identifier: MIT
// A download requests the bytes behind the end of the present file, and appends them. Each answer of the hub replaces
// the previous headers, except those about a linked file.
#include "file/download.h"

#include "base/log.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { SHA1_DIGITS = 40, SHA256_DIGITS = 64, DIGITS_OF_INT64 = 18 };

void gw_hub_headers_begin(gw_hub_headers *headers, const char *url) {
    *headers = (gw_hub_headers){.origin = url, .bytes = -1};
}

typedef struct {
    const char *at;
    int64_t length;
} value;

// The value of a line "NAME: VALUE", without blanks around it; false: the line has another name.
static bool value_of(const char *line, int64_t length, const char *name, value *out) {
    const int64_t begin = (int64_t)strlen(name) + 1;
    if (length < begin || line[begin - 1] != ':' || strncasecmp(line, name, (size_t)begin - 1) != 0) return false;
    *out = (value){line + begin, length - begin};
    while (out->length > 0 && isspace((unsigned char)*out->at)) out->at++, out->length--;
    while (out->length > 0 && isspace((unsigned char)out->at[out->length - 1])) out->length--;
    return true;
}

// "HASH" or W/"HASH", the quotes of which may be missing. Other texts, as servers make them of dates, say nothing.
static bool take_hash(value of, char out[GW_HUB_HASH_SIZE]) {
    if (of.length > 2 && memcmp(of.at, "W/", 2) == 0) of.at += 2, of.length -= 2;
    if (of.length > 2 && of.at[0] == '"' && of.at[of.length - 1] == '"') of.at++, of.length -= 2;
    if (of.length != SHA1_DIGITS && of.length != SHA256_DIGITS) return false;
    for (int64_t i = 0; i < of.length; i++)
        if (!isxdigit((unsigned char)of.at[i])) return false;
    for (int64_t i = 0; i < of.length; i++) out[i] = (char)tolower((unsigned char)of.at[i]);
    out[of.length] = 0;
    return true;
}

static int64_t take_number(value of) {
    int64_t number = 0;
    if (of.length == 0 || of.length > DIGITS_OF_INT64) return -1;
    for (int64_t i = 0; i < of.length; i++) {
        if (!isdigit((unsigned char)of.at[i])) return -1;
        number = 10 * number + (of.at[i] - '0');
    }
    return number;
}

// Whether an address is one of the server of another: scheme, name and port are the same.
static bool same_server(value address, const char *other) {
    const char *name = strstr(other, "://");
    const int64_t origin = name ? name + 3 - other + (int64_t)strcspn(name + 3, "/?#") : 0;
    if (address.length >= 2 && memcmp(address.at, "//", 2) == 0) return false;
    const bool whole =
        memchr(address.at, ':', (size_t)address.length) && (address.length > 0 && isalpha((unsigned char)*address.at));
    if (!whole) return true;
    return address.length >= origin && strncasecmp(address.at, other, (size_t)origin) == 0 &&
           (address.length == origin || strchr("/?#", address.at[origin]));
}

void gw_hub_headers_add(gw_hub_headers *h, const char *line, int64_t length) {
    const bool begins = length > 5 && memcmp(line, "HTTP/", 5) == 0;
    value of;
    if (begins) h->left = h->leaves;
    if (h->left) return;
    if (begins && !h->linked) h->hash[0] = 0;
    if (value_of(line, length, "X-Linked-Size", &of)) h->bytes = take_number(of);
    if (value_of(line, length, "X-Linked-ETag", &of)) h->linked = take_hash(of, h->hash) || h->linked;
    if (value_of(line, length, "ETag", &of) && !h->linked) take_hash(of, h->hash);
    if (value_of(line, length, "Location", &of)) h->leaves = !same_server(of, h->origin);
}

#ifndef GW_HAVE_CURL

gw_status gw_download(const gw_download_options *options, gw_download_result *out) {
    *out = (gw_download_result){0};
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot fetch %s: this godwit was built without libcurl", options->url);
}

#else

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OK = 200, PARTIAL = 206, NOT_FOUND = 404, GONE = 410, RANGE = 416, MOST_REDIRECTIONS = 5, STALLED = 60 };

typedef struct {
    const gw_download_options *options;
    gw_download_result *result;
    CURL *curl;
    int to;
    int64_t begin, bytes; // of the file: what was there before, and what is now
    gw_status status;     // of what was done with what came
    char why[CURL_ERROR_SIZE];
} transfer;

static gw_status cannot_write(const transfer *t) {
    return gw_fail(GW_ERR_IO, "cannot write %s: %s", t->options->part, strerror(errno));
}

// What is opened for writing is a file of this user that has no other name.
static gw_status open_file(transfer *t) {
    const gw_download_options *o = t->options;
    struct stat info;
    t->to = openat(o->folder, o->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (t->to < 0 || fstat(t->to, &info) != 0) return cannot_write(t);
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
        return gw_fail(GW_ERR_IO, "cannot write %s: it is not a regular file, or has several names; remove it",
                       o->part);
    t->begin = o->resume ? (int64_t)info.st_size : 0;
    if (o->bytes >= 0 && t->begin > o->bytes) t->begin = 0;
    return GW_OK;
}

static long answer_of(const transfer *t) {
    long code = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

// How many bytes the file may have, by what is known of it.
static gw_status check_length(const transfer *t, int64_t length) {
    const gw_download_options *o = t->options;
    const int64_t said = t->result->said.bytes, exact = o->bytes >= 0 ? o->bytes : said;
    if (exact >= 0 && length > exact)
        return gw_fail(GW_ERR_MISMATCH, "%s is longer than %lld bytes, its expected size", o->url, (long long)exact);
    if (o->bytes < 0 && (length > o->most || said > o->most))
        return gw_fail(GW_ERR_MISMATCH, "%s is longer than %lld bytes, the limit for a file of this kind", o->url,
                       (long long)o->most);
    return GW_OK;
}

static size_t take_bytes(char *bytes, size_t one, size_t count, void *context) {
    transfer *t = context;
    const long code = answer_of(t);
    (void)one; // is 1
    if (code != OK && code != PARTIAL) return 0;
    t->status = check_length(t, t->bytes + (int64_t)count);
    for (size_t done = 0; t->status == GW_OK && done < count;) {
        const ssize_t written = write(t->to, bytes + done, count - done);
        if (written < 0 && errno != EINTR) t->status = cannot_write(t);
        if (written > 0) done += (size_t)written, t->bytes += written;
    }
    return t->status == GW_OK ? count : 0;
}

static size_t take_header(char *line, size_t one, size_t count, void *context) {
    transfer *t = context;
    gw_hub_headers_add(&t->result->said, line, (int64_t)count);
    return one * count;
}

static int show_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up) {
    transfer *t = context;
    (void)total, (void)now, (void)up_total, (void)up;
    if (t->bytes > t->begin)
        gw_progress(t->options->name, t->bytes, t->options->bytes > 0 ? t->options->bytes : 0, "bytes", NULL);
    if (t->status == GW_OK) t->status = gw_check_interrupt();
    return t->status != GW_OK;
}

static void set_options(transfer *t) {
    const gw_download_options *o = t->options;
    const long stalled = o->stalled_seconds > 0 ? o->stalled_seconds : STALLED;
    const char *authorities = getenv("CURL_CA_BUNDLE"); // as for HTSlib
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(t->curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    curl_easy_setopt(t->curl, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(t->curl, CURLOPT_URL, o->url);
    curl_easy_setopt(t->curl, CURLOPT_USERAGENT, "godwit");
    curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(t->curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(t->curl, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTIONS);
    curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT, stalled);
    curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_TIME, stalled);
    curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, t->why);
    curl_easy_setopt(t->curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)t->begin);
    curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(t->curl, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(t->curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(t->curl, CURLOPT_XFERINFOFUNCTION, show_progress);
    curl_easy_setopt(t->curl, CURLOPT_XFERINFODATA, t);
    if (authorities && *authorities) curl_easy_setopt(t->curl, CURLOPT_CAINFO, authorities);
}

static gw_status broke_off(const transfer *t, const char *why) {
    if (t->options->bytes < 0)
        return gw_fail(GW_ERR_IO, "%s broke off after %lld bytes: %s", t->options->url, (long long)t->bytes, why);
    return gw_fail(GW_ERR_IO, "%s broke off after %lld of %lld bytes: %s", t->options->url, (long long)t->bytes,
                   (long long)t->options->bytes, why);
}

// What an answer, or none, means.
static gw_status judge(transfer *t, CURLcode result) {
    const gw_download_options *o = t->options;
    const long code = answer_of(t);
    const char *why = t->why[0] ? t->why : curl_easy_strerror(result);
    if (t->status != GW_OK) return t->status;
    t->result->found = code != NOT_FOUND && code != GONE;
    if (!t->result->found) return GW_OK;
    if (code != 0 && code != OK && code != PARTIAL && result != CURLE_TOO_MANY_REDIRECTS)
        return gw_fail(GW_ERR_IO, "cannot fetch %s: the server answers %ld", o->url, code);
    if (result == CURLE_UNSUPPORTED_PROTOCOL)
        return gw_fail(GW_ERR_UNSUPPORTED, "cannot fetch %s: it, or its redirection, is neither http nor https",
                       o->url);
    if (result != CURLE_OK && t->bytes > t->begin) return broke_off(t, why);
    if (result != CURLE_OK) return gw_fail(GW_ERR_IO, "cannot fetch %s: %s", o->url, why);
    GW_TRY(check_length(t, t->bytes));
    const int64_t expected = o->bytes >= 0 ? o->bytes : t->result->said.bytes;
    return expected < 0 || t->bytes == expected ? GW_OK : broke_off(t, "the server closed it");
}

// From where the file ends; where nothing comes from there, from the beginning.
static gw_status transfer_all(transfer *t) {
    gw_hub_headers_begin(&t->result->said, t->options->url);
    t->bytes = t->begin;
    if (ftruncate(t->to, t->begin) != 0 || lseek(t->to, t->begin, SEEK_SET) != t->begin) return cannot_write(t);
    t->result->found = t->begin > 0 && t->begin == t->options->bytes; // all of it has come
    if (t->result->found) {
        t->result->resumed = true;
        return GW_OK;
    }
    t->why[0] = 0;
    set_options(t);
    const CURLcode result = curl_easy_perform(t->curl);
    const bool middle = t->begin > 0 && (result == CURLE_RANGE_ERROR || answer_of(t) == RANGE);
    t->result->resumed = t->begin > 0 && t->bytes > t->begin;
    if (!middle || t->result->resumed || t->status != GW_OK) return judge(t, result);
    t->begin = 0;
    return transfer_all(t);
}

gw_status gw_download(const gw_download_options *options, gw_download_result *out) {
    transfer t = {.options = options, .result = out, .to = -1};
    const char *url = options->url;
    *out = (gw_download_result){0};
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is not an address that begins with http:// or https://", url);
    gw_status status = open_file(&t);
    if (status == GW_OK && !(t.curl = curl_easy_init()))
        status = gw_fail(GW_ERR_MEMORY, "libcurl cannot be initialised");
    if (status == GW_OK) status = transfer_all(&t);
    curl_easy_cleanup(t.curl);
    gw_progress_end();
    if (t.to >= 0 && close(t.to) != 0 && status == GW_OK) status = cannot_write(&t);
    if (t.to >= 0 && !out->found && t.bytes == 0) unlinkat(options->folder, options->part, 0);
    return status;
}

#endif
