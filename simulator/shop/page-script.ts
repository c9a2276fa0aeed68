/** The script of the shop’s page: it reads the page again and takes over what has changed. */

export const pageScript = `
const list = document.getElementById('events');
const away = document.getElementById('away');
let tag = '';

async function update() {
  try {
    const reply = await fetch('/shop', { headers: { 'if-none-match': tag } });
    if (reply.status === 200) {
      show(new DOMParser().parseFromString(await reply.text(), 'text/html'));
      tag = reply.headers.get('etag');
    }
    away.hidden = true;
  } catch {
    away.hidden = false;
  }
  setTimeout(update, document.hidden ? 5000 : 1000);
}

function show(next) {
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = next.getElementById(part.id);
    if (other && other.outerHTML !== part.outerHTML) part.replaceWith(other);
  }
  showRows([...next.getElementById('events').children]);
}

// Rows that did not change stay as they are: open, selected, focused, and at their place on the screen.
function showRows(rows) {
  const numbers = new Set(rows.map((row) => row.dataset.number));
  const gone = [...list.children].filter((row) => !numbers.has(row.dataset.number));
  const kept = [...list.children].filter((row) => numbers.has(row.dataset.number));
  const isScrolled = list.getBoundingClientRect().top < 0;
  const anchor = isScrolled && kept.find((row) => row.getBoundingClientRect().bottom > 0);
  const top = anchor && anchor.getBoundingClientRect().top;

  const opened = new Set(gone.filter((row) => row.open).map((row) => row.dataset.id));
  const focused = document.activeElement.closest('.event');
  for (const row of gone) row.remove();
  let place = list.firstElementChild;
  for (const row of rows) {
    if (place && place.dataset.number === row.dataset.number) {
      place = place.nextElementSibling;
      continue;
    }
    row.open = opened.has(row.dataset.id);
    list.insertBefore(row, place);
    if (focused && gone.includes(focused) && focused.dataset.id === row.dataset.id) {
      row.firstElementChild.focus({ preventScroll: true });
    }
  }
  if (anchor) scrollBy(0, anchor.getBoundingClientRect().top - top);
}

update();
`;
