// SPDX-License-Identifier: MIT
// Output files that appear whole or not at all.
//
// A file is written under "<path>.tmp.<host>-<pid>" beside its final name and renamed when it is complete. Temporary
// names that were neither kept nor dropped (an error, a signal) are removed by gw_outputs_discard(); what a process
// left that was killed outright goes when the same file is next written on that host. A path that is a device or a pipe
// is written directly; one that leads to an input (base/input_files.h) is refused. A symbolic link stays, and the file
// that it leads to is written. A file that may not be written is refused, though its folder would let it be replaced;
// one that is replaced leaves its permissions to the new one.
#ifndef GW_BASE_OUTPUT_H
#define GW_BASE_OUTPUT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A name pair; for "-" or NULL both are NULL, which stands for standard output.
typedef struct {
    char *path, *temporary;
} gw_output_name;

// Fails where a file of this name could not be created; leaves nothing behind. NULL and "-" are fine.
gw_status gw_output_can_create(const char *path) GW_MUST_CHECK;

gw_status gw_output_name_make(gw_output_name *name, const char *path) GW_MUST_CHECK;
// Renames the finished (and closed) temporary to its final name; syncs it to disk first where `durable`.
gw_status gw_output_name_keep(gw_output_name *name, bool durable) GW_MUST_CHECK;
// Removes the temporary; harmless after keep.
void gw_output_name_drop(gw_output_name *name);
// Removes all temporaries of this process that are still open questions. Async-signal-safe.
void gw_outputs_discard(void);
// The file that now has this name (a lock, a socket) goes with them, unless another one has taken its name by then; the
// pointer stays in use until gw_outputs_remove_own(). False where there is no such file, or no room.
bool gw_outputs_discard_too(const char *path) GW_MUST_CHECK;
void gw_outputs_remove_own(const char *path); // removes it now, on the same condition

// Files that belong together: between begin and end, files that are kept wait under their temporary names. The end
// gives all of them their final names where `status` is GW_OK; otherwise it removes them all, and the folders that were
// made meanwhile. It returns `status`, or the failure of a renaming. For one thread of a process at a time.
void gw_outputs_begin(void);
gw_status gw_outputs_end(gw_status status) GW_MUST_CHECK;

// Removes a file that the outputs make needless (notes to resume from): at the end of files that belong together where
// that is a success, at once outside of such.
void gw_outputs_remove_later(const char *path);

// An uncompressed stream on such a name. NULL or "-" writes to standard output.
typedef struct {
    FILE *stream;
    gw_output_name name;
} gw_output;

gw_status gw_output_open(gw_output *output, const char *path) GW_MUST_CHECK;
gw_status gw_output_write(gw_output *output, const void *bytes, int64_t count) GW_MUST_CHECK;
gw_status gw_output_flush(gw_output *output) GW_MUST_CHECK; // hands all bytes to the system
// Flushes, closes, checks, renames. The output is released also on failure.
gw_status gw_output_close(gw_output *output) GW_MUST_CHECK;
// Closes and removes; harmless on a closed or zeroed output.
void gw_output_abandon(gw_output *output);

// Whole small files. The text read is followed by a zero byte; free() it.
gw_status gw_read_file(const char *path, char **bytes, int64_t *count) GW_MUST_CHECK;
gw_status gw_write_file(const char *path, const void *bytes, int64_t count) GW_MUST_CHECK;
gw_status gw_copy_file(const char *from, const char *to) GW_MUST_CHECK;
gw_status gw_make_directory(const char *path) GW_MUST_CHECK; // with its parents; an existing one is fine
bool gw_file_exists(const char *path);
// "<folder>/<name>" as a fresh string; NULL with a message.
char *gw_join_path(const char *folder, const char *name);

#endif
