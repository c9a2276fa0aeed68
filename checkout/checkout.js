/**
 * Improves the checkout page: nothing here is needed to pay. It is sent inside the page, so that the first view takes one
 * round trip.
 */
// @ts-check

/**
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind[]}
 */
const all = (selector, kind) =>
  [...document.querySelectorAll(selector)].flatMap((found) =>
    found instanceof kind ? [found] : [],
  );

/** How the page moves on. A frame of the shop's page has its own ways; see frame.js. */
const view = {
  /** @type {(url: string, accept: string, init?: RequestInit) => Promise<Response>} */
  call: (url, accept, init) => fetch(url, { ...init, headers: { accept } }),
  /** @type {(url: string) => void} */
  go: (url) => location.replace(url),
  again: () => location.reload(),
  /** @type {(url: string) => void} */
  leave: (url) => location.assign(url),
};

improve();
for (const _view of all('[data-close]', HTMLElement)) close();

// The back button may show the page as it was, from the cache of the browser.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) view.again();
});

function improve() {
  showLocalTimes();
  for (const picker of all('[data-picker]', HTMLElement)) addSearch(picker);
  for (const form of all('form', HTMLFormElement)) ignoreSecondClick(form);
  for (const button of all('[data-print]', HTMLButtonElement)) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
  for (const form of all('[data-submit] form', HTMLFormElement)) form.submit();
  for (const target of all('[data-forward]', HTMLAnchorElement)) location.replace(target.href);
  for (const main of all('[data-poll]', HTMLElement)) poll(main, 1_000);
  for (const main of all('[data-reload]', HTMLElement)) {
    setTimeout(() => view.go(main.dataset.to ?? ''), Number(main.dataset.reload) * 1_000);
  }
  for (const main of all('[data-await]', HTMLElement)) awaitResult(main.dataset.await ?? '');
  for (const counter of all('[data-return]', HTMLElement)) countDown(counter);
}

/** The server does not know the consumer's time zone. */
function showLocalTimes() {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  for (const time of all('time', HTMLTimeElement)) {
    time.textContent = format.format(new Date(time.dateTime));
  }
}

/** @param {HTMLElement} picker */
function addSearch(picker) {
  const search = picker.querySelector('input[type=search]');
  const none = picker.querySelector('[data-none]');
  const rows = [...picker.querySelectorAll('.choices label')];
  if (!(search instanceof HTMLInputElement) || !(none instanceof HTMLElement)) return;
  for (const hidden of picker.querySelectorAll('[data-search]')) hidden.removeAttribute('hidden');
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLocaleLowerCase();
    let count = 0;
    for (const row of rows) {
      const isMatch = (row.textContent ?? '').toLocaleLowerCase().includes(wanted);
      if (row instanceof HTMLElement) row.hidden = !isMatch;
      count += Number(isMatch);
    }
    none.hidden = count > 0;
  });
  // Enter chooses the first match instead of paying.
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const first = rows.find((row) => row instanceof HTMLElement && !row.hidden);
    const radio = first?.querySelector('input');
    if (!radio) return;
    radio.checked = true;
    radio.focus();
  });
}

/** @param {HTMLFormElement} form */
function ignoreSecondClick(form) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
    const button = form.querySelector('button');
    button?.setAttribute('aria-disabled', 'true');
    if (button?.dataset.busy) button.textContent = button.dataset.busy;
  });
}

/**
 * Reloads the page when its state has changed. The pauses grow, because most banks answer within seconds or not for
 * minutes.
 * @param {HTMLElement} main
 * @param {number} pauseMs
 * @returns {Promise<void>}
 */
async function poll(main, pauseMs) {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  const next = () => poll(main, Math.min(pauseMs * 1.3, 10_000));
  if (document.hidden) await becomesVisible();
  // A frame shows another page by now.
  if (!main.isConnected) return;
  try {
    const reply = await view.call(main.dataset.poll ?? '', 'application/json');
    if (!main.isConnected) return;
    if (reply.status >= 500 || reply.status === 429) return next();
    if (reply.status === 200) {
      const { state } = await reply.json();
      if (state === main.dataset.state) return next();
    }
    // Not the own address: after a form that was refused, it is that of the form.
    view.go(main.dataset.to ?? '');
  } catch {
    // Offline, or the service restarts.
    next();
  }
}

/**
 * Follows the address when it has more than the status 202 to say. Errors are retried: the service may be restarting.
 * @param {string} url
 */
async function awaitResult(url) {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const status = await fetch(url, { redirect: 'manual' }).then(
    (reply) => reply.status,
    () => 503,
  );
  if (status === 202 || status >= 500) awaitResult(url);
  else location.replace(url);
}

function becomesVisible() {
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true });
  });
}

/** @param {HTMLElement} counter */
function countDown(counter) {
  const number = counter.querySelector('span');
  let seconds = Number(counter.dataset.return);
  const tick = () => {
    seconds -= 1;
    if (!counter.isConnected) return;
    if (seconds <= 0) view.leave(counter.dataset.to ?? '');
    else setTimeout(tick, 1_000);
    if (number) number.textContent = String(Math.max(seconds, 0));
  };
  setTimeout(tick, 1_000);
}
