// SPDX-License-Identifier: MIT
// A scratch folder for a test with files: TestSuite(x, .init = scratch_enter, .fini = scratch_leave).
#ifndef GW_TESTS_UNIT_SCRATCH_H
#define GW_TESTS_UNIT_SCRATCH_H

#include <stdint.h>

void scratch_enter(void); // makes the folder and enters it
void scratch_leave(void); // removes it with its content
void scratch_text(const char *path, const char *text);
void scratch_gzip(const char *path, const char *text); // plain gzip
void scratch_bgzf(const char *path, const char *text);
void scratch_cut(const char *path, int64_t bytes_off); // shortens the file
void scratch_age(const char *path, int64_t seconds);   // makes it older than now

#endif
