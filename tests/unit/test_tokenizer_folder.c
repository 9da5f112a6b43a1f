// SPDX-License-Identifier: MIT
// Which file of a folder is its tokenizer.
#include "base/output.h"
#include "text/tokenizer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[32];

static const char *path_of(const char *file) {
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static void touch(const char *file) {
    cr_assert_eq(gw_write_file(path_of(file), "x", 1), GW_OK);
}

static void expect_found(const char *file) {
    char *path;
    cr_assert_eq(gw_tokenizer_find(folder, &path), GW_OK, "%s", gw_message());
    cr_expect_str_eq(path, path_of(file));
    free(path);
}

static void expect_bad(gw_status code, const char *text) {
    char *path;
    cr_expect_eq(gw_tokenizer_find(folder, &path), code, "%s", gw_message());
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
    cr_expect_null(path);
}

Test(tokenizer_folder, the_first_of_the_known_names_counts) {
    static const char *const files[] = {"a.model",         "b.model",      "vocab.txt",     "vocab.json",
                                        "tokenizer.model", "spiece.model", "tokenizer.json"};
    strcpy(folder, "/tmp/godwit-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    expect_bad(GW_ERR_IO, "no tokenizer: neither tokenizer.json nor vocab.json, vocab.txt, spiece.model");
    touch("a.model");
    expect_found("a.model");
    touch("b.model");
    expect_bad(GW_ERR_UNSUPPORTED, "which of its .model files");
    touch("vocab.txt");
    expect_found("vocab.txt");
    touch("vocab.json");
    expect_found("vocab.json");
    touch("tokenizer.model");
    expect_found("tokenizer.model");
    touch("spiece.model");
    expect_found("spiece.model");
    touch("tokenizer.json");
    expect_found("tokenizer.json");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(path_of(files[i]));
    cr_expect_eq(rmdir(folder), 0);
    expect_bad(GW_ERR_IO, "cannot open the folder");
}
