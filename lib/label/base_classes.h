// SPDX-License-Identifier: MIT
// The classes of the bases of a genome, as a set of labelled bases (label/base_set_writer.h) has them.
#ifndef GW_LABEL_BASE_CLASSES_H
#define GW_LABEL_BASE_CLASSES_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_base_classes gw_base_classes;
// Of sets that are read as one; `set` is these, and its labels name the classes. Intervals of a class and strand that
// overlap, a class that is none of the set's labels, and what no interval of the genome is are errors that name the
// line.
gw_status gw_base_classes_open(const char *const *paths, int count, const gw_labelled_set *set, gw_genome *genome,
                               gw_base_classes **out) GW_MUST_CHECK;
void gw_base_classes_close(gw_base_classes *classes); // NULL is fine

// Whether intervals of several classes share bases: a base has any number of classes then.
bool gw_base_classes_overlap(const gw_base_classes *classes);

// class[end - begin] of the bases from `begin` on, in the contig's direction: 0 none, else the number of the label plus
// 1; where classes overlap a bit for each of these numbers, the lowest where there is no label. strand: '-', or any
// other for +.
void gw_base_classes_fill(const gw_base_classes *classes, int contig, int64_t begin, int64_t end, char strand,
                          int32_t *class);

// Whether what that says of a base has a class in it; 0: none.
static inline bool gw_base_has_class(bool overlap, int32_t filled, int64_t class) {
    return overlap ? filled >> class & 1 : filled == class;
}

#endif
