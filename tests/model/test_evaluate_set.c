// SPDX-License-Identifier: MIT
// The tables of a set's evaluation: rows, constant targets, sequences seen in training, labels that do not match.
#include "base/output.h"
#include "fixtures.h"
#include "task/windows/evaluate_set.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/godwit-evaluate.XXXXXX";

static void enter(void) {
    strcpy(strrchr(folder, '.') + 1, "XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void leave(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(evaluate_set, .init = enter, .fini = leave);

static void write_text(const char *path, const char *text) {
    cr_assert_eq(gw_write_file(path, text, (int64_t)strlen(text)), GW_OK);
}

static const char table[] = "sequence,label a,label b,split\nACGTACGT,1,0,test\nGGGTTTAC,0,0,test\nCATCATCA,1,0,test\n"
                            "TTTTTTTT,,0,test\nACGGTTTT,0,1,train\n";

// Line `number` (from 0) of a text, zero-terminated, and how many tabs it has.
static const char *line_of(char *text, int number, int *tabs) {
    char *line = strtok(text, "\n");
    while (number-- > 0) line = strtok(NULL, "\n");
    cr_assert_not_null(line);
    *tabs = 0;
    for (const char *c = line; *c; c++) *tabs += *c == '\t';
    return line;
}

Test(evaluate_set, per_target_rows) {
    gw_model *model = fixture_model(2, 0);
    write_text("set.csv", table);
    const char *sets[] = {"set.csv"};
    gw_eval_options options = {.in.sets = {sets, 1}, .per_target = "targets.tsv"};
    cr_redirect_stdout();
    cr_assert_eq(gw_eval_set(&model, 1, &options), GW_OK, "%s", gw_message());
    char *text, *copy;
    int64_t length;
    int tabs;
    cr_assert_eq(gw_read_file("targets.tsv", &text, &length), GW_OK);
    copy = strdup(text);
    cr_assert_str_eq(line_of(copy, 0, &tabs), "target\tn\tpositives\taccuracy\tF1\tMCC\tAUROC\tAUPRC");
    free(copy);
    copy = strdup(text);
    cr_assert_eq(strncmp(line_of(copy, 1, &tabs), "label a\t3\t2\t", 12), 0); // one label is missing
    cr_assert_eq(tabs, 7);
    free(copy);
    const char *constant = line_of(text, 2, &tabs);
    cr_assert_eq(strncmp(constant, "label b\t4\t0\t", 12), 0);
    cr_assert_str_eq(constant + strlen(constant) - 6, "\tNA\tNA");
    free(text);
    gw_model_free(model);
}

Test(evaluate_set, one_label_and_sequences_seen) {
    gw_model *model = fixture_model(1, 0);
    write_text("set.csv", "sequence,y\nACGTACGT,1\nGGGTTTAC,0\nCATCATCA,1\n");
    write_text("train.csv", "sequence,y\ncatcatca,1\n");
    const char *sets[] = {"set.csv"}, *seen[] = {"train.csv"};
    gw_eval_options options = {.in.sets = {sets, 1}, .without = {seen, 1}};
    cr_redirect_stdout();
    cr_assert_eq(gw_eval_set(&model, 1, &options), GW_OK, "%s", gw_message());
    fflush(stdout);
    char text[512] = {0};
    int tabs;
    cr_assert_gt(fread(text, 1, sizeof text - 1, cr_get_redirected_stdout()), 0);
    char *copy = strdup(text);
    cr_assert_str_eq(line_of(copy, 0, &tabs), "scope\ttargets\tn\tpositives\taccuracy\tF1\tMCC\tAUROC\tAUPRC");
    free(copy);
    cr_assert_eq(strncmp(line_of(text, 1, &tabs), "y\t1\t2\t1\t", 8), 0, "%s", text);
    gw_model_free(model);
}

Test(evaluate_set, labels_that_do_not_match) {
    gw_model *two = fixture_model(2, 0), *three = fixture_model(3, 0);
    write_text("set.csv", table);
    write_text("other.csv", "sequence,label a,label c\nACGT,1,0\n");
    const char *sets[] = {"set.csv"}, *others[] = {"other.csv"};
    gw_eval_options options = {.in.sets = {sets, 1}};
    cr_assert_eq(gw_eval_set(&three, 1, &options), GW_ERR_MISMATCH);
    cr_assert_str_eq(gw_message(), "the set has 2 labels, the model 3");
    options.in.sets.items = others;
    cr_assert_eq(gw_eval_set(&two, 1, &options), GW_ERR_MISMATCH);
    cr_assert_str_eq(gw_message(), "label 2 is label c in the set and label b in the model");
    options.split = "test";
    cr_assert_eq(gw_eval_set(&two, 1, &options), GW_ERR_MISMATCH);
    cr_assert_str_eq(gw_message(), "other.csv has no splits, so no test part");
    gw_model_free(two);
    gw_model_free(three);
}
