// SPDX-License-Identifier: MIT
// Means of signals over regions as labels. Private to lib/label.
#ifndef GW_LABEL_TRACK_LABELS_H
#define GW_LABEL_TRACK_LABELS_H

#include "label/labelled_options.h"
#include "label/labelled_source.h"

// Gives a part of regions without labels one for each of the options' tracks (seq/track/track.h), called as the file is
// without its ending: the mean over the region's bases that have a value. A region without any is missing where that is
// asked for, else an error.
gw_status gw_track_labels_read(const gw_labelled_options *options, gw_labelled_source *part) GW_MUST_CHECK;

#endif
