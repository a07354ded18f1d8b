// Text and choices that a person enters in a control before the script is there.

/** Elements that have shown something of a document. */
const known = new WeakSet();

/**
 * Whether a person has entered something before an element is bound for the first time. A value
 * that a browser restores after a reload has no focus.
 */
export function isEarly(element) {
    const isFirst = !known.has(element);
    known.add(element);
    return isFirst && hasFocus(element) && isChanged(element);
}

/** Whether a person is in a control; radios of one name are one. */
export function hasFocus(element) {
    const active = element.ownerDocument?.activeElement;
    if (active === element) return true;
    return element.type === "radio" && Boolean(active)
        && ["type", "name", "form"].every((part) => active[part] === element[part]);
}

/** Whether a control has another value than the one that the page was made with. */
export function isChanged(element) {
    const { type, options } = element;
    if (type === "checkbox" || type === "radio") return element.checked !== element.defaultChecked;
    if (options) return isOtherChoice(type, [...options]);
    return typeof element.defaultValue === "string" && element.value !== element.defaultValue;
}

/** A list that shows one option begins with the first one, if the page chose none. */
function isOtherChoice(type, options) {
    const chosen = options.filter(({ defaultSelected }) => defaultSelected);
    const begun = type === "select-one" ? [chosen.pop() ?? options[0]] : chosen;
    return options.some((option) => option.selected !== begun.includes(option));
}
