// A page with one text area on a document, in a real browser: what tests of the client share.

/** Makes the page's elements and opens the document; again after a reload. */
const program = ({ name, connection = {}, document = {}, place = "/text", tag = "textarea" }) => `(async () => {
    const { connect } = await import("/client.js");
    window.token ??= sessionStorage.getItem("token") ?? undefined;
    const token = window.token === undefined ? undefined : async () => window.token;
    globalThis.document.body.innerHTML = '<${tag} id="text"></${tag}>';
    window.connection = connect(location.origin, { token, ...${JSON.stringify(connection)} });
    window.shared = window.connection.document(${JSON.stringify(name)}, ${JSON.stringify(document)});
    window.heard = [];
    for (const type of ["saved", "dropped", "conflict", "error"]) {
        shared.addEventListener(type, ({ detail }) => heard.push({
            type, code: detail.code ?? detail.problem?.code ?? null,
            operations: detail.operations ?? null,
        }));
    }
    window.bound = shared.bindTextarea(globalThis.document.getElementById("text"),
        ${JSON.stringify(place)});
    await Promise.race([shared.ready.catch(() => {}), new Promise((over) => setTimeout(over, 2_000))]);
    return shared.state;
})()`;

export class Page {
    constructor(tab, options) {
        this.tab = tab;
        this.options = options;
    }

    /** `options`: { name, connection, document, place, token, tag }, as the client has them. */
    static async open(browser, origin, options, context = undefined) {
        const tab = await browser.tab(`${origin}/client.js`, context);
        const page = new Page(tab, options);
        await page.begin();
        return page;
    }

    async begin() {
        const { token } = this.options;
        await this.tab.until("document.body !== null && location.protocol === 'http:'");
        if (token) await this.tab.evaluate(`sessionStorage.setItem("token", ${JSON.stringify(token)})`);
        return this.tab.evaluate(program(this.options));
    }

    async reload() {
        await this.tab.evaluate("window.isOld = true");
        await this.tab.reload();
        await this.tab.until("window.isOld !== true && document.readyState === 'complete'");
        return this.begin();
    }

    get(expression) {
        return this.tab.evaluate(expression);
    }

    text() {
        return this.tab.evaluate("document.getElementById('text').value");
    }

    async type(text) {
        await this.tab.focus("#text");
        await this.tab.type(text);
    }

    caret(at) {
        return this.tab.evaluate(`document.getElementById("text").setSelectionRange(${at}, ${at})`);
    }

    saved(milliseconds) {
        return this.tab.until("shared.isSaved", milliseconds);
    }

    shows(text, milliseconds) {
        return this.tab.until(
            `document.getElementById("text").value === ${JSON.stringify(text)}`, milliseconds);
    }

    heard(type) {
        return this.tab.evaluate(`heard.filter((one) => one.type === ${JSON.stringify(type)})`);
    }

    close() {
        return this.tab.close();
    }
}
