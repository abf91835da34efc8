import { Marked, Parser, type Token, type Tokens } from "marked"

/** A part of a page that the search finds. A `field` is a row of a table of fields of another API. */
export interface PageEntry {
  kind: "page" | "section" | "row" | "field" | "operation"
  /** The anchor on its page; empty for the page itself. */
  id: string
  title: string
  /** Words that a reader may type and that the text does not contain. */
  words: string
  text: string
}

export interface Heading {
  id: string
  level: number
  title: string
}

export interface Rendered {
  html: string
  headings: Heading[]
  /** The first entry is the page itself. */
  entries: PageEntry[]
}

/** The comment before a table: words for the search of its rows, and whether they are fields of another API. */
interface RowWords {
  words: string
  foreign: boolean
}
const NO_WORDS: RowWords = { words: "", foreign: false }

/** The languages of samples, in the order of their tabs. */
export const LANGUAGES = { typescript: "TypeScript", python: "Python", bash: "curl" } as const
type Language = keyof typeof LANGUAGES
const isLanguage = (text = ""): text is Language => text in LANGUAGES

const marked = new Marked({ gfm: true })

export const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** The anchor of a heading or a row. */
export const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .trim()
    .replaceAll(" ", "-")

/**
 * Renders the Markdown of a guide or a description. `linkOf` makes an address of each link. Headings and rows get
 * anchors; `<!-- search: words -->` after a heading adds words for the search of the section, `<!-- rows: words -->`
 * for each row of its table, and `<!-- fields: words -->` for rows about another API, which the search finds last.
 */
export function renderMarkdown(text: string, linkOf: (href: string) => string = (href) => href): Rendered {
  const tokens = marked.lexer(text)
  marked.walkTokens(tokens, (token) => {
    if (token.type === "link") token.href = linkOf(token.href)
  })
  const page: Rendered = { html: "", headings: [], entries: [{ kind: "page", id: "", title: "", words: "", text: "" }] }
  const ids = new Set<string>()
  let rows = NO_WORDS
  const unique = (id: string): string => {
    const free = [id, ...Array.from({ length: 99 }, (_, n) => `${id}-${n + 2}`)].find((one) => !ids.has(one)) ?? id
    ids.add(free)
    return free
  }
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.type === "heading") rows = NO_WORDS
    if (token.type === "heading") page.html += heading(token as Tokens.Heading, page, unique)
    else if (token.type === "table") page.html += table(token as Tokens.Table, page, rows, unique)
    else if (token.type === "code") {
      const group = [token as Tokens.Code]
      while (isLanguage(token.lang) && isNextSample(tokens, at)) {
        at += 1 + gapAt(tokens, at)
        group.push(tokens[at] as Tokens.Code)
      }
      page.html += codes(group.map(({ lang, text }) => ({ lang: lang ?? "", text })))
    } else if (token.type === "html") {
      addWords(token.raw, page)
      const [, of, words] = /<!-- (fields|rows): (.*?) -->/.exec(token.raw) ?? []
      if (words) rows = { words, foreign: of === "fields" }
    } else {
      page.html += marked.parser([token])
      addText(plain(token), page)
    }
  }
  return page
}

/** Inline Markdown, such as the cell of a table. */
export const renderInline = (text: string) => marked.parseInline(text) as string

const gapAt = (tokens: Token[], at: number) => (tokens[at + 1]?.type === "space" ? 1 : 0)

function isNextSample(tokens: Token[], at: number): boolean {
  const next = tokens[at + 1 + gapAt(tokens, at)] as Tokens.Code | undefined
  return next?.type === "code" && isLanguage(next.lang)
}

/** The text of a token without its markup. */
function plain(token: Token): string {
  if ("tokens" in token && token.tokens) return token.tokens.map(plain).join("")
  if (token.type === "list")
    return (token as Tokens.List).items.map((item) => item.tokens.map(plain).join(" ")).join(" ")
  if (token.type === "br") return " "
  return "text" in token ? String(token.text) : ""
}

function heading(token: Tokens.Heading, page: Rendered, unique: (id: string) => string): string {
  const title = plain(token)
  const id = unique(slugOf(title))
  page.headings.push({ id, level: token.depth, title })
  page.entries.push({ kind: "section", id, title, words: "", text: "" })
  const level = `h${token.depth}`
  return `<${level} id="${id}"><a href="#${id}">${Parser.parseInline(token.tokens)}</a></${level}>\n`
}

