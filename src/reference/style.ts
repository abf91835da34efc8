/**
 * Corrections of the viewer's look: text that is too pale, code that cannot be scrolled by keyboard, names of buttons that only the
 * mouse shows, and guides as wide as the page, since nothing is beside them.
 */
export const STYLE = `
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
noscript{display:block;padding:2rem}
`
