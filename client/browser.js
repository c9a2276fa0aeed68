/** For the browser of a consumer: opens the checkout over the shop's page and reports how it ended. */

let count = 0;

/** @type {typeof import('./browser.js').openCheckout} */
export function openCheckout({
  baseUrl,
  token,
  onResult,
  paymentModeCode,
  bankCode,
  label = 'Checkout',
  closeLabel = 'Close',
}) {
  const base = new URL(baseUrl);
  count += 1;
  const frame = create('iframe', { name: `checkout-${Date.now()}-${count}`, title: label });
  const button = create('button', { type: 'button', textContent: '✕' });
  button.setAttribute('aria-label', closeLabel);
  const dialog = dialogOf(label, button, frame);
  let isOver = false;

  /** @param {import('./browser.js').CheckoutResult | null} result */
  const finish = (result) => {
    if (isOver) return;
    isOver = true;
    removeEventListener('message', receive);
    dialog.close();
    dialog.remove();
    onResult(result);
  };
  /** @param {MessageEvent} message */
  const receive = ({ origin, source, data }) => {
    if (origin !== base.origin || source !== frame.contentWindow) return;
    const event = parse(data);
    if (event?.event_type === 'globalHandleCheckoutResponse') finish(event.payload);
  };
  addEventListener('message', receive);
  button.addEventListener('click', () => dialog.close());
  frame.addEventListener('load', () => frame.focus());
  // Also after the Escape key. The frame knows whether the consumer has paid; one that did not open does not answer.
  dialog.addEventListener('close', () => {
    frame.contentWindow?.postMessage('closeCheckout', base.origin);
    setTimeout(finish, 1_000, null);
  });

  document.body.append(dialog);
  dialog.showModal();
  const url = new URL(`${base.pathname.replace(/\/$/, '')}/checkout`, base);
  if (paymentModeCode !== undefined) url.searchParams.set('payment_mode_code', paymentModeCode);
  if (bankCode !== undefined) url.searchParams.set('bank_code', bankCode);
  post(url.href, token, frame);
  return { close: () => dialog.close() };
}

/**
 * By a form, so that the token is in no address.
 * @param {string} action
 * @param {string} token
 * @param {HTMLIFrameElement} frame
 */
function post(action, token, frame) {
  const form = create('form', { method: 'post', action, target: frame.name, hidden: true });
  form.append(create('input', { type: 'hidden', name: 'token', value: token }));
  document.body.append(form);
  form.submit();
  form.remove();
}

/**
 * Styled by script, which the policy of any shop's page allows.
 * @param {string} label
 * @param {HTMLElement} button
 * @param {HTMLElement} frame
 */
function dialogOf(label, button, frame) {
  const dialog = create('dialog');
  dialog.setAttribute('aria-label', label);
  dialog.setAttribute('aria-modal', 'true');
  const column = create('div');
  column.append(button, frame);
  dialog.append(column);
  Object.assign(dialog.style, {
    colorScheme: 'light dark',
    background: 'Canvas',
    color: 'CanvasText',
    width: 'min(30rem, 100vw)',
    height: 'min(52rem, 100dvh)',
    maxWidth: 'none',
    maxHeight: 'none',
    padding: '0',
    border: '0',
    overflow: 'hidden',
    boxShadow: '0 0 0 100vmax rgb(0 0 0 / 50%)',
  });
  Object.assign(column.style, { display: 'flex', flexDirection: 'column', height: '100%' });
  Object.assign(button.style, {
    alignSelf: 'end',
    width: '2.75rem',
    height: '2.75rem',
    border: '0',
    background: 'none',
    color: 'inherit',
    font: '1.25rem system-ui',
    cursor: 'pointer',
  });
  Object.assign(frame.style, { flex: '1', border: '0' });
  return dialog;
}

/** @param {unknown} data */
function parse(data) {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {object} [properties]
 * @returns {HTMLElementTagNameMap[Name]}
 */
function create(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
