// SPDX-License-Identifier: MIT
// The page that `view` draws on, which its parts share. Private to view_*.c.
#ifndef GW_TOOLS_VIEW_VIEW_PAGE_H
#define GW_TOOLS_VIEW_VIEW_PAGE_H

#include "tools/picture/canvas.h"
#include "tools/view/view_picture.h"

#include <math.h>

typedef struct {
    const gw_view *view;
    gw_canvas canvas;
    gw_scale x;
} gw_view_page;

// Names of the largest scores, over the stems of the variants.
gw_status gw_view_name_variants(gw_view_page *page, const gw_scale *y) GW_MUST_CHECK;
// Lays out the genes of the region and, where `draw`, draws them from `top` on; returns their height.
double gw_view_genes(gw_view_page *page, double top, bool draw);
// The part of a stretch that the picture shows.
static inline void gw_view_clip(const gw_view_page *page, double begin, double end, double *from, double *to) {
    const gw_scale *x = &page->x;
    *from = fmin(fmax(gw_scale_position(x, begin), x->from), x->to);
    *to = fmin(fmax(gw_scale_position(x, end), x->from), x->to);
}

#endif
