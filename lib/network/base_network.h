// SPDX-License-Identifier: MIT
// Probabilities of classes for each base of windows, by a model of single bases whose head labels these, averaged over
// the model's members, or summed where each of these fills classes of its own (gw_family_scoring of model/family.h).
//
// Networks of tracks (gw_tracks of model/family.h) give each row of a window their columns instead, means over the
// members. Where a row stands for several bases, windows are as long as the network reads, and flanks whole rows.
//
// The logit behind a class's probability is (z - ln w) / T: w is the weight that the class had in training, T the
// temperature (1 where there is none). Probabilities are the softmax of these, or, of classes that overlap, the
// logistic function of each.
#ifndef GW_NETWORK_BASE_NETWORK_H
#define GW_NETWORK_BASE_NETWORK_H

#include "model/model.h"
#include "seq/genome/genome.h"
#include "text/tokenizer.h"

// A window of bases (A, C, G, T, N), with what each of those gets that have a flank on either side in it. Of a variant,
// one of ALT says what of REF it stands for.
typedef struct {
    const char *bases;
    int64_t length;       // more than 2 flanks
    char strand;          // '-': the network reads the reverse complement; rows stay in the order of the bases
    float *rows;          // [(length - 2 flank) / bin][classes]
    int64_t ref;          // index among those of the run of REF's window; -1: this is one
    int64_t offset, span; // the bases of REF's window in whose place these stand
} gw_labelling_window;

typedef struct {
    int64_t tokens;  // bases computed at a time; 0: the default
    int64_t longest; // of a window, bp
    int64_t flank;   // bp
    bool logits;     // rows are the mean logits of the members, without weight and temperature
    int64_t memory;  // bytes for what ALT's windows have in common with REF's (network/partial.h); 0: all run whole
} gw_base_network_options;

typedef struct gw_base_network gw_base_network;
// Borrows the model.
gw_status gw_base_network_new(gw_model *model, const gw_base_network_options *options,
                              gw_base_network **out) GW_MUST_CHECK;
void gw_base_network_free(gw_base_network *network); // NULL is fine
gw_status gw_base_network_run(gw_base_network *network, const gw_labelling_window *windows,
                              int64_t count) GW_MUST_CHECK;
// Whether ALT's windows are computed as far as they differ from REF's, whatever their length and place in it; then how
// many bases of REF memory holds, and how far apart two alleles are that cost as much in one window as in two.
bool gw_base_network_shifts(const gw_base_network *network);
int64_t gw_base_network_most(const gw_base_network *network);
gw_status gw_base_network_gap(gw_base_network *network, int64_t *bases) GW_MUST_CHECK;
int64_t gw_base_network_tokens(const gw_base_network *network); // of a batch
int64_t gw_base_network_classes(const gw_base_network *network);
int64_t gw_base_network_flank(const gw_base_network *network);

// Tokens of a model's letters, and the special tokens around a window: none of networks that are convolutions alone.
void gw_base_map_letters(const gw_model *model, int32_t token[256]);
gw_status gw_base_frame(const gw_model *model, gw_frame *out) GW_MUST_CHECK;

// Whether a model's head labels single bases, with none and at most GW_BASE_CLASSES others; what is missing where it
// cannot.
bool gw_model_labels_bases(const gw_model *model);
gw_status gw_check_labels_bases(const gw_config *config, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Whether its variants are scored by signals near them (gw_signal_scoring of model/family.h). Then it labels no bases.
bool gw_model_reads_signals(const gw_model *model);
// Whether its classes are none, acceptor and donor, by a network of convolutions alone.
bool gw_model_splices(const gw_model *model);
// Bases on either side that a model reads of a base that it labels: what convolutions alone reach, or what it was
// trained with.
int64_t gw_base_flank(const gw_model *model);
int64_t gw_base_reach(const gw_config *config); // of the convolutions before attention

// Bases [begin, end) of a contig, and N for those that do not lie in [least, most), which does.
gw_status gw_base_fetch(gw_genome *genome, int contig, int64_t begin, int64_t end, int64_t least, int64_t most,
                        char *bases) GW_MUST_CHECK;

#endif
