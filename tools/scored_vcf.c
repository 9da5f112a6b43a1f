// SPDX-License-Identifier: MIT
// Looks for lines of the header's text.
#include "tools/scored_vcf.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// The line that declares the key, NULL: there is none.
static const char *find_declaration(const gw_vcf_reader *reader, const char *key) {
    static const char begin[] = "##INFO=<ID=";
    const size_t length = strlen(key), skipped = sizeof begin - 1;
    for (const char *at = gw_vcf_header(reader); (at = strstr(at, begin)) != NULL; at += skipped)
        if (strncmp(at + skipped, key, length) == 0 && at[skipped + length] == ',') return at;
    return NULL;
}

bool gw_scored_has(const gw_vcf_reader *reader, const char *key) {
    return find_declaration(reader, key) != NULL;
}

// X_DIFF or X_LLR, the first that is declared.
static gw_status find_tagged(const gw_vcf_reader *reader, const char *tag, int length, char **key) {
    static const char *const names[] = {"DIFF", "LLR"};
    for (int i = 0; i < 2 && !*key; i++) {
        char *tried = gw_strprintf("%.*s_%s", length, tag, names[i]);
        if (!tried) return GW_ERR_MEMORY;
        if (gw_scored_has(reader, tried)) *key = tried;
        else free(tried);
    }
    return GW_OK;
}

gw_status gw_scored_key(const gw_vcf_reader *reader, char **key) {
    static const char begin[] = "##godwit_scoreTag=";
    *key = NULL;
    GW_TRY(find_tagged(reader, "GW", 2, key));
    for (const char *at = gw_vcf_header(reader); !*key && (at = strstr(at, begin)) != NULL;) {
        at += sizeof begin - 1;
        GW_TRY(find_tagged(reader, at, (int)strcspn(at, "\r\n"), key));
    }
    return GW_OK;
}

void gw_scored_describe(const gw_vcf_reader *reader, const char *key, gw_string *out) {
    static const char begin[] = "Description=\"";
    const char *line = find_declaration(reader, key), *text = line ? strstr(line, begin) : NULL;
    if (!text || text > line + strcspn(line, "\n")) return;
    text += sizeof begin - 1;
    gw_string_append(out, text, (int64_t)strcspn(text, "\"\n"));
}
