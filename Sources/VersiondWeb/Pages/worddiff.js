// Two texts by words: what was kept, what went and what came. Pure.

const bySign = new Intl.Segmenter(undefined);
const byWord = new Intl.Segmenter(undefined, { granularity: "word" });
/** Of a longer text a segmenter takes minutes, and 4 GB. */
const segmentedMax = 20_000;
const simpleWord = /[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\u200d\ufe0f]{1,64}|\s+|./gsu;
const words = (text) => (text.length > segmentedMax ? text.match(simpleWord)
    : [...byWord.segment(text)].map(({ segment }) => segment));

/** Above this number of different words, the search is limited to paths of `stepsMax` edits. */
const wordsMax = 3_000;
const stepsMax = 400;
/** Longer runs of letters do not count as words: only the letters that differ are marked. */
const wordMax = 64;

/** Runs of words: { kind: "same" | "gone" | "come", text }. */
export function wordDifference(old, text) {
    const [start, end] = alike(old, text);
    const runs = [];
    const add = (kind, words) => {
        if (words === "") return;
        const last = runs.at(-1);
        if (last?.kind === kind) last.text += words;
        else runs.push({ kind, text: words });
    };
    add("same", old.slice(0, start));
    middle(words(old.slice(start, old.length - end)),
        words(text.slice(start, text.length - end)), add);
    add("same", old.slice(old.length - end));
    return settled(runs);
}

/** How many characters both begin with, and how many both end with; whole words. */
function alike(old, text) {
    const most = Math.min(old.length, text.length);
    let start = 0;
    while (start < most && old[start] === text[start]) start += 1;
    start = Math.min(...[old, text].map((one) => borders(one, start)[0]));
    let end = 0;
    while (end < most - start && old.at(-1 - end) === text.at(-1 - end)) end += 1;
    end = Math.min(...[old, text].map((one) => one.length - borders(one, one.length - end)[1]));
    return [start, end];
}

/** The bounds of the word around a place, or of the letter, if it is not a word. */
function borders(text, place) {
    if (place === 0 || place === text.length) return [place, place];
    const from = Math.max(0, place - wordMax);
    const part = text.slice(from, place + wordMax);
    const find = (segmenter) => {
        const { index, segment } = segmenter.segment(part).containing(place - from);
        return index === place - from ? [place, place]
            : [from + index, from + index + segment.length];
    };
    const [first, last] = find(byWord);
    const isCut = (first === from && from > 0) || last - first > wordMax;
    return isCut ? find(bySign) : [first, last];
}

function middle(gone, come, add) {
    const isSmall = gone.length + come.length <= wordsMax;
    if (gone.length === 0 || come.length === 0 || !(isSmall || bySteps(gone, come, add))) {
        add("gone", gone.join(""));
        add("come", come.join(""));
    } else if (isSmall) byTable(gone, come, add);
}

/** By the table of longest common parts. */
function byTable(gone, come, add) {
    const width = come.length + 1;
    const table = new Uint16Array((gone.length + 1) * width);
    for (let row = gone.length - 1; row >= 0; row -= 1) {
        for (let column = come.length - 1; column >= 0; column -= 1) {
            table[row * width + column] = gone[row] === come[column]
                ? table[(row + 1) * width + column + 1] + 1
                : Math.max(table[(row + 1) * width + column], table[row * width + column + 1]);
        }
    }
    let [row, column] = [0, 0];
    while (row < gone.length || column < come.length) {
        const isSame = row < gone.length && column < come.length && gone[row] === come[column];
        const isGone = column >= come.length || (row < gone.length
            && table[(row + 1) * width + column] >= table[row * width + column + 1]);
        if (isSame) add("same", gone[row]);
        else if (isGone) add("gone", gone[row]);
        else add("come", come[column]);
        if (isSame || isGone) row += 1;
        if (isSame || !isGone) column += 1;
    }
}

