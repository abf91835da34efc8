import type { TextlintPluginCreator } from "@textlint/kernel"
import { blank, type Piece, withoutCode } from "./pieces.ts"

/** The text with spaces instead of code, so that problems have the lines and columns of the file. */
export function proseOf(text: string, pieces: Piece[]): string {
  let prose = ""
  let at = 0
  for (const { start, end } of pieces) {
    prose += blank(text.slice(at, start)) + withoutCode(text.slice(start, end))
    at = end
  }
  return prose + blank(text.slice(at))
}

function positionsOf(text: string) {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (at: number) => {
    const line = starts.findLastIndex((start) => start <= at)
    return { line: line + 1, column: at - (starts[line] as number) }
  }
}

/** Lets textlint read TypeScript and SQL. Each piece of prose is a paragraph. */
export const programPlugin = (pieces: Piece[]): TextlintPluginCreator => ({
  Processor: class {
    availableExtensions() {
      return [".ts", ".tsx", ".sql"]
    }

    processor() {
      return {
        preProcess(text: string) {
          const position = positionsOf(text)
          const node = (type: string, start: number, end: number, more: object) => ({
            type,
            range: [start, end],
            loc: { start: position(start), end: position(end) },
            raw: text.slice(start, end),
            ...more,
          })
          const children = pieces.map(({ start, end }) =>
            node("Paragraph", start, end, { children: [node("Str", start, end, { value: text.slice(start, end) })] }),
          )
          // biome-ignore lint/suspicious/noExplicitAny: the kernel sets the parents that the type asks for.
          return node("Document", 0, text.length, { children }) as any
        },
        postProcess: (messages: never[], filePath = "") => ({ messages, filePath }),
      }
    }
  },
})
