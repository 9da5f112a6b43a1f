// SPDX-License-Identifier: MIT
// Which records of a VCF expressions choose: each line of stdin is "i EXPR" or "e EXPR", as the options are called, and
// gives a line of POS on stdout.
//   filters FILE.vcf <expressions
#include "seq/vcf/vcf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static gw_status print_all(gw_vcf_reader *reader) {
    gw_vcf_record record = {0};
    gw_status status = GW_OK;
    for (bool got = true; got && status == GW_OK;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status == GW_OK && got) printf("%" PRId64 " ", record.position + 1);
    }
    gw_vcf_record_free(&record);
    return status;
}

static void print_chosen(const char *file, char way, const char *expression) {
    const gw_vcf_filter filter = {.include_if = way == 'i' ? expression : NULL,
                                  .exclude_if = way == 'e' ? expression : NULL};
    gw_vcf_reader *reader;
    gw_status status = gw_vcf_open(file, NULL, &filter, &reader);
    if (status == GW_OK) {
        status = print_all(reader);
        gw_vcf_close(reader);
    }
    puts(status == GW_OK ? "" : gw_message());
}

int main(int count, char **arguments) {
    char line[4096];
    if (count != 2) return 2;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        print_chosen(arguments[1], line[0], line + 2);
    }
    return 0;
}
