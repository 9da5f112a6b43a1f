// SPDX-License-Identifier: MIT
// Probabilities of classes for each base of windows, from a model of single bases. Probabilities are averaged over the
// members of the model. If each member predicts classes of its own, they are summed instead (gw_family_scoring of
// model/family.h).
//
// Networks of tracks (gw_tracks of model/family.h) give the values of the tracks in each row, averaged over the
// members. If a row covers several bases, windows have the input length of the network, and flanks are a whole number
// of rows.
//
// The logit of a class is (z - ln w) / T. w is the weight of the class in training, and T is the temperature (1 if none
// was fitted). Probabilities are the softmax of these logits, or, if classes may overlap, the logistic function of each
// logit.
#ifndef GW_NETWORK_BASE_NETWORK_H
#define GW_NETWORK_BASE_NETWORK_H

#include "model/model.h"
#include "seq/genome/genome.h"
#include "text/tokenizer.h"

// A window of bases (A, C, G, T, N). The bases that have a full flank on both sides get rows of values. A window of an
// ALT also says which bases of REF's window it replaces.
typedef struct {
    const char *bases;
    int64_t length;       // more than 2 flanks
    char strand;          // '-': the network reads the reverse complement; rows stay in the order of the bases
    float *rows;          // [(length - 2 flank) / bin][classes] output
    int64_t ref;          // index of REF's window in the same run; -1: this is a window of REF
    int64_t offset, span; // the bases of REF's window that the ALT replaces
} gw_labelling_window;

typedef struct {
    int64_t tokens;  // bases computed at a time; 0: the default
    int64_t longest; // longest window, bp
    int64_t flank;   // bp
    bool logits;     // rows are mean logits of the members, without weight and temperature
    int64_t memory;  // bytes for values that windows of ALT and REF share (network/partial.h); 0: all windows are
                     // computed whole
} gw_base_network_options;

typedef struct gw_base_network gw_base_network;
// Borrows the model.
gw_status gw_base_network_new(gw_model *model, const gw_base_network_options *options,
                              gw_base_network **out) GW_MUST_CHECK;
void gw_base_network_free(gw_base_network *network); // NULL is fine
gw_status gw_base_network_run(gw_base_network *network, const gw_labelling_window *windows,
                              int64_t count) GW_MUST_CHECK;
// shifts: whether windows of ALT are computed only where they differ from REF's, also if length or offset differ. most:
// bases of a REF window that the memory holds. gap: distance in bp from which two alleles are cheaper in two windows
// than in one.
bool gw_base_network_shifts(const gw_base_network *network);
int64_t gw_base_network_most(const gw_base_network *network);
gw_status gw_base_network_gap(gw_base_network *network, int64_t *bases) GW_MUST_CHECK;
int64_t gw_base_network_tokens(const gw_base_network *network); // tokens of a batch
int64_t gw_base_network_classes(const gw_base_network *network);
int64_t gw_base_network_flank(const gw_base_network *network);

// map_letters: the token of each letter. frame: the special tokens around a window; purely convolutional networks have
// none.
void gw_base_map_letters(const gw_model *model, int32_t token[256]);
gw_status gw_base_frame(const gw_model *model, gw_frame *out) GW_MUST_CHECK;

// Whether a model's head labels single bases, with the class "none" and at most GW_BASE_CLASSES others. The error of
// the second function names the missing part.
bool gw_model_labels_bases(const gw_model *model);
gw_status gw_check_labels_bases(const gw_config *config, const gw_tokenizer *tokenizer) GW_MUST_CHECK;
// Whether a model scores variants by signals near them (gw_signal_scoring of model/family.h). Such a model labels no
// bases.
bool gw_model_reads_signals(const gw_model *model);
// Whether a purely convolutional network labels bases as none, acceptor and donor.
bool gw_model_splices(const gw_model *model);
// Bases on either side of a base that the model reads to label it: the reach of a purely convolutional network,
// otherwise the flank of training.
int64_t gw_base_flank(const gw_model *model);
int64_t gw_base_reach(const gw_config *config); // of the convolutions before attention

// Reads bases [begin, end) of a contig. Bases outside [least, most) are N. [least, most) must lie on the contig.
gw_status gw_base_fetch(gw_genome *genome, int contig, int64_t begin, int64_t end, int64_t least, int64_t most,
                        char *bases) GW_MUST_CHECK;

#endif
