/** Look of the page: light or dark as the reader has it, and fit for print. */
export const pageStyle = `
:root { color-scheme: light dark; --text: #1c2330; --dim: #667085; --line: #d8dde6; --back: #fff; --panel: #f5f7fa;
  --passed: #1a7f4b; --failed: #c4281c; --rehearsed: #1f6fb2; --idle: #98a2b3; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ef; --dim: #98a2b3; --line: #333c4a; --back: #12161d;
  --panel: #1b212b; --passed: #2fa56a; --failed: #e5574b; --rehearsed: #4c9be0; --idle: #5b6678; } }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: var(--text);
  background: var(--back); margin: 2rem auto; max-width: 82rem; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; margin: 0; padding-left: .8rem; border-left: .4rem solid var(--passed); }
h1.failed { border-color: var(--failed); }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0; }
small, .when { color: var(--dim); font-weight: normal; }
.when { margin: .2rem 0 1rem 1.2rem; }
.sums { list-style: none; display: flex; flex-wrap: wrap; gap: .6rem 1.6rem; margin: 0 0 1rem; padding: 0; }
.sums .sign { font-weight: bold; }
.sums .passed .sign { color: var(--passed); }
.sums .failed .sign { color: var(--failed); }
.sums .rehearsed .sign { color: var(--rehearsed); }
.note { background: var(--panel); border-left: .3rem solid var(--rehearsed); padding: .5rem .8rem; margin: 0 0 1rem; }
table { border-collapse: collapse; }
.nodes td { padding: 0 1.2rem 0 0; color: var(--dim); font-size: .9em; }
.wide { overflow-x: auto; margin-top: 1.4rem; }
.matrix th { font-weight: normal; font-size: .85em; }
.matrix .group { font-weight: 600; padding-bottom: .3rem; border-left: 1px solid var(--line); }
.matrix .head { height: 10.5rem; vertical-align: bottom; padding: 0; }
.matrix .head span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; padding: .3rem 0; }
.matrix .from { text-align: right; white-space: nowrap; padding-right: .8rem; font-weight: 600; }
.matrix td { padding: 3px; text-align: center; border-top: 1px solid var(--line); }
.matrix .first { border-left: 1px solid var(--line); }
.matrix a { text-decoration: none; }
.box { display: inline-flex; align-items: center; justify-content: center; width: 2.3rem; height: 1.9rem;
  border-radius: .35rem; color: #fff; font-weight: bold; }
.box.passed { background: var(--passed); }
.box.failed { background: var(--failed); }
.box.rehearsed { background: var(--rehearsed); }
.box.not-runnable { color: var(--dim); background: var(--panel); border: 1px dashed var(--idle); box-sizing: border-box; }
.list td { padding: .25rem 1rem .25rem 0; border-top: 1px solid var(--line); vertical-align: top; }
.list .box { width: 1.6rem; height: 1.4rem; font-size: .85em; }
.reasons { width: 100%; }
.reasons td { padding: .6rem 1rem .6rem 0; }
.reasons td:first-child { width: 1.6rem; }
.reasons p { margin: 0 0 .3rem; overflow-wrap: anywhere; }
.reasons ul { columns: 19rem; margin: 0; padding: 0; list-style: none; color: var(--dim); font-size: .92em; }
.reasons li { padding-left: 1rem; text-indent: -1rem; break-inside: avoid; }
.failure { border-left: .3rem solid var(--failed); background: var(--panel); padding: .6rem 1rem; margin: .8rem 0; }
.failure p { margin: .3rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .8rem; margin: .3rem 0 0; }
dt { color: var(--dim); }
dd { margin: 0; min-width: 0; }
dd code { white-space: pre-wrap; }
code { font: .85em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
@media print { body { margin: 0; } .box { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
