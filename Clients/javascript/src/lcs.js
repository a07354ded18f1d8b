// Which elements of two lists stay, in their order.

/** Above this many pairs, only what is at both ends stays. */
const pairsMax = 250_000;

/**
 * Pairs of indexes [old, new] of elements that stay, as many as possible, in order. O(n · m) of
 * what differs between the common ends.
 */
export function commonPairs(old, value, isEqual) {
    const { start, end } = commonEnds(old, value, isEqual);
    const pairs = [];
    for (let index = 0; index < start; index += 1) pairs.push([index, index]);
    const [rows, columns] = [old.length - start - end, value.length - start - end];
    if (rows > 0 && columns > 0 && rows * columns <= pairsMax) {
        pairs.push(...middle(old, value, start, rows, columns, isEqual));
    }
    for (let index = end; index > 0; index -= 1) {
        pairs.push([old.length - index, value.length - index]);
    }
    return pairs;
}

export function commonEnds(old, value, isEqual) {
    let [start, end] = [0, 0];
    const shorter = Math.min(old.length, value.length);
    while (start < shorter && isEqual(old[start], value[start])) start += 1;
    while (end < shorter - start
        && isEqual(old[old.length - 1 - end], value[value.length - 1 - end])) end += 1;
    return { start, end };
}

/** The longest common subsequence of the parts between. */
function middle(old, value, start, rows, columns, isEqual) {
    const width = columns + 1;
    const lengths = new Uint32Array((rows + 1) * width);
    for (let row = rows - 1; row >= 0; row -= 1) {
        for (let column = columns - 1; column >= 0; column -= 1) {
            const at = row * width + column;
            lengths[at] = isEqual(old[start + row], value[start + column])
                ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
        }
    }
    const pairs = [];
    let [row, column] = [0, 0];
    while (row < rows && column < columns) {
        const at = row * width + column;
        if (isEqual(old[start + row], value[start + column])) {
            pairs.push([start + row, start + column]);
            row += 1;
            column += 1;
        } else if (lengths[at + width] >= lengths[at + 1]) row += 1;
        else column += 1;
    }
    return pairs;
}

/** The indexes of a longest increasing subsequence of numbers. O(n log n). */
export function increasing(numbers) {
    const [tails, before] = [[], new Array(numbers.length)];
    numbers.forEach((number, index) => {
        let [low, high] = [0, tails.length];
        while (low < high) {
            const mid = (low + high) >> 1;
            if (numbers[tails[mid]] < number) low = mid + 1;
            else high = mid;
        }
        before[index] = low > 0 ? tails[low - 1] : -1;
        tails[low] = index;
    });
    const result = [];
    for (let index = tails[tails.length - 1] ?? -1; index >= 0; index = before[index]) {
        result.push(index);
    }
    return result.reverse();
}
