// SPDX-License-Identifier: MIT
// The search of the site, behind `sections`: [address, page, heading, text] of each section. And the button for light or dark.
{
    const root = document.body.dataset.root;
    const box = document.querySelector(".search"), input = box.querySelector("input"), list = box.querySelector("ol");
    const escaped = text => text.replace(/[&<>"]/g, c => "&#" + c.charCodeAt(0) + ";");
    const folded = sections.map(([, page, heading, text]) => [page, heading, text].map(part => part.toLowerCase()));

    // Words are found where words begin. A section counts if it has all of them: in its page's title, its heading or its text. Trials
    // of the lab stand behind what holds today.
    const begins = word => "(?<![a-z0-9])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    function rank(parts, patterns) {
        let sum = 0;
        for (const pattern of patterns) {
            const [page, heading, text] = parts.map(part => (part.match(pattern) || []).length);
            if (!page && !heading && !text) return 0;
            sum += (page ? 6 : 0) + (heading ? 8 : 0) + Math.min(text, 5);
        }
        return sum;
    }
    function marked(text, words) {
        const parts = text.split(new RegExp("(" + words.map(begins).join("|") + ")", "gi"));
        return parts.map((part, i) => i % 2 ? "<mark>" + escaped(part) + "</mark>" : escaped(part)).join("");
    }
    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
        const patterns = words.map(word => new RegExp(begins(word), "g"));
        const weight = i => sections[i][0].startsWith("docs/lab/") ? 0.4 : sections[i][0].startsWith("docs/guides/") ? 1.2 : 1;
        const found = words.length === 0 ? [] : folded.map((parts, i) => [rank(parts, patterns) * weight(i), i]).filter(([score]) => score > 0);
        found.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
        list.innerHTML = found.slice(0, 20).map(([, i]) => {
            const [address, page, heading, text] = sections[i];
            const at = Math.max(0, text.toLowerCase().search(new RegExp(begins(words[0]))) - 50);
            const place = page === heading ? "" : escaped(page) + " · ";
            return `<li><a href="${root}${address}">${place}<b>${marked(heading, words)}</b><small>${marked(text.slice(at, at + 150), words)}</small></a></li>`;
        }).join("") || (words.length ? '<li class="none">Nothing found.</li>' : "");
    }
    input.addEventListener("input", show);
    document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== input) event.preventDefault(), input.focus();
        if (event.key === "Escape") input.value = "", show(), input.blur();
        if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
        const links = [...list.querySelectorAll("a")], step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && links.length && box.contains(document.activeElement)) {
            event.preventDefault();
            (links[links.indexOf(document.activeElement) + step] || input).focus();
        }
    });
    document.addEventListener("click", event => { if (!box.contains(event.target)) list.innerHTML = ""; });
    box.hidden = false;

    const button = document.querySelector(".theme"), html = document.documentElement;
    button.hidden = false;
    button.addEventListener("click", () => {
        const dark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        html.dataset.theme = dark ? "light" : "dark";
        try { localStorage.theme = html.dataset.theme; } catch (e) { /* a page without storage forgets it */ }
    });
}
