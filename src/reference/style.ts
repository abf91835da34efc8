/**
 * The page uses the colours of the web app and has a bar with a link to it. The other rules correct the viewer:
 * pale text, code that the keyboard cannot scroll, button names that only the mouse shows, and guides that do not
 * use the page's width.
 */
export const STYLE = `
:root{--scalar-custom-header-height:48px;color-scheme:light dark}
.light-mode{color-scheme:light;--scalar-background-1:#fff;--scalar-background-2:#f6f7f9;--scalar-background-3:#eef0f3;--scalar-border-color:#e2e5e9;
--scalar-color-1:#16191d;--scalar-color-accent:#3d4ed8}
.dark-mode{color-scheme:dark;--scalar-background-1:#0f1114;--scalar-background-2:#16191d;--scalar-background-3:#22272d;--scalar-border-color:#282d34;
--scalar-color-1:#e8eaed;--scalar-color-accent:#9db0ff}
body{margin:0;background:var(--scalar-background-1)}
.above{position:sticky;top:0;z-index:20;display:flex;align-items:center;gap:12px;height:48px;box-sizing:border-box;padding:0 16px;
font:13px/20px ui-sans-serif,system-ui,sans-serif;border-bottom:1px solid var(--scalar-border-color);background:var(--scalar-background-1);color:var(--scalar-color-2)}
.above a{font-weight:600;color:var(--scalar-color-1);text-decoration:none}.above a:hover{text-decoration:underline}
.above a::before{content:"← ";color:var(--scalar-color-2)}
.light-mode{--scalar-color-2:#5a5f66;--scalar-color-3:#666b72;--scalar-color-green:#00734a;--scalar-color-blue:#0062ad;
--scalar-color-yellow:#855b00;--scalar-color-red:#c0182b;--scalar-color-orange:#ad3c00}
.dark-mode{--scalar-color-3:#8f959d;--scalar-color-red:#ff6b62}
.scalar-code-copy .sr-only>.hidden{display:inline}
.scalar-app .markdown pre code{overflow:visible!important}.scalar-app .markdown pre code,.scalar-app .markdown pre code *{white-space:pre-wrap!important;overflow-wrap:anywhere}
.scalar-app .endpoints{overflow:visible!important}.scalar-app .endpoint *{white-space:normal!important;overflow-wrap:anywhere;min-width:0}
.section-column:has(+.section-column:empty){max-width:52rem;flex:1 1 auto}
.section-column:empty{display:none}
.scalar-app .markdown th,.scalar-app .markdown td:first-child code{white-space:nowrap;word-break:normal}
@media (max-width:40rem){.scalar-app .markdown thead{display:none!important}.scalar-app .markdown tr,.scalar-app .markdown td{display:block!important;border:0!important}
.scalar-app .markdown td:not(:last-child){padding-bottom:0}.scalar-app .markdown tr:not(:last-child){border-bottom:1px solid var(--scalar-border-color)!important}}
.scalar-reference-intro-clients{display:none!important}
.section:focus-visible{outline:none!important}
noscript{display:block;padding:2rem}
.unread{padding:2rem;font:15px/24px ui-sans-serif,system-ui,sans-serif;color:var(--scalar-color-1,CanvasText);visibility:hidden;animation:unread 0s 6s forwards}
.unread h1{font-size:20px;line-height:28px;margin:0 0 8px}.unread p{margin:0}.unread a{color:inherit}
@keyframes unread{to{visibility:visible}}
body:has(.scalar-app h1) .unread,body:has(.scalar-app h2) .unread{display:none}
`
