// SPDX-License-Identifier: MIT
// Questions about variants and their answers, a line of JSON each.
//
//   {"id": 1, "variants": ["chr17:43045711:G:A", "chr17:g.43045712del"]}   what seq/vcf/variant_text.h reads
//   {"id": 2, "region": "chr17:43045701-43045720"}                         every single-base change
//
//   {"id": 1, "status": "ok", "results": [{"variant": "chr17:43045711:G:A", "status": "PASS", "contig": "chr17",
//    "position": 43045711, "ref": "G", "alt": "A", "llr": -3.25}, ...]}
//   {"id": 2, "status": "bad-request", "message": "..."}
//
// id may be anything and comes back as it is. A variant that cannot be read has the status UNREAD and a message; one
// that is read has that of GW_STATUS, and values where it is scored: llr of a pretrained model; diff, logit, mean,
// pref, palt and top, the profile's index, with its name as profile, of a fine-tuned one. They are those of `godwit
// score`.
#ifndef GW_SERVE_ANSWER_H
#define GW_SERVE_ANSWER_H

#include "base/string.h"
#include "score/allele_scorer.h"

typedef struct gw_answerer gw_answerer;

typedef struct {
    gw_allele_scorer_options scoring;
    int64_t most_variants; // of a request
} gw_answerer_options;

// Borrows everything.
gw_status gw_answerer_new(gw_model *model, gw_genome *genome, const gw_answerer_options *options,
                          gw_answerer **out) GW_MUST_CHECK;
void gw_answerer_free(gw_answerer *answerer); // NULL is fine

// Appends the answer, a line with its end. Whatever the request is there is one: bad-request (not what is said above),
// too-large (more variants than a request may have) or failed (the model or the genome could not be read or run). An
// error is what ends a service: memory, or an interruption.
gw_status gw_answer(gw_answerer *answerer, const char *request, int64_t length, gw_string *out) GW_MUST_CHECK;
// An answer without results.
gw_status gw_answer_refusal(const char *status, const char *message, gw_string *out) GW_MUST_CHECK;

#endif
