// SPDX-License-Identifier: MIT
// The expected VCF fields of a variant in usual notations, or the error message.
#ifndef GW_TESTS_UNIT_WRITTEN_VARIANTS_H
#define GW_TESTS_UNIT_WRITTEN_VARIANTS_H

#include "seq/vcf/variant_text.h"

#include <criterion/criterion.h>
#include <string.h>

// The genome and transcripts for reading variants; transcripts may be NULL.
typedef struct {
    gw_genome *genome;
    const gw_gene_models *transcripts;
} variant_place;

static inline void expect_written(variant_place in, const char *text, int64_t position, const char *ref,
                                  const char *alt) {
    gw_written_alleles v;
    cr_assert_eq(gw_variant_text_read(text, in.genome, in.transcripts, &v), GW_OK, "%s: %s", text, gw_message());
    cr_expect_eq(v.position + 1, position, "%s: at %lld", text, (long long)v.position + 1);
    cr_expect_str_eq(v.ref, ref, "%s: REF %s", text, v.ref);
    cr_expect_str_eq(v.alt, alt, "%s: ALT %s", text, v.alt);
    gw_written_alleles_free(&v);
}

static inline void expect_refused(variant_place in, const char *text, const char *message) {
    gw_written_alleles v;
    cr_expect_neq(gw_variant_text_read(text, in.genome, in.transcripts, &v), GW_OK, "%s: %s>%s", text, v.ref, v.alt);
    cr_expect(strstr(gw_message(), message), "%s: '%s' lacks '%s'", text, gw_message(), message);
    gw_written_alleles_free(&v);
}

#endif
