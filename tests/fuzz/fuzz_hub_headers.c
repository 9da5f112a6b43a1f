// SPDX-License-Identifier: MIT
// Bytes as lines of headers of the hub: a hash is none, or 40 or 64 lower-case digits, and a size is not negative.
#include "file/download.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_hub_headers headers;
    gw_hub_headers_begin(&headers, "https://hub.example:8080/owner/name");
    for (size_t at = 0, end; at < size; at = end) {
        const uint8_t *line_end = memchr(data + at, '\n', size - at);
        end = line_end ? (size_t)(line_end - data) + 1 : size;
        gw_hub_headers_add(&headers, (const char *)data + at, (int64_t)(end - at));
        const size_t digits = strlen(headers.hash);
        if (headers.bytes < -1 || (digits != 0 && digits != 40 && digits != 64)) abort();
        if (headers.hash[strspn(headers.hash, "0123456789abcdef")]) abort();
    }
    return 0;
}
