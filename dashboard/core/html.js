/** Templates in the syntax of HTML, without a build step. */
import htm from 'htm';
import { h } from 'preact';

export const html = htm.bind(h);

/** @typedef {import('preact').ComponentChildren} Children */
