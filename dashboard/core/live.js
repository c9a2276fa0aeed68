/**
 * Data of a page that refreshes by itself while the page is visible. What is shown stays until the new data is there, so
 * that neither focus nor scroll position is lost.
 */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get } from './api.js';

const refreshMs = 5_000;

/**
 * @template T
 * @typedef {object} Live
 * @property {T | undefined} data
 * @property {ApiError | undefined} error Of the last load.
 * @property {() => void} reload
 */

/**
 * @param {string} path
 * @param {{ everyMs?: number }} [options]
 * @returns {Live<any>}
 */
export function useLive(path, { everyMs = refreshMs } = {}) {
  const [state, setState] = useState(
    /** @type {{ path?: string, data?: any, error?: ApiError }} */ ({}),
  );
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      try {
        const data = await get(path, { signal: abort.signal });
        if (!abort.signal.aborted) setState({ path, data });
      } catch (error) {
        if (abort.signal.aborted || !(error instanceof ApiError)) return;
        const { status } = error;
        // A refresh that fails leaves what is there. What is gone or forbidden is not shown any longer.
        setState((last) =>
          last.path === path && status !== 403 && status !== 404
            ? { ...last, error }
            : { path, error },
        );
      }
    };
    const stop = repeatWhileVisible(load, everyMs);
    return () => {
      abort.abort();
      stop();
    };
  }, [path, everyMs, turn]);
  const isOwn = state.path === path;
  return {
    data: isOwn ? state.data : undefined,
    error: isOwn ? state.error : undefined,
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
  const next = async () => {
    clearTimeout(timer);
    if (isLoading) return;
    isLoading = true;
    await load();
    isLoading = false;
    timer = document.hidden ? undefined : setTimeout(next, everyMs);
  };
  const onVisible = () => {
    if (!document.hidden) next();
  };
  document.addEventListener('visibilitychange', onVisible);
  next();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
    isLoading = true;
  };
}
