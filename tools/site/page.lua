-- SPDX-License-Identifier: MIT
-- For pandoc, a document as a page of the site: links to documents become links to their pages, the first heading becomes the title, and
-- each section goes to the index of the search, a line of JavaScript.
local function is_far(target)
    return target:match("^%a+:") or target:match("^#")
end

-- Links to documents lead to their pages. Links to files that the site has not become text.
function Link(link)
    if is_far(link.target) then return link end
    local path, anchor = link.target:match("^([^#]*)(#?.*)$")
    if path:match("%.md$") then
        link.target = path:gsub("README%.md$", "index.md"):gsub("%.md$", ".html") .. anchor
        return link
    end
    if path:match("lab/$") then
        link.target = path .. "index.html"
        return link
    end
    for _, ending in ipairs({"png", "svg", "html"}) do
        if path:match("%." .. ending .. "$") then return link end
    end
    if path:match("^[%w/._-]*%.ipynb$") or path:match("example%.c$") then return link end
    return link.content
end

local function quoted(text)
    return '"' .. text:gsub('[%c\\"<]', function(c) return string.format("\\u%04x", c:byte()) end) .. '"'
end

function Pandoc(page)
    local title, heading, anchor, text
    local index = io.open(os.getenv("SITE_INDEX"), "a")
    local function close_section()
        if heading then
            index:write(string.format("[%s,%s,%s,%s],\n", quoted(os.getenv("SITE_PAGE") .. anchor), quoted(title), quoted(heading),
                                      quoted(table.concat(text, " "))))
        end
    end
    for _, block in ipairs(page.blocks) do
        if block.t == "Header" then
            close_section()
            heading, text = pandoc.utils.stringify(block), {}
            anchor = title and "#" .. block.identifier or ""
            title = title or heading
        elseif heading and (block.t == "CodeBlock" or block.t == "RawBlock") then
            table.insert(text, block.text)
        elseif heading then
            table.insert(text, pandoc.utils.stringify(pandoc.walk_block(block, {
                Plain = function(plain) return pandoc.Plain(plain.content .. {pandoc.Space()}) end,
                Para = function(para) return pandoc.Para(para.content .. {pandoc.Space()}) end,
            })))
        end
    end
    close_section()
    index:close()
    page.meta.pagetitle = title
    return page
end
