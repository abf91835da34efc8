const WIDTH = 112

/** Breaks a text into lines. The first has `first` characters less. */
export function wrapped(text: string, indent: string, first = 0): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const room = WIDTH - indent.length - (lines.length === 0 ? first : 0)
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return line === "" ? lines : [...lines, line]
}

/** Markdown of the OpenAPI document as text for a docstring. */
export const plain = (markdown: string) =>
  markdown
    .replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .trim()

/** The paragraphs of a docstring, with its quotes. A short one has one line. */
export function docstring(paragraphs: readonly string[], indent: string): string {
  const [only = ""] = paragraphs
  if (paragraphs.length === 1 && !only.includes("\n") && only.length + indent.length + 6 <= WIDTH)
    return `${indent}"""${only.endsWith('"') ? `${only} ` : only}"""\n`
  const body = paragraphs.map((paragraph) =>
    paragraph
      .split("\n")
      .map((line) => (line ? `${indent}${line}\n` : "\n"))
      .join(""),
  )
  return `${indent}"""\n${body.join("\n")}${indent}"""\n`
}

/** A paragraph of prose. */
export const prose = (text: string, indent: string) => wrapped(plain(text), indent).join("\n")

/** An entry of a list in a docstring, such as an argument. */
export function entry(name: string, text: string, indent: string): string {
  const [first = "", ...rest] = wrapped(`${name}: ${plain(text)}`, `${indent}    `)
  return [`    ${first}`, ...rest.map((line) => `        ${line}`)].join("\n")
}

/** The names that a source uses. */
export const usedIn = (source: string, names: Iterable<string>) =>
  [...names].filter((name) => new RegExp(`\\b${name}\\b`).test(source))

export const pascal = (name: string) =>
  name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())

export const constantCase = (name: string) =>
  name
    .replace(/([A-Z])/g, "_$1")
    .replace(/\./g, "_")
    .toUpperCase()
