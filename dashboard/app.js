/** The frame around every page: the menu, the account, messages, and what is shown to whoever is not signed in. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { AccountMenu } from './components/account-menu.js';
import { ConfirmIdentity } from './components/confirm-identity.js';
import { Empty, Skeleton } from './components/states.js';
import { Toasts } from './components/toast.js';
import { isOnline, isSignedOut } from './core/api.js';
import { html } from './core/html.js';
import { hrefOf, place } from './core/router.js';
import { session } from './core/session.js';
import { Invitation } from './pages/invitation.js';
import { SignIn } from './pages/sign-in.js';
import { findRoute, menu, routes } from './pages.js';

export function App() {
  const { path } = place.value;
  const [, first, token] = path.split('/');
  if (first === 'invitation' && token) return html`<${Invitation} token=${token} />`;
  if (session.value === undefined) return html`<main class="alone"><${Skeleton} /></main>`;
  if (session.value === null) return html`<${SignIn} />`;
  if (isSignedOut.value) return html`<${SignIn} isAgain />`;
  return html`<div class="frame">
    <a class="skip" href="#content">Skip to the content</a>
    <${Menu} />
    <div class="body">
      ${!isOnline.value && html`<p class="banner" role="alert">No connection. What you see may be out of date; it refreshes by itself.</p>`}
      <main id="content" tabindex="-1"><${Content} /></main>
    </div>
    <${ConfirmIdentity} />
    <${Toasts} />
  </div>`;
}

function Menu() {
  const { path } = place.value;
  const entries = routes.filter((route) => menu.includes(route.path));
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  // On a phone the menu is wider than the screen.
  useEffect(() => {
    const here = list.current?.querySelector('[aria-current]');
    here?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return html`<header class="side">
    <p class="product">Payments</p>
    <nav class="menu" aria-label="Pages"><ul ref=${list}>
      ${entries.map((route) => {
        const isBelow = route.path !== '/' && path.startsWith(`${route.path}/`);
        const isHere = path === route.path || isBelow;
        return html`<li key=${route.path}><a href=${hrefOf(route.path)} aria-current=${isHere ? 'page' : undefined}>${route.title}</a></li>`;
      })}
    </ul></nav>
    <${AccountMenu} />
  </header>`;
}

function Content() {
  const found = findRoute(place.value.path);
  const [loaded, setLoaded] = useState(
    /** @type {{ route?: object, Page?: any, isFailed?: boolean }} */ ({}),
  );
  const route = found?.route;
  useEffect(() => {
    if (!route) return;
    let isLeft = false;
    document.title = `${route.title} · Payments`;
    route.load().then(
      ({ Page }) => isLeft || setLoaded({ route, Page }),
      () => isLeft || setLoaded({ route, isFailed: true }),
    );
    return () => {
      isLeft = true;
    };
  }, [route]);
  if (!found) {
    return html`<${Empty} title="There is no such page"><a href=${hrefOf('/')}>To the overview</a></${Empty}>`;
  }
  if (loaded.route !== route) return html`<${Skeleton} />`;
  if (loaded.isFailed) return html`<${NewVersion} />`;
  // Another account is another page.
  const key = `${session.value?.account?.account_id} ${route?.path}`;
  return html`<${loaded.Page} key=${key} params=${found.params} />`;
}

/** A page that cannot be loaded belongs to a version that is no longer served, or the connection is gone. */
function NewVersion() {
  return html`<${Empty} title="This page could not be loaded">
    <p>The service may have been updated.</p>
    <button type="button" onClick=${() => location.reload()}>Reload</button>
  </${Empty}>`;
}
