// SPDX-License-Identifier: MIT
// MD5 as hts_md5_* of HTSlib compute it.
#include "file/md5.h"

#include "base/output.h"

#include <htslib/hts.h>
#include <stdlib.h>

static hts_md5_context *context_of(gw_md5 *md5) {
    return (hts_md5_context *)md5;
}

gw_status gw_md5_start(gw_md5 **md5) {
    *md5 = (gw_md5 *)hts_md5_init();
    return *md5 ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory for an MD5");
}

void gw_md5_add(gw_md5 *md5, const void *bytes, int64_t count) {
    hts_md5_update(context_of(md5), bytes, (unsigned long)count);
}

void gw_md5_finish_hex(gw_md5 *md5, char hex[33]) {
    unsigned char digest[16];
    hts_md5_final(digest, context_of(md5));
    hts_md5_hex(hex, digest);
    hts_md5_destroy(context_of(md5));
}

gw_status gw_md5_file(const char *path, char hex[33]) {
    char *bytes;
    int64_t count;
    gw_md5 *md5;
    GW_TRY(gw_read_file(path, &bytes, &count));
    const gw_status status = gw_md5_start(&md5);
    if (status == GW_OK) {
        gw_md5_add(md5, bytes, count);
        gw_md5_finish_hex(md5, hex);
    }
    free(bytes);
    return status;
}
