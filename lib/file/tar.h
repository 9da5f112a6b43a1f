// SPDX-License-Identifier: MIT
// Files of a tar archive, plain or compressed by gzip: POSIX ustar and pax (IEEE Std 1003.1, pax), and GNU's long
// names. Folders, links and devices are skipped.
#ifndef GW_FILE_TAR_H
#define GW_FILE_TAR_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_tar gw_tar;

// *out is NULL if the file is not an archive. Errors name the file.
gw_status gw_tar_open(const char *path, gw_tar **out) GW_MUST_CHECK;
void gw_tar_close(gw_tar *tar); // NULL is fine
// The next file: its name in the archive, valid until the next call, and its size in bytes; NULL at the end. A header
// with a wrong checksum and a truncated archive are errors.
gw_status gw_tar_next(gw_tar *tar, const char **name, int64_t *bytes) GW_MUST_CHECK;
// Writes the last file of gw_tar_next() to `path`, which is replaced.
gw_status gw_tar_save(gw_tar *tar, const char *path) GW_MUST_CHECK;

#endif
