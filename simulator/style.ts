/** The style of all pages: one column on a phone, a card on a desk, light and dark. Nothing is loaded from elsewhere. */

export const style = `
:root {
  color-scheme: light dark;
  --ink: #182033; --dim: #566076; --card: #fff; --back: #eef1f7; --inset: #f5f7fb; --line: #dbe1ec;
  --go: #2450c8; --go-hover: #1c41a6; --on-go: #fff; --tint: #e8eefc;
  --good: #0a6b43; --bad: #b3261e; --open: #8a4b00;
  --note: #fff6dc; --note-line: #ecd9a0; --note-ink: #5b4300;
  --shadow: 0 1px 2px rgb(16 24 40 / .06), 0 12px 32px -12px rgb(16 24 40 / .18);
}
.gateway { --go: #0b6a63; --go-hover: #08544e; --tint: #e0f3f1; }
.upi { --go: #6236c4; --go-hover: #4f29a3; --tint: #f0eafc; }
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e9edf6; --dim: #a3adc2; --card: #171d2b; --back: #0d111a; --inset: #1e2536; --line: #2f3950;
    --go: #7ea2ff; --go-hover: #9db8ff; --on-go: #0b1430; --tint: #1d2a4d;
    --good: #63d6a0; --bad: #ff9d94; --open: #f4c26c;
    --note: #2a2412; --note-line: #55491f; --note-ink: #f3dc9b;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 16px 40px -16px rgb(0 0 0 / .7);
  }
  .gateway { --go: #54cfc4; --go-hover: #7adcd3; --on-go: #04211f; --tint: #12332f; }
  .upi { --go: #bda1ff; --go-hover: #cdb8ff; --on-go: #1c0d40; --tint: #2c2150; }
}
* { box-sizing: border-box; }
body { min-height: 100vh; margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
.simulation { padding: .5rem 1rem; background: var(--note); border-bottom: 1px solid var(--note-line); color: var(--note-ink); font-size: .875rem; text-align: center; }
.simulation strong { font-weight: 650; }
main { max-width: 26.5rem; margin: 6vh auto 3rem; padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 18px; box-shadow: var(--shadow); overflow-wrap: anywhere; }
main.wide { max-width: 72rem; margin: 1.5rem auto 3rem; padding: 2rem; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.0625rem; line-height: 1.4; }
p { margin: .5rem 0; } a { color: var(--go); text-underline-offset: .15em; }
.dim { color: var(--dim); font-size: .875rem; }
.note { margin: 1rem 0; padding: .75rem .9rem; background: var(--inset); border: 1px solid var(--line); border-radius: 10px; }
.note.bad { border-left: 4px solid var(--bad); }
.mark { flex: none; width: 2.25rem; height: 2.25rem; border-radius: 10px; background: var(--tint); color: var(--go); }
.mark svg { display: block; width: 100%; height: 100%; padding: .5rem; }
.brand { display: flex; align-items: center; gap: .65rem; margin: 0 0 1.25rem; padding-bottom: 1.1rem; border-bottom: 1px solid var(--line); font-weight: 600; }
.brand .dim { margin-left: auto; font-weight: 400; }
.amount { margin: .35rem 0 0; font-size: 2.375rem; line-height: 1.2; font-weight: 680; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .4rem 1rem; margin: 1.25rem 0; padding: .9rem 1rem; background: var(--inset); border-radius: 12px; font-size: .9rem; }
.facts .code { font-weight: 400; font-size: .8125rem; line-height: 1.7; } .facts dt { color: var(--dim); } .facts dd { margin: 0; text-align: right; font-weight: 550; }
button { display: block; width: 100%; min-height: 3rem; margin-top: .65rem; padding: .7rem 1rem; border: 1px solid var(--line); border-radius: 11px; background: var(--card); color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
button:hover { background: var(--inset); }
button.go { background: var(--go); border-color: var(--go); color: var(--on-go); }
button.go:hover { background: var(--go-hover); border-color: var(--go-hover); }
button.plain { border-color: transparent; background: none; color: var(--dim); }
button.plain:hover { color: var(--ink); text-decoration: underline; }
:focus-visible { outline: 3px solid var(--go); outline-offset: 2px; border-radius: 6px; }
button:focus-visible { border-radius: 11px; }
select, input { width: 100%; min-height: 2.875rem; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); color: inherit; font: inherit; text-overflow: ellipsis; }
label { display: block; margin-top: .75rem; font-size: .9rem; font-weight: 550; } label > :is(select, input) { margin-top: .3rem; font-weight: 400; }
.result { display: grid; justify-items: center; margin: 1.5rem 0; text-align: center; }
.result h2 { margin: .75rem 0 0; font-size: 1.25rem; }
.sign { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; border-radius: 50%; background: var(--inset); } .sign svg { width: 1.75rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); } .note.bad { color: inherit; }
.payee { display: grid; justify-items: center; margin: 1.5rem 0 1.75rem; text-align: center; }
.initial { display: grid; place-items: center; width: 3.75rem; height: 3.75rem; margin-bottom: .75rem; border-radius: 50%; background: var(--tint); color: var(--go); font-size: 1.5rem; font-weight: 650; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 12px; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .55rem .9rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { background: var(--inset); color: var(--dim); font-weight: 600; } tr:last-child td { border-bottom: 0; } td.money { font-variant-numeric: tabular-nums; }
pre { margin: 0; overflow-x: auto; font: .8125rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.log { max-height: 26rem; overflow: auto; padding: .9rem 1rem; background: var(--inset); border: 1px solid var(--line); border-radius: 12px; }
.two { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 1rem; align-items: end; }
.two button { grid-column: 1 / -1; justify-self: start; width: auto; min-width: 11rem; margin-top: 1rem; }
tr:has(+ .act) td { border-bottom: 0; } .act td { padding-top: 0; }
.inline { position: sticky; left: .9rem; display: flex; flex-wrap: wrap; gap: .5rem; width: max-content; max-width: calc(100vw - 4.5rem); } .inline :is(button, input) { width: auto; min-height: 2.75rem; margin: 0; padding: .4rem .75rem; font-size: .875rem; } .inline input { width: 8.5rem; }
@media (max-width: 40rem) {
  main { margin: 0; min-height: calc(100vh - 2.4rem); padding: 1.5rem 1.25rem 2rem; border: 0; border-radius: 0; box-shadow: none; }
  main.wide { margin: 0; padding: 1.5rem 1.25rem 2rem; }
  body { background: var(--card); }
  .two { grid-template-columns: minmax(0, 1fr); } .two button { width: 100%; }
}
@media (prefers-reduced-motion: no-preference) { button { transition: background-color .12s, border-color .12s; } }
`;
