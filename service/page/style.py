"""The style sheet of report pages: light and dark, phone and paper."""

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --band: #f3f5f7; --link: #0757b8; --red: #b3202a;
  --s1: #1f6fb4; --s2: #2b8a57; --s3: #d9730d; --s4: #8b4fb3; --s5: #8a949e; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --text: #e6e9ed; --soft: #a2abb5;
  --line: #3a424c; --band: #1d232a; --link: #7db7f5; --red: #ff8080;
  --s1: #5aa5e8; --s2: #58b987; --s3: #f0974a; --s4: #bd8be0; --s5: #7b8590; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; padding-top: .6rem; border-top: 1px solid
  var(--line); }
p { max-width: 46rem; margin: .5rem 0; }
.soft, caption, figcaption { color: var(--soft); }
a { color: var(--link); }
nav ul, .legend { list-style: none; margin: .5rem 0; padding: 0; display: flex;
  flex-wrap: wrap; gap: .3rem 1rem; font-size: .9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem;
  margin: 1rem 0; }
.tiles > div { background: var(--band); border-radius: .4rem; padding: .5rem .7rem;
  display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.tiles dt { color: var(--soft); font-size: .85rem; line-height: 1.3; }
.tiles dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: .8rem 0; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; font-size: .9rem; min-width: min(100%, 26rem); }
caption { text-align: left; padding: .2rem 0 .4rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom:
  1px solid var(--line); unicode-bidi: isolate; }
th { font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: inherit; vertical-align: top; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.a { white-space: nowrap; }
.w { min-width: 14rem; }
.a .r { color: var(--red); }
code { font: .92em ui-monospace, monospace; }
figure { margin: 1rem 0; max-width: 46rem; }
figcaption { font-size: .9rem; margin-bottom: .4rem; }
.chart { display: block; overflow: visible; }
.chart text { fill: var(--text); font-size: 14px; }
.chart .small { fill: var(--soft); font-size: 12px; }
.chart .end { text-anchor: end; }
.chart .mid { text-anchor: middle; }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .l1 { stroke: var(--s1); stroke-width: 3; }
.c1 { fill: var(--s1); } .c2 { fill: var(--s2); } .c3 { fill: var(--s3); }
.c4 { fill: var(--s4); } .c5 { fill: var(--s5); }
.key { display: inline-block; width: .8em; height: .8em; margin-right: .35em; border-radius: 2px; }
.k1 { background: var(--s1); } .k2 { background: var(--s2); } .k3 { background: var(--s3); }
.k4 { background: var(--s4); } .k5 { background: var(--s5); }
@media print { nav { display: none; } h2 { break-after: avoid; } }
"""
"""Style sheet; the classes of charts are those that ``charts`` writes."""
