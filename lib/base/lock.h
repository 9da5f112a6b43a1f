// SPDX-License-Identifier: MIT
// Locks of folders that only one run at a time may write. While the run lasts, FOLDER.lock beside the folder holds the
// host, the process and the start time.
//
// On the same host the system knows whether the process still runs (flock(2)), even if another process has got its
// number. A run takes over the lock of a killed run, with a note. A lock from another host is an error, because the
// state of that process is unknown. The message says which file to delete. A process that dies by a signal removes its
// lock together with its temporary files.
#ifndef GW_BASE_LOCK_H
#define GW_BASE_LOCK_H

#include "base/status.h"

typedef struct {
    char *path; // NULL: no lock is held
    int file;
} gw_lock; // begins as zeros

gw_status gw_lock_acquire(gw_lock *lock, const char *folder) GW_MUST_CHECK; // makes the parent folders
void gw_lock_release(gw_lock *lock);

#endif