/** By the shortest way of single edits (Myers 1986); `false` if it has more than `stepsMax`. */
function bySteps(gone, come, add) {
    const traces = tracesOf(gone, come);
    if (traces === null) return false;
    const parts = [];
    let [row, column] = [gone.length, come.length];
    for (let step = traces.length - 1; step >= 0; step -= 1) {
        const [former, isDown] = cameFrom(traces[step], row - column, step);
        const formerColumn = former - (row - column + (isDown ? 1 : -1));
        while (row > former && column > formerColumn && row > 0 && column > 0) {
            row -= 1;
            column -= 1;
            parts.push(["same", gone[row]]);
        }
        if (step > 0) parts.push(isDown ? ["come", come[formerColumn]] : ["gone", gone[former]]);
        [row, column] = [former, formerColumn];
    }
    for (const [kind, word] of parts.reverse()) add(kind, word);
    return true;
}

/** How far each diagonal reached, before each step. */
function tracesOf(gone, come) {
    const reach = new Int32Array(2 * stepsMax + 3);
    const traces = [];
    for (let step = 0; step <= stepsMax; step += 1) {
        traces.push(reach.slice());
        for (let diagonal = -step; diagonal <= step; diagonal += 2) {
            const [former, isDown] = cameFrom(reach, diagonal, step);
            let row = isDown ? former : former + 1;
            while (row < gone.length && row - diagonal < come.length
                && gone[row] === come[row - diagonal]) row += 1;
            reach[stepsMax + 1 + diagonal] = row;
            if (row >= gone.length && row - diagonal >= come.length) return traces;
        }
    }
    return null;
}

/** From which row a diagonal is reached, and whether by a word that came. */
function cameFrom(reach, diagonal, step) {
    const [below, above] = [reach[stepsMax + diagonal], reach[stepsMax + 2 + diagonal]];
    const isDown = diagonal === -step || (diagonal !== step && below < above);
    return [isDown ? above : below, isDown];
}

/** A space between two changed words does not count as kept; removed text comes first. */
function settled(runs) {
    const result = [];
    let [gone, come] = ["", ""];
    const flush = () => {
        if (gone) result.push({ kind: "gone", text: gone });
        if (come) result.push({ kind: "come", text: come });
        [gone, come] = ["", ""];
    };
    runs.forEach((run, index) => {
        const isBetween = run.kind === "same" && run.text.trim() === "" && index > 0
            && index < runs.length - 1;
        if (run.kind !== "come" && (run.kind === "gone" || isBetween)) gone += run.text;
        if (run.kind !== "gone" && (run.kind === "come" || isBetween)) come += run.text;
        if (run.kind === "same" && !isBetween) {
            flush();
            result.push(run);
        }
    });
    flush();
    return shifted(result);
}

/** Text before an equal sign moves behind it: ". Our soup" before "." is " Our soup.". */
function shifted(runs) {
    return runs.flatMap((run, index) => {
        const next = runs[index + 1];
        if (run.kind !== "come" || next?.kind !== "same") return [run];
        const signs = run.text.match(/^[\p{P}\s]+/u)?.[0] ?? "";
        if (signs === "" || signs === run.text || !next.text.startsWith(signs)) return [run];
        next.text = next.text.slice(signs.length);
        return [{ kind: "same", text: signs },
            { kind: "come", text: run.text.slice(signs.length) + signs }];
    }).reduce((all, run) => {
        const last = all.at(-1);
        if (run.text === "") return all;
        if (last?.kind === run.kind) last.text += run.text;
        else all.push(run);
        return all;
    }, []);
}

/** How many words were kept of how many. */
export function kept(runs) {
    const count = (kinds) => runs.filter(({ kind }) => kinds.includes(kind))
        .reduce((sum, { text }) => sum + text.split(/\s+/).filter(Boolean).length, 0);
    return { kept: count(["same"]), of: count(["same", "gone"]) };
}
