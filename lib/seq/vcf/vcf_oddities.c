// SPDX-License-Identifier: MIT
// What records have beside what the header declares: keys, contigs, and numbers and types of INFO values. They are
// read all the same; each kind is counted with its first place, and said once.
#include "seq/vcf/vcf_private.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_KEY = 256 };

// Notes a kind once a record.
static void note(gw_vcf_reader *reader, const gw_vcf_record *record, int kind, const char *text, size_t length,
                 unsigned *seen) {
    gw_vcf_oddity *oddity = &reader->oddities[kind];
    if (*seen & 1u << kind) return;
    *seen |= 1u << kind;
    if (oddity->records++ > 0) return;
    if (record->number > 0) snprintf(oddity->place, sizeof oddity->place, "in line %lld", (long long)record->number);
    else
        snprintf(oddity->place, sizeof oddity->place, "at %.40s:%lld", record->contig, (long long)record->position + 1);
    snprintf(oddity->text, sizeof oddity->text, "%.*s", (int)(length < sizeof oddity->text ? length : 1000), text);
}

// The header's number of a key; -1: it is not declared as one of this kind.
static int find_key(const bcf_hdr_t *header, int kind, const char *key, size_t length) {
    char name[LONGEST_KEY];
    if (length >= sizeof name) return -1;
    memcpy(name, key, length);
    name[length] = 0;
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, name);
    return id >= 0 && bcf_hdr_idinfo_exists(header, kind, id) ? id : -1;
}

// A value of one number: '.', or a whole number that BCF can hold, or any number.
static bool is_number(const char *value, size_t length, bool whole) {
    char text[64], *end;
    if (length == 0 || length >= sizeof text) return false;
    memcpy(text, value, length);
    text[length] = 0;
    if (strcmp(text, ".") == 0) return true;
    if (!whole) return strtod(text, &end), !*end;
    const size_t sign = text[0] == '-' || text[0] == '+';
    if (!text[sign] || text[sign + strspn(text + sign, "0123456789")]) return false;
    const long long number = strtoll(text, NULL, 10);
    return number >= BCF_MIN_BT_INT32 && number <= BCF_MAX_BT_INT32;
}

// `value` is what stands behind the key's '='; NULL: nothing does.
static void check_values(gw_vcf_reader *reader, const gw_vcf_record *record, int id, const char *value, const char *end,
                         bool *number, bool *type) {
    const bcf_hdr_t *header = reader->header;
    const int kind = bcf_hdr_id2type(header, BCF_HL_INFO, id), length = bcf_hdr_id2length(header, BCF_HL_INFO, id);
    if (kind == BCF_HT_FLAG) { // of the past, and allowed: DB=1
        *type = value && !(end - value == 1 && (*value == '0' || *value == '1'));
        return;
    }
    if (!value) {
        *number = length != BCF_VL_VAR;
        return;
    }
    if (end - value == 1 && *value == '.') return;
    int64_t count = 0;
    for (const char *at = value; at <= end; count++) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        if (kind == BCF_HT_INT || kind == BCF_HT_REAL)
            *type = *type || !is_number(at, (size_t)(stop - at), kind == BCF_HT_INT);
        at = stop + 1;
    }
    const int64_t declared = length == BCF_VL_FIXED ? (int64_t)bcf_hdr_id2number(header, BCF_HL_INFO, id)
                             : length == BCF_VL_A   ? record->alts
                             : length == BCF_VL_R   ? record->alts + 1
                                                    : count;
    *number = count != declared && !(length == BCF_VL_A && record->alts == 0);
}

static void check_info(gw_vcf_reader *reader, const gw_vcf_record *record, unsigned *seen) {
    const char *at = record->line.data + record->info_begin, *end = record->line.data + record->info_end;
    if (end - at == 1 && *at == '.') return;
    while (at < end) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at)), *stop = semicolon ? semicolon : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at)), *key_end = equals ? equals : stop;
        bool number = false, type = false;
        const int id = find_key(reader->header, BCF_HL_INFO, at, (size_t)(key_end - at));
        if (id < 0 && key_end > at) note(reader, record, GW_ODD_INFO, at, (size_t)(key_end - at), seen);
        if (id >= 0) check_values(reader, record, id, equals ? equals + 1 : NULL, stop, &number, &type);
        if (number) note(reader, record, GW_ODD_NUMBER, at, (size_t)(stop - at), seen);
        if (type) note(reader, record, GW_ODD_TYPE, at, (size_t)(stop - at), seen);
        at = stop + 1;
    }
}

static void check_list(gw_vcf_reader *reader, const gw_vcf_record *record, int oddity, const char *at, const char *end,
                       unsigned *seen) {
    const bool filter = oddity == GW_ODD_FILTER;
    while (at < end) {
        const char *next = memchr(at, filter ? ';' : ':', (size_t)(end - at)), *stop = next ? next : end;
        const size_t length = (size_t)(stop - at);
        const bool nothing = (length == 1 && *at == '.') || (filter && length == 4 && memcmp(at, "PASS", 4) == 0);
        if (!nothing && find_key(reader->header, filter ? BCF_HL_FLT : BCF_HL_FMT, at, length) < 0)
            note(reader, record, oddity, at, length, seen);
        at = stop + 1;
    }
}

void gw_vcf_note_oddities(gw_vcf_reader *reader, const gw_vcf_record *record) {
    const char *line = record->line.data, *info = line + record->info_begin, *format = line + record->info_end + 1;
    const char *filter_end = info - 1, *filter = memrchr(line, '\t', (size_t)(filter_end - line));
    unsigned seen = 0;
    if (!gw_vcf_declares_contig(reader, record->contig))
        note(reader, record, GW_ODD_CONTIG, record->contig, strlen(record->contig), &seen);
    check_list(reader, record, GW_ODD_FILTER, filter + 1, filter_end, &seen);
    check_info(reader, record, &seen);
    if (format < line + record->line.length)
        check_list(reader, record, GW_ODD_FORMAT, format, format + strcspn(format, "\t"), &seen);
}

void gw_vcf_warn_of_records(const gw_vcf_reader *reader) {
    static const char *const words[GW_ODDITIES] = {
        [GW_ODD_CONTIG] = "lie on a contig that the header does not declare",
        [GW_ODD_FILTER] = "have a FILTER that the header does not declare",
        [GW_ODD_INFO] = "have an INFO key that the header does not declare",
        [GW_ODD_FORMAT] = "have a FORMAT key that the header does not declare",
        [GW_ODD_NUMBER] = "have more or fewer values of an INFO key than the header declares",
        [GW_ODD_TYPE] = "have INFO values of another type than the header declares",
    };
    for (int i = 0; i < GW_ODDITIES; i++) {
        const gw_vcf_oddity *oddity = &reader->oddities[i];
        if (oddity->records > 0)
            gw_warn("%s: %lld records %s: the first is '%s' %s", reader->path, (long long)oddity->records, words[i],
                    oddity->text, oddity->place);
    }
}
