/**
 * Data of a page that refreshes by itself while the page is visible and somebody is signed in. What is shown stays until
 * the new data is there, so that neither focus nor scroll position is lost. On the way back, the last data is shown until
 * then.
 */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, isSignedOut, shownAccount } from './api.js';
import { findReply, keepReply } from './replies.js';
import { currentRoute } from './router.js';

const refreshMs = 5_000;

/**
 * @template T
 * @typedef {object} Live
 * @property {string} path
 * @property {T | undefined} data
 * @property {ApiError | undefined} error Of the last load.
 * @property {() => void} reload
 */

/** @typedef {{ path?: string, data?: any, error?: ApiError }} State */

/**
 * @param {string} path
 * @param {{ everyMs?: number }} [options]
 * @returns {Live<any>}
 */
export function useLive(path, { everyMs = refreshMs } = {}) {
  const [state, setState] = useState(/** @type {State} */ ({}));
  const [turn, setTurn] = useState(0);
  const { isReturn } = currentRoute.value;
  const ownOf = (/** @type {State} */ last) => {
    if (last.path === path) return last;
    return { path, data: isReturn ? findReply(path) : undefined };
  };
  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      const account = shownAccount.peek();
      try {
        const data = await get(path, { signal: abort.signal });
        if (abort.signal.aborted) return;
        keepReply(account, path, data);
        setState({ path, data });
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!(error instanceof ApiError)) return reportError(error);
        // It is loaded again after the sign-in.
        if (error.status === 401) return;
        // A refresh that fails leaves what is there. What is gone or forbidden is not shown any longer.
        const isGone = error.status === 403 || error.status === 404;
        setState((last) => (isGone ? { path, error } : { ...ownOf(last), error }));
      }
    };
    const stop = repeatWhileVisible(load, everyMs);
    return () => {
      abort.abort();
      stop();
    };
  }, [path, everyMs, turn]);
  const { data, error } = ownOf(state);
  return {
    path,
    data,
    error,
    reload: () => setTurn((last) => last + 1),
  };
}

/**
 * @param {() => Promise<void>} load
 * @param {number} everyMs
 */
function repeatWhileVisible(load, everyMs) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isLoading = false;
  let isStopped = false;
  const next = async () => {
    clearTimeout(timer);
    if (isLoading) return;
    isLoading = true;
    await load();
    isLoading = false;
    // It may have been stopped while it was loading.
    timer = !isStopped && mayGoOn() ? setTimeout(next, everyMs) : undefined;
  };
  const goOn = () => {
    if (mayGoOn()) next();
  };
  document.addEventListener('visibilitychange', goOn);
  addEventListener('online', goOn);
  // This is called at once too.
  const unsubscribe = isSignedOut.subscribe((isOut) => {
    if (!isOut) next();
  });
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', goOn);
    removeEventListener('online', goOn);
    unsubscribe();
    isStopped = true;
  };
}

function mayGoOn() {
  return !document.hidden && !isSignedOut.peek();
}
