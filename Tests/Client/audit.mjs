// Faults for users of screen readers, contrast and zoom: run inside the page.

export const audit = () => {
    const faults = [];
    const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
    const nameOf = (element) => element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
    for (const element of document.querySelectorAll("a, button, input, textarea, select, summary")) {
        if (!element.checkVisibility()) continue;
        if (!nameOf(element)?.trim()) faults.push(`no name: ${element.outerHTML.slice(0, 80)}`);
        if (element.tabIndex < 0) faults.push(`cannot be reached: ${element.outerHTML.slice(0, 80)}`);
    }
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    for (const id of ids) if (ids.filter((other) => other === id).length > 1) faults.push(`twice: ${id}`);
    for (const landmark of ["main", "nav", "header", "h1"]) if (!document.querySelector(landmark)) faults.push(`no ${landmark}`);
    if (!document.documentElement.lang) faults.push("no language");

    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const layers = (element) => (element ? [...layers(element.parentElement), getComputedStyle(element).backgroundColor] : []);
    const painted = (colors) => {
        canvas.fillStyle = getComputedStyle(document.documentElement).colorScheme && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#ffffff";
        canvas.fillRect(0, 0, 1, 1);
        for (const color of colors) {
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    const luminance = (color) => color.map((one) => one / 255)
        .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        .reduce((sum, one, index) => sum + one * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = (left, right) => {
        const [low, high] = [luminance(left), luminance(right)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !isVisible(element) || element.matches(":disabled")) continue;
        const behind = layers(element);
        const ratio = contrast(painted([...behind, getComputedStyle(element).color]), painted(behind));
        if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${walker.currentNode.data.slice(0, 40)}`);
    }
    // Input fields have a visible edge; so do buttons that are drawn with one.
    for (const element of document.querySelectorAll(".field, .asked input, textarea, .b.line, .end")) {
        if (!isVisible(element) || element.matches(":disabled, [type=checkbox], #palette *")) continue;
        if (getComputedStyle(element).borderTopColor === "rgba(0, 0, 0, 0)") continue;
        const behind = layers(element.parentElement);
        const ratio = contrast(painted([...behind, getComputedStyle(element).borderTopColor]), painted(behind));
        if (ratio < 3) faults.push(`border ${ratio.toFixed(2)}: ${element.id || element.className}`);
    }
    return faults;
};
