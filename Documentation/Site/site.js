// A browser starts no worker from a file: a site that is opened from a file searches in a hidden frame.
if (location.protocol === "file:") {
    window.IFrameWorker = window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            frame.srcdoc = `<script>postMessage = (data) => parent.dispatchEvent(
                new MessageEvent("search", { data }))</script><script src="${url}"></script>`;
            this.loaded = new Promise((resolve) => {
                frame.addEventListener("load", () => resolve(frame.contentWindow));
            });
            window.addEventListener("search", ({ data }) => {
                this.dispatchEvent(new MessageEvent("message", { data }));
            });
            document.body.append(frame);
        }

        async postMessage(data) {
            (await this.loaded).dispatchEvent(new MessageEvent("message", { data }));
        }
    };
}

// The theme gives the search no name, and a keyboard does not reach all that scrolls.
document.addEventListener("DOMContentLoaded", () => {
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
    const wide = ":is(pre > code, .md-typeset__scrollwrap):not([tabindex])";
    const reach = () => {
        for (const element of document.querySelectorAll(wide)) element.tabIndex = 0;
    };
    new MutationObserver(reach).observe(document.querySelector("article"),
        { subtree: true, childList: true, attributeFilter: ["tabindex"] });
    reach();
});
