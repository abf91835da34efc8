/** A word, a literal or an operator of SQL, in lower case outside of literals, with its offset. */
export interface Token {
  text: string
  kind: "word" | "number" | "string" | "symbol"
  at: number
}

const PATTERN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|(?<string>[eE]?'(?:[^']|'')*')|(?<word>[a-zA-Z_]\w*)|"(?<quoted>[^"]+)"|(?<number>\d+(?:\.\d+)?)|(?<symbol>\$\$|->>|#>>|->|#>|<->|<@|@>|\?\||\?&|<=|>=|<>|!=|!~\*?|~\*|\|\||::|:=|=>|\S)/g

/** The tokens of a text without its comments. The body of a procedure is between two tokens `$$`. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  for (const { groups = {}, index: at } of sql.matchAll(PATTERN)) {
    const { string, word, quoted, number, symbol } = groups
    if (string !== undefined) tokens.push({ kind: "string", text: string, at })
    else if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase(), at })
    else if (quoted !== undefined) tokens.push({ kind: "word", text: quoted, at })
    else if (number !== undefined) tokens.push({ kind: "number", text: number, at })
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol, at })
  }
  return tokens
}

const OPENS = new Set(["(", "["])
const CLOSES = new Set([")", "]"])

/** The change of depth after a token: brackets, and `case … end` of an expression. */
export const depthOf = ({ text }: Token) =>
  OPENS.has(text) || text === "case" ? 1 : CLOSES.has(text) || text === "end" ? -1 : 0

/** The parts between separator tokens of the outermost level. */
export function splitAt(tokens: Token[], isSeparator: (token: Token, at: number) => boolean): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  tokens.forEach((token, at) => {
    if (depth === 0 && isSeparator(token, at)) {
      parts.push([])
      return
    }
    depth += depthOf(token)
    parts.at(-1)?.push(token)
  })
  return parts
}

export const textOf = (tokens: Token[]) =>
  tokens
    .map(({ text }) => text)
    .join(" ")
    .replace(/ ?(\.|::|\(|\[) ?/g, "$1")
    .replace(/ ([)\],])/g, "$1")