const lastSection = ({ entries }: Rendered) => entries.findLast(({ kind }) => kind === "section" || kind === "page")

function addWords(comment: string, page: Rendered): void {
  const section = lastSection(page)
  const [, words] = /<!-- search: (.*?) -->/.exec(comment) ?? []
  if (words && section) section.words += ` ${words}`
}

function addText(text: string, page: Rendered): void {
  const section = lastSection(page)
  if (section) section.text = `${section.text} ${text}`.trim()
}

/** A table whose rows have anchors: the code in the first cell, or its text. */
function table(
  { header, rows }: Tokens.Table,
  page: Rendered,
  words: RowWords,
  unique: (id: string) => string,
): string {
  const names = header.map(({ tokens }) => tokens.map(plain).join(""))
  const section = lastSection(page)
  // The rows below a status answer for it, so the section is not an answer of its own.
  const [status = ""] = /^\d{3} /.exec(section?.title ?? "") ?? []
  if (section && status) page.entries.splice(page.entries.indexOf(section), 1)
  const body = rows.map((cells) => {
    const texts = cells.map(({ tokens }) => tokens.map(plain).join("").trim())
    const title = texts[0] ?? ""
    const [, code] = /`([\w.…-]+)`/.exec(cells[0]?.text ?? "") ?? []
    const id = unique(code ?? slugOf(title).slice(0, 60))
    page.entries.push({
      kind: words.foreign ? "field" : "row",
      id,
      title: status + title,
      words: words.words,
      text: texts.slice(1).filter(Boolean).join(" · "),
    })
    const columns = cells.map(
      ({ tokens }, n) => `<td data-name="${escaped(names[n] ?? "")}">${Parser.parseInline(tokens)}</td>`,
    )
    return `<tr id="${id}">${columns.join("")}</tr>`
  })
  const head = names.map((name) => `<th scope="col">${escaped(name)}</th>`).join("")
  return `<table><thead><tr>${head}</tr></thead>\n<tbody>${body.join("\n")}</tbody></table>\n`
}

/** Code: one block, or tabs if it is a sample in several languages. Without scripts all languages are shown. */
export function codes(group: { lang: string; text: string }[]): string {
  const blocks = group.map(({ lang, text }) => {
    const label = isLanguage(lang) ? LANGUAGES[lang] : lang.toUpperCase()
    const caption = group.length > 1 ? `<figcaption>${label}</figcaption>` : ""
    return `<figure class="code" data-lang="${lang}">${caption}<pre tabindex="0" role="group" aria-label="${label || "Code"}"><code>${withVariables(lang, text)}</code></pre></figure>`
  })
  if (group.length === 1) return `${blocks[0]}\n`
  const tabs = group.map(
    ({ lang }) => `<button type="button" data-lang="${lang}">${isLanguage(lang) ? LANGUAGES[lang] : lang}</button>`,
  )
  return `<div class="samples"><div class="tabs" role="group" aria-label="Language">${tabs.join("")}</div>${blocks.join("")}</div>\n`
}

/** How a sample reads a variable in each language. The page's script replaces it by the reader's own value. */
const VARIABLES: Record<Language | "sh", RegExp> = {
  bash: /'\$(TURNPIKE_\w+)'|\$(TURNPIKE_\w+)|(\$\(openssl rand -hex 8\))/g,
  typescript: /process\.env\.(TURNPIKE_\w+)!?/g,
  sh: /https:\/\/…|turnpike_test_…|spc_…|\$(TURNPIKE_\w+)/g,
  python: /os\.environ\["(TURNPIKE_\w+)"\]/g,
}

/** Placeholders of values in commands that set variables. */
const PLACEHOLDERS: Record<string, string> = {
  "https://…": "TURNPIKE_BASE_URL",
  "turnpike_test_…": "TURNPIKE_API_KEY",
  "spc_…": "TURNPIKE_SPACE",
}

function withVariables(lang: string, text: string): string {
  if (!isLanguage(lang) && lang !== "sh") return escaped(text)
  const parts: string[] = []
  let end = 0
  for (const match of text.matchAll(VARIABLES[lang])) {
    const name = PLACEHOLDERS[match[0]] ?? match[1] ?? match[2] ?? "fresh"
    parts.push(escaped(text.slice(end, match.index)), `<span data-value="${name}">${escaped(match[0])}</span>`)
    end = match.index + match[0].length
  }
  return parts.join("") + escaped(text.slice(end))
}
