// SPDX-License-Identifier: MIT
// Which contig, FILTER, INFO or FORMAT key of a line the header does not declare: BCF numbers them by the header.
#include "seq/vcf/vcf_private.h"

#include "base/memory.h"
#include "file/lines.h"

#include <stdlib.h>
#include <string.h>

enum { CHROM, FILTER = 6, INFO, FORMAT, COLUMNS = 10 };

static bool is_declared(const bcf_hdr_t *header, int kind, const char *key) {
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, key);
    return id >= 0 && bcf_hdr_idinfo_exists(header, kind, id);
}

// The first key of a list that is not declared, or NULL. INFO's keys end at '='.
static const char *find_key(const bcf_hdr_t *header, int kind, char *list) {
    for (char *one; (one = strsep(&list, kind == BCF_HL_FMT ? ":" : ";")) != NULL;) {
        if (kind == BCF_HL_INFO) one[strcspn(one, "=")] = 0;
        const bool needs = one[0] && strcmp(one, ".") != 0 && !(kind == BCF_HL_FLT && strcmp(one, "PASS") == 0);
        if (needs && !is_declared(header, kind, one)) return one;
    }
    return NULL;
}

gw_status gw_vcf_undeclared(const gw_vcf_reader *reader, const gw_vcf_record *record) {
    static const struct {
        int column, kind;
        const char *name;
    } lists[] = {{FILTER, BCF_HL_FLT, "FILTER"}, {INFO, BCF_HL_INFO, "INFO"}, {FORMAT, BCF_HL_FMT, "FORMAT"}};
    char *columns[COLUMNS], *line = gw_strdup(record->line.data);
    if (!line) return GW_ERR_MEMORY;
    const int count = gw_split(line, '\t', columns, COLUMNS);
    const char *what = "", *key = NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && !key; i++) {
        if (lists[i].column >= count) break;
        what = lists[i].name;
        key = find_key(reader->header, lists[i].kind, columns[lists[i].column]);
    }
    if (!key && !gw_vcf_declares_contig(reader, columns[CHROM])) { // last: the writer declares most of these itself
        what = "contig";
        key = columns[CHROM];
    }
    const gw_status status =
        key ? gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%s '%s' is not declared in the header, which BCF needs", what,
                          key)
            : gw_vcf_fail(reader, record, GW_ERR_FORMAT, "HTSlib finds a fault in this line that keeps it out of BCF");
    free(line);
    return status;
}
