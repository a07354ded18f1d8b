// The web UI: documents, their histories, and what changes while one looks. It only reads,
// and shows values as the daemon wrote them: what they hold is never parsed here.

const $ = (id) => document.getElementById(id);
const documentPath = (name) => `/v1/documents/${encodeURIComponent(name)}`;
const address = (name, revision) =>
  `#${encodeURIComponent(name)}${revision === null ? '' : `@${revision}`}`;

let token = sessionStorage.getItem('token') ?? '';
/** What is looked at: a document, and one of its revisions, or its head. */
let place = { name: null, revision: null };

/** Asks the daemon; what it refuses is an error with its words. */
async function ask(url, signal, accept = 'application/json') {
  const headers = { Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(url, { headers, signal });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const error = new Error(problem.detail ?? `${response.status} ${response.statusText}`);
  throw Object.assign(error, { isGone: response.status === 404 || response.status === 410 });
}

/** Does something, and shows what goes wrong. */
async function attempt(work) {
  try {
    await work();
    $('problem').textContent = '';
  } catch (error) {
    if (error.name !== 'AbortError') $('problem').textContent = error.message;
    return error;
  }
}

/** Calls `receive` with each line of a feed, in turn; goes on where a feed has ended. */
async function follow(url, signal, receive) {
  let since = null;
  while (!signal.aborted) {
    const error = await attempt(async () => {
      const start = since === null ? '' : `&since=${since}`;
      const feed = await ask(`${url}${start}`, signal, 'application/x-ndjson');
      const reader = feed.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ''; ;) {
        const { value, done } = await reader.read();
        if (done) return;
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          const item = JSON.parse(line);
          // A seal has no place of its own.
          if (item.event !== 'seal') since = item.cursor ?? item.revision;
          await receive(item);
        }
      }
    });
    // What is forgotten cannot be caught up with.
    if (error?.isGone) since = null;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** What is begun with it ends when it is begun again. */
function freshSignal(last) {
  last.controller?.abort();
  last.controller = new AbortController();
  return last.controller.signal;
}

/** A line that leads somewhere: words, and a quiet one at its end. */
function line(href, words, last, isCurrent) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = href;
  if (isCurrent) link.setAttribute('aria-current', 'true');
  for (const word of [...words, last]) {
    link.appendChild(document.createElement('span')).textContent = word;
  }
  return item;
}

// Documents.

const listing = {};
const heads = new Map();

function showDocuments() {
  const names = [...heads.keys()].sort();
  $('documents').replaceChildren(...names.map((name) =>
    line(address(name, null), [name], heads.get(name), name === place.name)));
}

function list() {
  const signal = freshSignal(listing);
  const prefix = `prefix=${encodeURIComponent($('prefix').value)}`;
  heads.clear();
  let isLoaded = false;
  follow(`/v1/feed?${prefix}`, signal, async (item) => {
    if (item.event === 'change') {
      if (['delete', 'purge'].includes(item.change.kind) && !item.change.paths?.length) heads.delete(item.document);
      else heads.set(item.document, Math.max(item.revision, heads.get(item.document) ?? 0));
    } else if (!isLoaded) {
      // The feed has begun, so nothing is missed between the list and what follows.
      for (let cursor = ''; cursor !== null;) {
        const url = `/v1/documents?${prefix}&cursor=${encodeURIComponent(cursor)}`;
        const page = await (await ask(url, signal)).json();
        for (const { document, revision } of page.documents) heads.set(document, revision);
        cursor = page.next;
      }
      isLoaded = true;
      const [first] = [...heads.keys()].sort();
      if (place.name === null && first !== undefined) location.hash = address(first, null);
    }
    showDocuments();
  });
}

// One document.

const view = {};
let next = null;

const timeForm = { dateStyle: 'short', timeStyle: 'medium' };

async function showHistory(signal, before = '') {
  const url = `${documentPath(place.name)}/history?limit=50${before}`;
  const [all, current] = await Promise.all(['&branches=all', ''].map(async (branches) =>
    (await ask(`${url}${branches}`, signal)).json()));
  const reached = new Set(current.changes.map((change) => change.revision));
  const lines = all.changes.map((change) => {
    const words = [change.revision, change.kind, change.actor ?? '', change.label ?? ''];
    const time = new Date(change.time).toLocaleString([], timeForm);
    const href = address(place.name, change.revision);
    const isCurrent = change.revision === place.revision;
    const item = line(href, words.filter((word) => word !== ''), time, isCurrent);
    if (!reached.has(change.revision)) item.className = 'abandoned';
    return item;
  });
  if (before) $('history').append(...lines);
  else $('history').replaceChildren(...lines);
  next = all.next;
  $('older').hidden = next === null;
}

async function showRevision(signal) {
  const path = documentPath(place.name);
  const status = await (await ask(`${path}/status`, signal)).json();
  const revision = place.revision ?? status.revision;
  const [change, value] = await Promise.all(
    [`${path}/history/${revision}?pretty`, `${path}?at=${revision}&pretty`].map(async (url) =>
      (await ask(url, signal)).text()));
  $('state').textContent = [
    `revision ${status.revision}`, `version ${status.version}`, `${status.undoCount} to undo`,
    `${status.redoCount} to redo`, `scope ${status.scopeLevel}`,
    status.openGroup && 'editing', status.lastError?.detail,
  ].filter(Boolean).join(' · ');
  $('revision').textContent = place.revision === null ? 'Now' : `Revision ${revision}`;
  $('patch').textContent = change;
  $('value').textContent = value;
}

function look() {
  const signal = freshSignal(view);
  const [, name, revision] = location.hash.match(/^#((?:[^@%]|%[0-9a-f]{2})+)(?:@(\d+))?$/i) ?? [];
  place = {
    name: name === undefined ? null : decodeURIComponent(name),
    revision: revision === undefined ? null : Number(revision),
  };
  document.querySelector('main').hidden = place.name === null;
  for (const id of ['state', 'history', 'revision', 'patch', 'value']) $(id).replaceChildren();
  $('older').hidden = true;
  $('name').textContent = place.name ?? '';
  showDocuments();
  if (place.name === null) return;
  let isDue = false;
  let work = Promise.resolve();
  follow(`${documentPath(place.name)}/feed?heartbeat=30s`, signal, () => {
    // Many changes at once are shown at once.
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      work = work.then(() =>
        attempt(() => Promise.all([showHistory(signal), showRevision(signal)])));
    }, 50);
  });
}

$('token').value = token;
$('token').addEventListener('change', () => {
  token = $('token').value;
  sessionStorage.setItem('token', token);
  list();
  look();
});
$('prefix').addEventListener('change', list);
$('older').addEventListener('click', () =>
  attempt(() => showHistory(view.controller.signal, `&before=${next}`)));
window.addEventListener('hashchange', look);
list();
look();
