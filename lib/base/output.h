// SPDX-License-Identifier: MIT
// Output files that appear whole or not at all.
//
// A file is written under "<path>.tmp.<host>-<pid>" beside its final name. It is renamed when it is complete.
// gw_outputs_discard() removes temporary files that an error or a signal left. A temporary file of a killed process is
// removed when the same file is next written on that host.
//
// A path to a device or a pipe is written directly. A path to an input (base/input_files.h) is refused. A symbolic link
// stays, and the file that it points to is written. A file without write permission is refused, even if its folder
// would allow a replacement. A new file takes over the permissions of the file that it replaces.
#ifndef GW_BASE_OUTPUT_H
#define GW_BASE_OUTPUT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The final and the temporary name. For "-" and NULL both are NULL, which means standard output.
typedef struct {
    char *path, *temporary;
} gw_output_name;

// Fails if a file of this name cannot be created. Leaves no file behind. NULL and "-" are fine.
gw_status gw_output_can_create(const char *path) GW_MUST_CHECK;

gw_status gw_output_name_make(gw_output_name *name, const char *path) GW_MUST_CHECK;
// Renames the finished (and closed) temporary file to its final name. `durable`: writes the file to disk first (fsync).
gw_status gw_output_name_keep(gw_output_name *name, bool durable) GW_MUST_CHECK;
// Removes the temporary file; harmless after keep.
void gw_output_name_drop(gw_output_name *name);
// Removes all temporary files of this process that were neither kept nor dropped. Async-signal-safe.
void gw_outputs_discard(void);
// Registers an existing file (a lock, a socket): gw_outputs_discard() removes it, unless another file has taken its
// name. The path must stay valid until gw_outputs_remove_own(). False if there is no such file, or the list is full.
bool gw_outputs_discard_too(const char *path) GW_MUST_CHECK;
void gw_outputs_remove_own(const char *path); // removes it now, unless another file has taken its name

// Files that belong together. Between begin and end, kept files wait under their temporary names. If `status` is GW_OK,
// the end renames all of them; otherwise it removes all of them and the folders that were made in between. Returns
// `status`, or the failure of a renaming. For one thread of a process at a time.
void gw_outputs_begin(void);
gw_status gw_outputs_end(gw_status status) GW_MUST_CHECK;

// Removes a file that is not needed after success, such as a journal for resuming. Between gw_outputs_begin() and a
// successful gw_outputs_end() the file is removed at the end; otherwise at once.
void gw_outputs_remove_later(const char *path);

// An uncompressed stream to a path. NULL or "-" writes to standard output.
typedef struct {
    FILE *stream;
    gw_output_name name;
} gw_output;

gw_status gw_output_open(gw_output *output, const char *path) GW_MUST_CHECK;
gw_status gw_output_write(gw_output *output, const void *bytes, int64_t count) GW_MUST_CHECK;
gw_status gw_output_flush(gw_output *output) GW_MUST_CHECK; // passes all bytes to the system
// Flushes, closes, checks, renames. The output is released, also after a failure.
gw_status gw_output_close(gw_output *output) GW_MUST_CHECK;
// Closes and removes the temporary file; harmless on a closed or zeroed output.
void gw_output_abandon(gw_output *output);

// Whole small files. A zero byte follows the bytes that were read. Free them with free().
gw_status gw_read_file(const char *path, char **bytes, int64_t *count) GW_MUST_CHECK;
gw_status gw_write_file(const char *path, const void *bytes, int64_t count) GW_MUST_CHECK;
gw_status gw_copy_file(const char *from, const char *to) GW_MUST_CHECK;
gw_status gw_make_directory(const char *path) GW_MUST_CHECK; // makes its parents too; an existing folder is fine
bool gw_file_exists(const char *path);
// "<folder>/<name>" as a new string; free() it. NULL with a message.
char *gw_join_path(const char *folder, const char *name);

#endif
