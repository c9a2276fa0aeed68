/**
 * The checkout in a frame of the shop's page; it follows checkout.js in the script of such a page. Browsers may withhold
 * the cookie there, so the order token stays in memory, and every further page is loaded with it and put in place of the
 * former one. Providers refuse to be framed: their page opens in a window of its own. The page around the frame gets the
 * result as a message. Contract 14.8.
 */
// @ts-check

const first = all('main', HTMLElement)[0];
const { token = '', page: pageUrl = '', origins = '' } = first?.dataset ?? {};
first?.removeAttribute('data-token');
// The address may contain the token.
if (location.search !== '') history.replaceState(null, '', pageUrl);

const frameOrigins = origins.split(' ');
let message = first?.dataset.message ?? '';
let language = document.documentElement.lang;
/** The window of the provider's page. @type {Window | null} */
let opened = null;

view.call = (url, accept, init) => {
  const headers = { accept, authorization: `Bearer ${token}`, 'accept-language': language };
  return fetch(url, { ...init, headers });
};
view.go = () => void load(pageUrl);
view.again = () => void load(pageUrl);
view.leave = leave;
improveFrame();

addEventListener('message', ({ origin, source, data }) => {
  if (source === parent && frameOrigins.includes(origin) && data === 'closeCheckout') leave();
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented) leave();
});

/**
 * Posts the result to the page around the frame. The browser delivers it only to the origin that is named, so the shop
 * allows exactly those.
 */
function leave() {
  const parents = location.ancestorOrigins;
  for (const origin of frameOrigins) {
    // A browser that does not name the parent's origin compares it itself.
    if (!parents || parents[0] === origin) parent.postMessage(message, origin);
  }
}

/**
 * Shows the page at this address instead of the present one.
 * @param {string} url
 * @param {RequestInit} [init]
 * @returns {Promise<void>}
 */
async function load(url, init) {
  try {
    const reply = await view.call(url, 'text/html', init);
    // The styles are here already, and the policy of this page allows no others.
    const text = (await reply.text()).replace(/<style[\s\S]*?<\/style>/, '');
    const next = new DOMParser().parseFromString(text, 'text/html');
    if (!next.querySelector('main')) throw new Error('a proxy has answered');
    show(next);
  } catch {
    // Offline, or the service restarts. A form is not posted again: what became of it shows in the order.
    setTimeout(() => load(pageUrl), 1_000);
  }
}

/** @param {Document} next */
function show(next) {
  message = next.querySelector('main')?.dataset.message ?? message;
  for (const unused of next.querySelectorAll('script, noscript')) unused.remove();
  next.querySelector('main')?.removeAttribute('data-token');
  document.documentElement.lang = next.documentElement.lang;
  document.title = next.title;
  document.body.replaceChildren(...next.body.childNodes);
  scrollTo(0, 0);
  improve();
  improveFrame();
  const heading = document.querySelector('h1');
  if (!heading || !document.hasFocus()) return;
  heading.tabIndex = -1;
  heading.focus();
}

function improveFrame() {
  for (const form of all('form', HTMLFormElement)) sendInPlace(form);
  for (const link of all('a[href]', HTMLAnchorElement)) followOutside(link);
  useWindow();
}

/** @param {HTMLFormElement} form */
function sendInPlace(form) {
  form.addEventListener('submit', (event) => {
    // A second click.
    if (event.defaultPrevented) return;
    event.preventDefault();
    const text = form.querySelector('button')?.textContent ?? '';
    // Now: browsers block windows that are not opened by a click.
    if (form.action.endsWith('/pay')) openWindow(text);
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    void load(form.action, { method: 'POST', body: new URLSearchParams(fields) });
  });
}

/** @param {HTMLAnchorElement} link */
function followOutside(link) {
  if (link.hash === '#leave' || link.hreflang !== '') {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      if (link.hash === '#leave') return leave();
      language = link.hreflang;
      void load(link.href);
    });
    return;
  }
  // Apps open without leaving the shop's page; pages open beside it.
  link.target = link.protocol.startsWith('http') ? '_blank' : '_top';
}

/** @param {string} text */
function openWindow(text) {
  opened = open('', '_blank', 'popup,width=520,height=760');
  if (!opened) return;
  opened.document.title = text;
  opened.document.body.textContent = text;
  // The provider's page must not be able to navigate this frame.
  opened.opener = null;
}

/** Leads the window to the provider's page, and looks for a result when the consumer has closed it. */
function useWindow() {
  const target = opened;
  opened = null;
  if (!target) return;
  const link = all('a.button:not(.plain)[href*="/pay/"]', HTMLAnchorElement)[0];
  if (!link) return target.close();
  target.location.replace(link.href);
  const timer = setInterval(() => {
    if (!target.closed) return;
    clearInterval(timer);
    if (all('main[data-poll]', HTMLElement).length > 0) void load(pageUrl);
  }, 500);
}
