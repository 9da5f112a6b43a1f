// SPDX-License-Identifier: MIT
// Bytes as a VCF: what can be read can be asked for its columns, and written with one more INFO key as a VCF of as many
// records.
#include "base/memory.h"
#include "seq/vcf/vcf.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include <math.h>

static const gw_info_key key = {"FUZZ_KEY", GW_INFO_FLOAT, "A value for each ALT"};

static void ask(const gw_vcf_reader *reader, const gw_vcf_record *record, gw_string *text) {
    gw_vcf_info(reader, record, "END", text);
    gw_vcf_info(reader, record, "AF", text);
    gw_vcf_qual(record, text);
    gw_vcf_filters(reader, record, text);
}

static gw_status write_record(gw_vcf_writer *writer, gw_vcf_record *record) {
    float *floats = gw_alloc(record->alts, sizeof *floats);
    if (!floats) return GW_ERR_MEMORY;
    for (int i = 0; i < record->alts; i++) floats[i] = i % 2 ? NAN : 0.5F;
    const gw_info_values values = {.key = &key, .floats = floats};
    const gw_status status = gw_vcf_write(writer, record, &values, record->alts > 0);
    free(floats);
    return status;
}

// Copies the records; -1 where the reader or the writer refuses one.
static int64_t copy(gw_vcf_reader *reader, const char *output) {
    const gw_vcf_output options = {.format = 'v', .overwrite = true, .keys = &key, .key_count = 1};
    gw_vcf_record record = {0};
    gw_vcf_writer *writer;
    gw_string text = {0};
    int64_t count = 0;
    bool got = true;
    if (gw_vcf_create(output, reader, &options, &writer) != GW_OK) return -1;
    gw_status status = gw_vcf_next(reader, &record, &got);
    for (; status == GW_OK && got; count++) {
        ask(reader, &record, &text);
        status = write_record(writer, &record);
        if (status == GW_OK) status = gw_vcf_next(reader, &record, &got);
    }
    if (status == GW_OK) status = gw_vcf_finish(writer);
    else gw_vcf_abandon(writer);
    gw_vcf_record_free(&record);
    gw_string_free(&text);
    return status == GW_OK ? count : -1;
}

static int64_t count_records(const char *path) {
    gw_vcf_record record = {0};
    gw_vcf_reader *reader;
    int64_t count = -1;
    bool got = true;
    if (gw_vcf_open(path, NULL, NULL, &reader) != GW_OK) return -1;
    while (got && gw_vcf_next(reader, &record, &got) == GW_OK) count++;
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    return got ? -1 : count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char input[64], output[64];
    gw_vcf_reader *reader;
    if (gw_vcf_open(fuzz_file(input, "in.vcf", data, size), NULL, NULL, &reader) != GW_OK) return 0;
    const int64_t records = copy(reader, fuzz_path(output, "out.vcf"));
    gw_vcf_close(reader);
    if (records >= 0 && count_records(output) != records) abort();
    return 0;
}
