import { lexer, type Token, type Tokens } from "marked"
import { Fragment, type ReactNode } from "react"

/**
 * Renders Markdown as React elements of a fixed list. HTML in the text is shown as text, and a link has a known scheme,
 * so no text can add an element, a script or an attribute of its own.
 */
export default function MarkdownView({ text }: { text: string }) {
  return <div className="flex min-w-0 flex-col gap-2 break-words">{blocksOf(lexer(text, { gfm: true }))}</div>
}

const SCHEMES = ["http:", "https:", "mailto:"]

/** The address of a link; null if it is not absolute or has another scheme, such as `javascript:`. */
function safeHref(href: string): string | null {
  const url = URL.parse(href)
  return url && SCHEMES.includes(url.protocol) ? url.href : null
}

// The tokens of a text have no ids, and their order does not change.
const each = (tokens: Token[] | undefined, render: (token: Token) => ReactNode) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  (tokens ?? []).map((token, index) => <Fragment key={index}>{render(token)}</Fragment>)

const blocksOf = (tokens: Token[] | undefined) => each(tokens, block)
const partsOf = (tokens: Token[] | undefined) => each(tokens, part)

const HEADINGS = ["h3", "h4", "h5", "h6"] as const

function block(token: Token): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading
      // The page has headings of its own, so these are below them.
      const Tag = HEADINGS[Math.min(depth, HEADINGS.length) - 1] ?? "h6"
      return <Tag className={`pt-1 font-strong ${depth < 3 ? "text-md" : ""}`}>{partsOf(tokens)}</Tag>
    }
    case "code": {
      const { text, lang } = token as Tokens.Code
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
        <section tabIndex={0} aria-label={lang || "Code"} className="overflow-x-auto rounded-md bg-hover p-2">
          <pre>
            <code>{text}</code>
          </pre>
        </section>
      )
    }
    case "blockquote":
      return <blockquote className="border-line border-l-2 pl-3 text-muted">{blocksOf(token.tokens)}</blockquote>
    case "list":
      return <List list={token as Tokens.List} />
    case "table":
      return <Grid table={token as Tokens.Table} />
    case "hr":
      return <hr className="border-line" />
    case "paragraph":
      return <p className="whitespace-pre-wrap">{partsOf(token.tokens)}</p>
    default:
      return <p className="whitespace-pre-wrap">{part(token)}</p>
  }
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const rows = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the items of a text have no ids
    <li key={index}>
      {item.task && <input type="checkbox" disabled checked={item.checked} aria-label="Done" className="mr-2" />}
      {each(item.tokens, (token) => (token.type === "text" ? partsOf((token as Tokens.Text).tokens) : block(token)))}
    </li>
  ))
  return ordered ? (
    <ol start={start || 1} className="list-decimal pl-6">
      {rows}
    </ol>
  ) : (
    <ul className="list-disc pl-6">{rows}</ul>
  )
}

const Grid = ({ table: { header, rows } }: { table: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
  <section tabIndex={0} aria-label="Table" className="overflow-x-auto">
    <table className="border-collapse text-left">
      <thead>
        <tr>{header.map((cell, at) => cellOf("th", cell, at))}</tr>
      </thead>
      <tbody>
        {rows.map((cells, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a text have no ids
          <tr key={at}>{cells.map((cell, column) => cellOf("td", cell, column))}</tr>
        ))}
      </tbody>
    </table>
  </section>
)

const cellOf = (Tag: "th" | "td", cell: Tokens.TableCell, at: number) => (
  <Tag key={at} className="border border-line px-2 py-1">
    {partsOf(cell.tokens)}
  </Tag>
)

/** The text of a token without markup of its own, HTML included. */
const textOf = (token: Token) =>
  token.type === "html" ? token.raw : "text" in token ? unescaped(token.text) : token.raw

/** The lexer escapes nothing, but keeps the entities of the source. These are the ones that models write. */
const unescaped = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "",
  )

function part(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong className="font-strong">{partsOf(token.tokens)}</strong>
    case "em":
      return <em>{partsOf(token.tokens)}</em>
    case "del":
      return <del>{partsOf(token.tokens)}</del>
    case "codespan":
      return <code className="rounded-sm bg-hover px-1">{(token as Tokens.Codespan).text}</code>
    case "br":
      return <br />
    case "checkbox":
      return null
    case "link":
    case "image": {
      // An image would be loaded from another origin, which the page's policy forbids. So it is a link, too.
      const { href, text, tokens } = token as Tokens.Link
      const safe = safeHref(href)
      const words = token.type === "link" ? partsOf(tokens) : text || href
      return safe ? (
        <a href={safe} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
          {words}
        </a>
      ) : (
        words
      )
    }
    default:
      return "tokens" in token && token.tokens ? partsOf(token.tokens) : textOf(token)
  }
}
