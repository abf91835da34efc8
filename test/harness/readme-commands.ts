/** The blocks of commands in a document, in their order. Each is for one terminal. */
export const blocksOf = (text: string) =>
  [...text.matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```$/gm)].map(([, block = ""]) => block)

/** The commands of a block. One that continues on the next line is one command. */
export const commandsOf = (block: string) =>
  block
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))

/**
 * Fills in the placeholders of a document: `NAME=…` by the variable, and `spc_…` or `turn_…` by the value of that
 * prefix. It changes nothing else.
 */
export function withValues(text: string, values: Record<string, string>): string {
  return text
    .replace(/\b(\w+)=\S*…/g, (given, name: string) => (values[name] ? `${name}=${values[name]}` : given))
    .replace(/\b([a-z]+_)…/g, (given, prefix: string) => values[prefix] ?? given)
}
