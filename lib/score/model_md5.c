// SPDX-License-Identifier: MIT
// MD5 of the weights in a folder: of the files as they are, so that md5sum says the same.
#include "score/model_md5.h"

#include "file/md5.h"
#include "store/checkpoint.h"

gw_status gw_model_md5(const char *folder, char hex[33]) {
    gw_checkpoint *stored;
    gw_md5 *md5;
    GW_TRY(gw_checkpoint_open(folder, &stored));
    const gw_status status = gw_md5_start(&md5);
    if (status == GW_OK) {
        const void *bytes;
        int64_t size;
        for (int64_t i = 0; gw_checkpoint_bytes(stored, i, &bytes, &size); i++) gw_md5_add(md5, bytes, size);
        gw_md5_finish_hex(md5, hex);
    }
    gw_checkpoint_close(stored);
    return status;
}
