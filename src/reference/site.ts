import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { build } from "esbuild"
import type { ErrorCode } from "../base/errors.ts"
import type { Api } from "./apis.ts"
import { readGuide } from "./guides.ts"
import { escaped, type PageEntry, renderMarkdown } from "./markdown.ts"
import { guideMarkdown, homeMarkdown, llmsText, markdownPath, operationsMarkdown } from "./page-markdown.ts"
import type { Found } from "./search.ts"
import { type DescribedApi, operationsPage } from "./site-operations.ts"
import { type SiteFiles, type SiteMap, type SitePage, siteHtml } from "./site-page.ts"

/** The path below which the files of all pages are: both APIs use the same addresses, so browsers load them once. */
const FILES = "/docs"
const ROOT = join(import.meta.dirname, "../..")

interface SiteContent {
  /** Files by their paths. Pages end with `.html`. */
  files: Map<string, string | Buffer>
  /** The paths of files whose names change with their content. */
  kept: string[]
}

const own = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8")

const named = (name: string, ending: string, content: string | Buffer) =>
  `${FILES}/${name}-${createHash("sha256").update(content).digest("hex").slice(0, 12)}.${ending}`

/** The colours of the web app, from its stylesheet. */
export function tokens(): string {
  const [, rules] =
    /(:root \{[\s\S]*?)\n@theme/.exec(readFileSync(join(ROOT, "dashboard/src/app/styles.css"), "utf8")) ?? []
  if (!rules) throw new Error("dashboard/src/app/styles.css no longer begins with the rules of :root")
  return rules
}

/** Bundles the script of the pages, with the search. */
async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, name)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    logLevel: "error",
  })
  return outputFiles[0]?.text ?? ""
}

/** The style, scripts, font and icon of all pages. */
export async function siteFiles(): Promise<SiteContent & { names: SiteFiles }> {
  const font = readFileSync(
    createRequire(join(ROOT, "dashboard/package.json")).resolve(
      "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
    ),
  )
  const icon = readFileSync(join(ROOT, "dashboard/public/favicon.svg"))
  const fontPath = named("inter", "woff2", font)
  const style = `${tokens()}${own("site.css").replace("FONT", fontPath)}`
  const theme = `${readFileSync(join(ROOT, "dashboard/public/theme.js"), "utf8")}${own("site-theme.js")}`
  const script = await bundle("site.js")
  const names: SiteFiles = {
    font: fontPath,
    icon: named("icon", "svg", icon),
    style: named("site", "css", style),
    theme: named("theme", "js", theme),
    script: named("site", "js", script),
  }
  const files = new Map<string, string | Buffer>([
    [names.font, font],
    [names.icon, icon],
    [names.style, style],
    [names.theme, theme],
    [names.script, script],
  ])
  return { files, names, kept: [...files.keys()] }
}

