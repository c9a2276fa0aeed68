/** Starts the dashboard. */
import { render } from 'preact';
import { App } from './app.js';
import { html } from './core/html.js';
import { startSession } from './core/session.js';

const root = document.querySelector('#app');
if (root) render(html`<${App} />`, root);
await startSession();
