// SPDX-License-Identifier: MIT
// Each answer of the hub begins anew, but for what an earlier one has said of a linked file.
#include "file/hub_headers.h"

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
