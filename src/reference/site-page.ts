import { escaped, type Heading } from "./markdown.ts"
import { markdownPath } from "./page-markdown.ts"

/** The files that every page of the reference loads, each under a name that changes with its content. */
export interface SiteFiles {
  style: string
  theme: string
  script: string
  font: string
  icon: string
}

export interface SitePage {
  path: string
  title: string
  /** One sentence for search engines and for lists of pages. */
  about: string
  html: string
  headings: Heading[]
}

/** The pages of one API: its name, and its pages in the order of the navigation. */
export interface SiteMap {
  home: string
  name: string
  other: { href: string; name: string }
  groups: { name: string; pages: Pick<SitePage, "path" | "title">[] }[]
  /** The page with all guides, for readers without scripts. */
  everything: string
  tryIt: string
  index: string
}

const link = ({ path, title }: Pick<SitePage, "path" | "title">, current: string) =>
  `<li><a href="${path}"${path === current ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`

/** Says what the samples need. For a signed-in reader, the page's script fills in their own values instead. */
const valuesHtml = (path: string) =>
  `<div class="values"><p>The samples read <code>TURNPIKE_BASE_URL</code>, <code>TURNPIKE_API_KEY</code> and <code>TURNPIKE_SPACE</code> from the environment.</p><a href="/sign-in?next=${encodeURIComponent(path)}">Use my own test key</a></div>
`

/** A page as HTML that needs no script. Scripts add the search, tabs, copying and the reader's own values. */
export function siteHtml(page: SitePage, map: SiteMap, files: SiteFiles): string {
  const { path, title, about, html, headings } = page
  const nav = map.groups
    .map(({ name, pages }) => `<h2>${escaped(name)}</h2><ul>${pages.map((one) => link(one, path)).join("")}</ul>`)
    .join("\n")
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  const contents = shown
    .map(({ id, level, title: name }) => `<li class="level-${level}"><a href="#${id}">${escaped(name)}</a></li>`)
    .join("")
  const all = map.groups.flatMap(({ pages }) => pages)
  const at = all.findIndex((one) => one.path === path)
  const [before, after] = at < 0 ? [] : [all[at - 1], all[at + 1]]
  const turn = [
    before && `<a rel="prev" href="${before.path}">← ${escaped(before.title)}</a>`,
    after && `<a rel="next" href="${after.path}">${escaped(after.title)} →</a>`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}${path === map.home ? "" : ` · Turnpike ${escaped(map.name)}`}</title>
<meta name="description" content="${escaped(about)}">
<link rel="alternate" type="text/markdown" href="${markdownPath(path)}">
<link rel="icon" href="${files.icon}" type="image/svg+xml">
<link rel="preload" href="${files.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${files.style}">
<script src="${files.theme}"></script>
<script src="${files.script}" defer></script>
</head>
<body data-index="${map.index}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<button type="button" class="menu" popovertarget="nav">Menu</button>
<a class="brand" href="/"><img src="${files.icon}" alt="" width="20" height="20">Turnpike</a>
<a class="part" href="${map.home}">${escaped(map.name)}</a>
<a class="find" href="${map.everything}"><span>Search</span><kbd>/</kbd></a>
<a class="out" href="/home">Dashboard</a>
<button type="button" class="theme" aria-label="Change the theme">◐</button>
</header>
<nav id="nav" popover aria-label="Pages">
${nav}
<h2>More</h2><ul><li><a href="${map.everything}">Everything on one page</a></li><li><a href="${map.tryIt}">Try the API</a></li><li><a href="${map.other.href}">${escaped(map.other.name)}</a></li></ul>
</nav>
<main id="main" tabindex="-1">
<h1>${escaped(title)}</h1>
${html.includes('data-value="TURNPIKE_API_KEY"') ? valuesHtml(path) : ""}${html}<footer>${turn.filter(Boolean).join("")}</footer>
</main>
${shown.length > 1 ? `<aside aria-label="On this page"><h2>On this page</h2><ul>${contents}</ul></aside>` : ""}
<dialog class="search" aria-label="Search"></dialog>
</body>
</html>
`
}
