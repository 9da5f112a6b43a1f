-- SPDX-License-Identifier: MIT
-- For pandoc: links between documents lead to their pages; those to files that are no documents lead to nothing in a site, and stay text.
local function is_far(target)
    return target:match("^%a+:") or target:match("^#")
end

function Link(link)
    if is_far(link.target) then return link end
    local path, anchor = link.target:match("^([^#]*)(#?.*)$")
    if path:match("%.md$") then
        link.target = path:gsub("README%.md$", "index.md"):gsub("%.md$", ".html") .. anchor
        return link
    end
    if path:match("/$") and path:match("lab/$") then
        link.target = path .. "index.html"
        return link
    end
    return path:match("%.png$") and link or path:match("%.svg$") and link or link.content
end

-- The first heading is the page's title.
function Pandoc(page)
    for _, block in ipairs(page.blocks) do
        if block.t == "Header" then
            page.meta.pagetitle = pandoc.utils.stringify(block)
            break
        end
    end
    return page
end
