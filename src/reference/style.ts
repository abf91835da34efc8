/** The page's style: one column on a phone, contents beside it on a desk, samples beside the words on a wide screen. */
export const STYLE = `
:root{--fg:#1c2330;--soft:#5b6577;--bg:#fff;--tint:#f5f6f9;--line:#dfe3ea;--link:#0b5cad;--code:#f0f2f6;--mark:#fff4cf;
--get:#0a6b3d;--post:#0b5cad;--put:#8a5a00;--patch:#8a5a00;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--fg:#e4e8ef;--soft:#9aa5b8;--bg:#12161d;--tint:#1a202a;--line:#2c3442;--link:#7cb7ff;
--code:#1f2733;--mark:#3a3316;--get:#5fd39a;--post:#7cb7ff;--put:#f0c060;--patch:#f0c060;--delete:#ff8a80}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem;color:var(--fg);background:var(--bg);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
body{margin:0}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px}
h1,h2,h3,h4{line-height:1.25}
h1{font-size:2rem;margin:0 0 .5rem}
main h2{font-size:1.5rem;margin:3.5rem 0 .75rem}
h3{font-size:1.15rem;margin:0}
h4{font-size:.8rem;margin:1.5rem 0 .4rem;color:var(--soft);text-transform:uppercase;letter-spacing:.05em}
main h2 a,main h3 a{color:inherit}
.lead{font-size:1.15rem;color:var(--soft);margin:0}
code,pre{font:.875em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);border-radius:4px;padding:.1em .3em;overflow-wrap:break-word}
pre{margin:0;padding:.9rem 1rem;overflow-x:auto;background:var(--tint);border:1px solid var(--line);border-radius:0 0 8px 8px;max-height:32rem}
pre code{background:none;padding:0;overflow-wrap:normal}
figure{margin:0 0 1rem}
figcaption{font-size:.75rem;color:var(--soft);background:var(--tint);border:1px solid var(--line);border-bottom:0;border-radius:8px 8px 0 0;padding:.3rem 1rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--bg);z-index:3;padding:.25rem .5rem}
header{position:sticky;top:0;z-index:2;display:flex;justify-content:space-between;gap:1rem;padding:.75rem 1.5rem;background:var(--bg);border-bottom:1px solid var(--line)}
header a:first-child{color:inherit}
.layout{display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav ul{list-style:none;margin:0;padding:0;font-size:.875rem}
nav li a{display:flex;gap:.4rem;padding:.2rem 0;color:var(--fg)}
nav h2{font-size:.875rem;margin:1.25rem 0 .25rem}
.side{position:sticky;top:3.1rem;height:calc(100vh - 3.1rem);overflow-y:auto;padding:1.5rem;border-right:1px solid var(--line)}
.menu{display:none}
main{padding:2rem 2.5rem 6rem;max-width:88rem}
.guide>*{max-width:48rem}
.guide>.scroll{max-width:none}
.operation,.object{padding:2rem 0;border-top:1px solid var(--line)}
.endpoint{margin:.4rem 0 1rem}
.endpoint code{background:none}
.method{font:700 .75em/1.6 ui-monospace,Menlo,Consolas,monospace;flex:none;width:2.6rem}
.endpoint .method{font-size:.85rem}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.columns{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem}
.words p{margin:.4rem 0 .8rem;max-width:48rem}
.scroll{overflow-x:auto;margin:.4rem 0 1rem}
table{border-collapse:collapse;width:100%;font-size:.875rem}
th{text-align:left;font-weight:600;color:var(--soft)}
th,td{padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td:first-child code{white-space:nowrap}
td:nth-child(3){min-width:14rem}
.required,.bounds{font-size:.8em;color:var(--soft)}
.required{color:var(--delete)}
.bounds{white-space:nowrap}
.codes{line-height:2}
:target>h2,:target>h3,tr:target{background:var(--mark)}
@media (min-width:80rem){.columns{grid-template-columns:minmax(0,1fr) minmax(0,26rem)}.samples{position:sticky;top:4rem;align-self:start;max-height:calc(100vh - 5rem);overflow-y:auto}}
@media (max-width:52rem){.layout{display:block}.side{display:none}.menu{display:block;padding:.75rem 1.25rem;border-bottom:1px solid var(--line)}
table,tbody,tr,td{display:block}thead{display:none}td{border:0;padding:.1rem 0}td:empty{display:none}tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
.menu nav{padding:.5rem 0}main{padding:1.5rem 1.25rem 4rem}header{padding:.75rem 1.25rem}}
@media print{.side,.menu,header{display:none}.layout{display:block}}
`
