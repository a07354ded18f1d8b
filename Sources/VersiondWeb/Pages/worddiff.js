// Two texts by words: what was kept, what went and what came. Pure.

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const words = (text) => [...segmenter.segment(text)].map(({ segment }) => segment);

/** Above this number of words that differ, the middle is told as replaced. */
const wordsMax = 3_000;

/** Runs of words: { kind: "same" | "gone" | "come", text }. */
export function wordDifference(old, text) {
    const [one, other] = [words(old), words(text)];
    let start = 0;
    while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
    let end = 0;
    const most = Math.min(one.length, other.length) - start;
    while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
    const runs = [];
    const add = (kind, list) => {
        if (list.length === 0) return;
        const last = runs.at(-1);
        if (last?.kind === kind) last.text += list.join("");
        else runs.push({ kind, text: list.join("") });
    };
    add("same", one.slice(0, start));
    middle(one.slice(start, one.length - end), other.slice(start, other.length - end), add);
    add("same", one.slice(one.length - end));
    return settled(runs);
}

function middle(gone, come, add) {
    if (gone.length + come.length > wordsMax || gone.length === 0 || come.length === 0) {
        add("gone", gone);
        add("come", come);
        return;
    }
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
        if (row < gone.length && column < come.length && gone[row] === come[column]) {
            add("same", [gone[row]]);
            row += 1;
            column += 1;
        } else if (column >= come.length || (row < gone.length
            && table[(row + 1) * width + column] >= table[row * width + column + 1])) {
            add("gone", [gone[row]]);
            row += 1;
        } else {
            add("come", [come[column]]);
            column += 1;
        }
    }
}

/** A space between two words that changed is no word that was kept; what went stands before. */
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

/** What came before an equal sign comes behind it: ". Our soup" before "." is " Our soup.". */
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
