import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The site as a browser has it whose translator or extensions change the page before the page's own script runs. */
export type MeddlingProxy = { url: string; close(): Promise<void> };

const SCRIPT = '/meddling.js';
const DONE = '/meddling-done';

/** @param meddle runs in the page once all of its HTML is there, and can't use anything around it */
export async function startMeddlingProxy(site: string, meddle: () => void): Promise<MeddlingProxy> {
  let isDone = () => {};
  let done = Promise.resolve();
  const server = createServer(async (request, response) => {
    const { url = '', method, headers } = request;
    if (url === SCRIPT) {
      response.setHeader('content-type', 'text/javascript');
      return response.end(`(${meddle})(); fetch('${DONE}')`);
    }
    if (url === DONE) {
      isDone();
      return response.writeHead(204).end();
    }
    if (/islands-.*\.js/.test(url)) await done;
    const body = method === 'GET' ? undefined : await buffer(request);
    const { connection: _, 'accept-encoding': __, 'content-length': ___, ...passedOn } = headers;
    const answer = await fetch(site + url, {
      method: method ?? 'GET',
      headers: passedOn as Record<string, string>,
      redirect: 'manual',
      ...(body && { body }),
    });
    const told = Object.fromEntries(answer.headers);
    delete told['content-length'];
    delete told['content-encoding'];
    response.writeHead(answer.status, told);
    if (!told['content-type']?.startsWith('text/html')) return response.end(await answer.bytes());
    done = new Promise((resolve) => {
      isDone = resolve;
    });
    const html = await answer.text();
    return response.end(html.replace('</body>', `<script src="${SCRIPT}"></script></body>`));
  });
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Runs in the page: as Chrome and Edge translate, now and whatever changes later. */
export function translate(): void {
  const translated = 'font';
  function replace(text: Text): void {
    const { parentElement: parent, data } = text;
    if (!parent || !data.trim() || parent.closest(`${translated}, script, style, textarea, svg`)) return;
    const outer = document.createElement(translated);
    const inner = outer.appendChild(document.createElement(translated));
    inner.textContent = data;
    text.replaceWith(outer);
  }
  function all(root: Node): void {
    const texts: Text[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    if (root instanceof Text) texts.push(root);
    for (const text of texts) replace(text);
  }
  document.documentElement.lang = 'auto';
  all(document.body);
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      for (const node of type === 'characterData' ? [target] : addedNodes) all(node);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}

/** Runs in the page: what password managers and grammar checkers put into forms, around and between its fields. */
export function extendForm(): void {
  const form = document.querySelector('form');
  if (!form) return;
  for (const field of form.querySelectorAll('input, textarea')) {
    const around = document.createElement('com-extension');
    field.replaceWith(around);
    around.append(field, document.createElement('div'));
    field.setAttribute('data-extension', '');
  }
  for (const part of [...form.children]) part.before(document.createElement('com-extension'));
  const [name] = form.querySelectorAll<HTMLInputElement>('[name=name]');
  if (name) name.value = 'Typed early';
}
