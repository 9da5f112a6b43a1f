// SPDX-License-Identifier: MIT
// Folders that one run at a time may write: FOLDER.lock beside the folder, with the host, the process and the time at
// which it began, while the run lasts.
//
// On this host the system knows whether the process still runs (flock(2)), also where its number has gone to another; a
// lock that a killed run left is taken over, with a note. Of another host nobody can tell: its lock is an error, whose
// message says which file to delete. A lock goes with the process's temporaries when it dies by a signal.
#ifndef GW_BASE_LOCK_H
#define GW_BASE_LOCK_H

#include "base/status.h"

typedef struct {
    char *path; // NULL: none is held
    int file;
} gw_lock; // begins as zeros

gw_status gw_lock_acquire(gw_lock *lock, const char *folder) GW_MUST_CHECK; // makes the folders above it
void gw_lock_release(gw_lock *lock);

#endif
