// SPDX-License-Identifier: MIT
// Makes a scratch folder for a test and files in it, and removes both.
#include "tests/unit/scratch.h"

#include "base/output.h"
#include "file/lines.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <htslib/bgzf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static char folder[] = "/tmp/godwit-unit.XXXXXX";

void scratch_enter(void) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void scratch_leave(void) {
    cr_assert_eq(chdir("/"), 0);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void scratch_text(const char *path, const char *text) {
    cr_assert_eq(gw_write_file(path, text, (int64_t)strlen(text)), GW_OK, "%s", gw_message());
}

void scratch_gzip(const char *path, const char *text) {
    BGZF *file = bgzf_open(path, "wg"); // plain gzip
    cr_assert_not_null(file);
    cr_assert_eq(bgzf_write(file, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(bgzf_close(file), 0);
}

void scratch_bgzf(const char *path, const char *text) {
    gw_text_writer *writer;
    cr_assert_eq(gw_writer_open_as(path, true, &writer), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_writer_write(writer, text, (int64_t)strlen(text)), GW_OK);
    cr_assert_eq(gw_writer_close(writer), GW_OK, "%s", gw_message());
}

void scratch_cut(const char *path, int64_t bytes_off) {
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(truncate(path, info.st_size - bytes_off), 0);
}

void scratch_age(const char *path, int64_t seconds) {
    const struct utimbuf times = {time(NULL) - seconds, time(NULL) - seconds};
    cr_assert_eq(utime(path, &times), 0);
}
