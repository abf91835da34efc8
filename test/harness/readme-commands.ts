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
