// An audit of a page by axe-core.

import { readFileSync } from "node:fs";

/** The faults of these impacts that axe-core finds; `Scripts/test-client` sets its path in AXE. Without it, none. */
export async function axeFaults(tab, impacts = ["minor", "moderate", "serious", "critical"]) {
    if (!process.env.AXE) return [];
    await tab.evaluate(`${readFileSync(process.env.AXE)}; 0`);
    const found = await tab.evaluate(`axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, impact, nodes }) =>
        nodes.filter(() => ${JSON.stringify(impacts)}.includes(impact)).map(({ target, failureSummary }) => id + ": " + target + " " + failureSummary))))`);
    return JSON.parse(found);
}
