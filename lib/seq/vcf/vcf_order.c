// SPDX-License-Identifier: MIT
// Checks record by record that contigs stand together and positions do not fall.
#include "seq/vcf/vcf_order.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char REMEDY[] = "an index needs sorted records: run bcftools sort on the input, or leave the index out";

static gw_status next_contig(gw_vcf_order *order, const gw_vcf_reader *reader, const gw_vcf_record *record) {
    for (int64_t i = 0; i < order->count; i++) {
        if (strcmp(order->finished[i], record->contig) != 0) continue;
        order->broken = true;
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "contig %s comes back after others; %s", record->contig,
                           REMEDY);
    }
    GW_TRY(gw_reserve(&order->finished, &order->capacity, order->count + 1, sizeof(char *)));
    if (!(order->contig = gw_strdup(record->contig))) return GW_ERR_MEMORY;
    order->finished[order->count++] = order->contig;
    return GW_OK;
}

gw_status gw_vcf_order_check(gw_vcf_order *order, const gw_vcf_reader *reader, const gw_vcf_record *record) {
    const bool same = order->contig && strcmp(order->contig, record->contig) == 0;
    if (!same) GW_TRY(next_contig(order, reader, record));
    order->broken = same && record->position < order->position;
    if (order->broken)
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "POS %lld comes after POS %lld; %s",
                           (long long)record->position + 1, (long long)order->position + 1, REMEDY);
    order->position = record->position;
    return GW_OK;
}

void gw_vcf_order_free(gw_vcf_order *order) {
    for (int64_t i = 0; i < order->count; i++) free(order->finished[i]);
    free(order->finished);
    *order = (gw_vcf_order){0};
}
