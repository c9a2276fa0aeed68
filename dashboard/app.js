/** The frame around every page: the menu, the account, messages, and what is shown to whoever is not signed in. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AccountMenu } from './components/account-menu.js';
import { ConfirmIdentity } from './components/confirm-identity.js';
import { Empty, Failure, Skeleton } from './components/states.js';
import { say, Toasts } from './components/toast.js';
import { Announcements, announce, setTitle } from './core/announce.js';
import { isOnline, isSignedOut } from './core/api.js';
import { html } from './core/html.js';
import { currentRoute, hrefOf, navigate } from './core/router.js';
import { session, sessionError, startSession } from './core/session.js';
import { Invitation } from './pages/invitation.js';
import { SignIn, SignInAgain } from './pages/sign-in.js';
import { anyAccountPath, findRoute, menu, routes } from './pages.js';

export function App() {
  const { path } = currentRoute.value;
  const [, first, token] = path.split('/');
  if (first === 'invitation' && token) return html`<${Invitation} token=${token} />`;
  if (session.value === undefined) return html`<main class="alone"><${Waiting} /></main>`;
  if (session.value === null) return html`<${SignIn} />`;
  return html`<${Frame} />`;
}

/** Until it is known who is signed in. */
function Waiting() {
  return sessionError.value
    ? html`<${Failure} error=${sessionError.value} reload=${startSession} isPage />`
    : html`<${Skeleton} />`;
}

function Frame() {
  useOtherAccount();
  return html`<div class="frame">
    <a class="skip" href="#content">Skip to the content</a>
    <${Menu} />
    <div class="body">
      ${!isOnline.value && html`<p class="banner" role="alert">No connection. What you see may be out of date; it refreshes by itself.</p>`}
      <main id="content" tabindex="-1"><${Content} /></main>
    </div>
    <${ConfirmIdentity} />
    ${isSignedOut.value && html`<${SignInAgain} />`}
    <${Announcements} />
    <${Toasts} />
  </div>`;
}

/** The account can change under the page: in another tab, or because somebody else has signed in. */
function useOtherAccount() {
  const { account } = session.value ?? {};
  const last = useRef(account?.account_id);
  useLayoutEffect(() => {
    if (last.current === account?.account_id) return;
    last.current = account?.account_id;
    // The object and the page of a list that the address names belong to the former account.
    navigate(anyAccountPath(currentRoute.peek().path), { replace: true });
    if (account) say(`This is ${account.name}.`);
  }, [account?.account_id]);
}

function Menu() {
  const { path } = currentRoute.value;
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

/**
 * Pages that were loaded before are there at once on the way back, as the browser's scroll position needs it.
 * @type {Map<object, import('./pages.js').PageModule['Page']>}
 */
const loadedPages = new Map();

function Content() {
  const { path } = currentRoute.value;
  const found = findRoute(path);
  const route = found?.route;
  const [loaded, setLoaded] = useState(/** @type {{ route?: object, isFailed?: boolean }} */ ({}));
  useNewPage(path, found);
  useEffect(() => {
    if (!route || loadedPages.has(route)) return;
    let isLeft = false;
    route.load().then(
      ({ Page }) => {
        loadedPages.set(route, Page);
        if (!isLeft) setLoaded({ route });
      },
      () => isLeft || setLoaded({ route, isFailed: true }),
    );
    return () => {
      isLeft = true;
    };
  }, [route]);
  if (!route) {
    return html`<${Empty} title="There is no such page" isPage><a href=${hrefOf('/')}>To the overview</a></${Empty}>`;
  }
  const Page = loadedPages.get(route);
  if (Page) {
    // Another account is another page, and so is the account as somebody else sees it.
    const { user, account } = session.value ?? {};
    const key = `${user?.user_id} ${account?.account_id} ${path}`;
    return html`<${Page} key=${key} params=${found.params} />`;
  }
  return loaded.route === route && loaded.isFailed
    ? html`<${NewVersion} />`
    : html`<${Skeleton} />`;
}

/**
 * Titles a page and leads the focus to it, as browsers do when they load one. The page of an object adds its own title.
 * @param {string} path
 * @param {ReturnType<typeof findRoute>} found
 */
function useNewPage(path, found) {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    const title = found?.route.title ?? 'No such page';
    setTitle(title);
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    document.getElementById('content')?.focus({ preventScroll: true });
    if (Object.keys(found?.params ?? {}).length === 0) announce(title);
  }, [path]);
}

/** A page that cannot be loaded belongs to a version that is no longer served, or the connection is gone. */
function NewVersion() {
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, []);
  return html`<${Empty} title="This page could not be loaded" isPage>
    <p>There is no connection, or the service was updated.</p>
    <button type="button" onClick=${() => location.reload()}>Reload</button>
  </${Empty}>`;
}
