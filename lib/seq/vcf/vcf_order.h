// SPDX-License-Identifier: MIT
// Whether records come as an index needs them: each contig's together, and by position.
#ifndef GW_SEQ_VCF_VCF_ORDER_H
#define GW_SEQ_VCF_VCF_ORDER_H

#include "seq/vcf/vcf.h"

// Zero-initialise.
typedef struct {
    char *contig; // of the last record
    int64_t position;
    char **finished; // contigs seen, the last one's too
    int64_t count, capacity;
    bool broken; // a record did not come in order
} gw_vcf_order;

// Takes the next record; one out of order is an error that says how a file is sorted.
gw_status gw_vcf_order_check(gw_vcf_order *order, const gw_vcf_reader *reader,
                             const gw_vcf_record *record) GW_MUST_CHECK;
void gw_vcf_order_free(gw_vcf_order *order);

#endif
