/** HTML that may stand in the page as it is. Everything else is escaped on its way in. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | undefined | false | Part[]

/** A template whose values are escaped, unless they are markup already. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Markup {
  return new Markup(strings.reduce((all, text, index) => all + written(values[index - 1]) + text))
}

function written(part: Part): string {
  if (part === undefined || part === false) return ""
  if (part instanceof Markup) return part.text
  if (Array.isArray(part)) return part.map(written).join("")
  return String(part).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Text of a description: paragraphs, `code` and [links](…). */
export function prose(text: string): Markup[] {
  return text.split("\n\n").map((paragraph) => html`<p>${line(paragraph)}</p>`)
}

/** The same, within a paragraph or a cell. */
export function line(text: string): Markup[] {
  return text.split(/(`[^`]+`|\[[^\]]+\]\(#[\w.-]+\))/).map((piece) => {
    const link = /^\[([^\]]+)\]\((#[\w.-]+)\)$/.exec(piece)
    if (link) return html`<a href="${link[2]}">${link[1]}</a>`
    return piece.startsWith("`") && piece.length > 2 ? html`<code>${piece.slice(1, -1)}</code>` : html`${piece}`
  })
}