/** The guides of an API as pages, and its groups of operations. */
function pagesOf(api: Api, document: DescribedApi) {
  const { pagePath, guides, errors, clientMethods } = api
  const codes = Object.values(document.components.responses).flatMap(({ content }) =>
    Object.keys(content?.["application/json"]?.examples ?? {}),
  ) as ErrorCode[]
  /** Guides link to each other as files: `caps.md#holds`. */
  const linkOf = (href: string) => href.replace(/^([\w-]+)\.md(?=#|$)/, `${pagePath}/$1`)
  const guidePages = guides.map((name) => {
    const { name: title, about, description } = readGuide(name, [...new Set(codes)].sort())
    const markdown = guideMarkdown(title, description, pagePath)
    return { path: `${pagePath}/${name}`, title, about, markdown, ...renderMarkdown(description, linkOf) }
  })
  const place = { errors: `${pagePath}/${errors}`, tryIt: `${pagePath}/try`, hasSamples: clientMethods !== undefined }
  const operationPages = document.tags.map(({ name, description = "" }) => {
    const { html, headings, entries } = operationsPage(document, name, place)
    const path = `${pagePath}/operations/${name.toLowerCase().replaceAll(" ", "-")}`
    return {
      path,
      title: name,
      about: description,
      markdown: operationsMarkdown(document, name, description),
      headings,
      entries,
      html: `<p class="lead">${escaped(description)}</p>\n${html}`,
    }
  })
  return { guidePages, operationPages }
}

/** The entries of the search: pages, sections, rows and operations, with their addresses. */
function indexOf(pages: (SitePage & { entries: PageEntry[] })[]): Found[] {
  return pages.flatMap(({ path, title: page, about, entries }) =>
    entries.map(({ kind, id, title, words, text }) => ({
      kind,
      title: title || page,
      words: words.trim(),
      text: shortened(id === "" ? about : text),
      page,
      href: id === "" ? path : `${path}#${id}`,
    })),
  )
}

/** The length of an entry's text, in characters. */
const MOST = 280
const shortened = (text: string) => (text.length > MOST ? `${text.slice(0, MOST)}…` : text)

/** All pages of an API, its search index, and a page with all guides for readers without scripts. */
export function sitePages(
  api: Api,
  document: DescribedApi,
  names: SiteFiles,
  other: Api,
): { files: SiteContent["files"]; index: Found[] } {
  const { guidePages, operationPages } = pagesOf(api, document)
  const index = indexOf([...guidePages, ...operationPages])
  const indexText = JSON.stringify(index)
  const map: SiteMap = {
    home: api.pagePath,
    name: api.name,
    other: { href: other.pagePath, name: other.name },
    groups: [
      { name: "Guides", pages: guidePages },
      { name: "Operations", pages: operationPages },
    ],
    everything: `${api.pagePath}/all`,
    tryIt: `${api.pagePath}/try`,
    index: `${api.pagePath}/search.json`,
  }
  const home: SitePage = {
    path: api.pagePath,
    title: `Turnpike ${api.name}`,
    about: api.surface.info.description,
    headings: [],
    html: homeHtml(api, map, guidePages, operationPages),
  }
  const all: SitePage = {
    path: map.everything,
    title: "Everything on one page",
    about: "All guides, errors and limits on one page.",
    headings: guidePages.map(({ path, title }) => ({ id: path.split("/").at(-1) ?? "", level: 2, title })),
    html: guidePages.map(({ path, title, html }) => partOfAll(path.split("/").at(-1) ?? "", title, html)).join("\n"),
  }
  const contentPages = [...guidePages, ...operationPages]
  const pages = [home, all, ...contentPages]
  const files = new Map<string, string | Buffer>(pages.map((page) => [`${page.path}.html`, siteHtml(page, map, names)]))
  files.set(map.index, indexText)
  for (const { path, markdown } of contentPages) files.set(markdownPath(path), markdown)
  const groups = [
    { name: "Guides", pages: guidePages },
    { name: "Operations", pages: operationPages },
  ]
  const listed = { title: home.title, about: home.about, groups }
  files.set(markdownPath(api.pagePath), homeMarkdown(listed))
  files.set(markdownPath(map.everything), guidePages.map(({ markdown }) => markdown).join("\n"))
  const places = { everything: markdownPath(map.everything), document: api.documentPath }
  if (api.llmsPath) files.set(api.llmsPath, llmsText({ ...listed, title: api.surface.info.title }, places))
  if (api.llmsFullPath) files.set(api.llmsFullPath, contentPages.map(({ markdown }) => markdown).join("\n"))
  return { files, index }
}

/** A guide on the page with all guides: headings are one level lower, and anchors begin with the guide's name. */
function partOfAll(name: string, title: string, html: string): string {
  const lower = html
    .replace(/<(\/?)h([234])\b/g, (_match, slash: string, level: string) => `<${slash}h${Number(level) + 1}`)
    .replace(/ (id|href)="(#?)([^"/#][^"]*)"/g, (match, attribute: string, hash: string, id: string) =>
      attribute === "href" && hash === "" ? match : ` ${attribute}="${hash}${name}-${id}"`,
    )
  return `<section class="guide"><h2 id="${name}"><a href="#${name}">${escaped(title)}</a></h2>\n${lower}</section>`
}

const card = ({ path, title, about }: Pick<SitePage, "path" | "title" | "about">) =>
  `<li><a href="${path}"><b>${escaped(title)}</b></a><span>${escaped(about)}</span></li>`

function homeHtml(api: Api, map: SiteMap, guides: SitePage[], operations: SitePage[]): string {
  return `<p class="lead">${escaped(api.surface.info.description)}</p>
<p class="actions"><a class="primary" href="${guides[0]?.path}">${escaped(guides[0]?.title ?? "")}</a> <a href="${map.everything}">Everything on one page</a> <a href="${map.tryIt}">Try the API</a> <a href="${api.documentPath}">OpenAPI document</a>${api.llmsPath ? ` <a href="${api.llmsPath}">For models</a>` : ""}</p>
${questionsHtml(api)}<h2 id="guides">Guides</h2><ul class="cards">${guides.map(card).join("")}</ul>
<h2 id="operations">Operations</h2><ul class="cards">${operations.map(card).join("")}</ul>`
}

function questionsHtml({ pagePath, questions }: Api): string {
  const links = Object.entries(questions).map(
    ([question, answer]) => `<li><a href="${pagePath}/${answer}">${escaped(question)}</a></li>`,
  )
  return links.length > 0 ? `<h2 id="questions">Questions</h2><ul class="questions">${links.join("")}</ul>\n` : ""
}
