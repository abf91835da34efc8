import { type Comment, parseSync } from "oxc-parser"

/** A piece of prose in a file: a comment, or a string that people read. Offsets are in characters. */
export interface Piece {
  kind: "comment" | "header" | "text"
  start: number
  end: number
}

/** Blanks instead of every character, so that lines and columns stay. */
export const blank = (text: string) => text.replace(/[^\n]/g, " ")
const fill = (text: string) => text.replace(/[^\n]/g, "x")

/** Quoted words are examples. */
export const withoutQuotes = (text: string) => text.replace(/"[^"\n]{1,160}"|“[^”\n]{1,160}”/g, fill)

/** Replaces comment marks and tags by spaces, and code and quoted words by one word each. All offsets stay the same. */
export const withoutCode = (text: string) =>
  withoutQuotes(
    text
      .replace(/^[ \t]*(?:\/\/+|--+|\/\*+|\*+(?!\/))|\*+\/$/gm, blank)
      .replace(/@\w+(?:\s+\{[^}\n]*\})?/g, blank)
      .replace(/\$\{[^}]*\}|`[^`]*`|https?:\/\/\S+/g, fill),
  )

/** Joins line comments on consecutive lines to one block. */
function joined(text: string, comments: { start: number; end: number; line: boolean }[]) {
  const blocks: { start: number; end: number; line: boolean }[] = []
  for (const comment of comments) {
    const last = blocks.at(-1)
    const alone = (at: number) => /^\s*$/.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))
    const follows = last?.line && comment.line && alone(comment.start) && alone(last.start)
    if (
      follows &&
      /^\s*$/.test(text.slice(last.end, comment.start)) &&
      !text.slice(last.end, comment.start).includes("\n\n")
    )
      last.end = comment.end
    else blocks.push({ ...comment })
  }
  return blocks
}

/** Splits a comment into its paragraphs, list items and tags. */
function paragraphsOf(text: string, start: number, end: number, kind: Piece["kind"]): Piece[] {
  const breaks = [...text.slice(start, end).matchAll(/\n(?=[ \t]*(?:\/\/|--|\*)?[ \t]*(?:[-•*] |@\w|\d+\. |\n|$))/g)]
  const at = [start, ...breaks.map(({ index }) => start + index), end]
  return at.slice(1).map((to, index) => ({ kind, start: at[index] as number, end: to }))
}

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** Syntax nodes whose strings are not prose. */
const NO_PROSE = new Set([
  "TaggedTemplateExpression",
  "ImportDeclaration",
  "ImportExpression",
  "TSLiteralType",
  "ExportAllDeclaration",
])
const CLASSES = /^(?:className|class|d|viewBox|points|transform|href|src|to|id|key)$/

const WORDS = /[A-Za-z]{2,}[^\s]*\s+\S*[A-Za-z]\S*\s+\S*[A-Za-z]/

const SQL =
  /\b(?:select|insert into|delete from|update \w+ set|create (?:or replace )?\w+|perform|alter \w+|with \w+ as)\b[\s\S]*?(?:\b(?:from|values|where|set|as|begin|add)\b|\()/

/** True for a template with SQL or a program. */
function isCode({ type, quasis }: Node): boolean {
  if (type !== "TemplateLiteral") return false
  const text = (quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join("x")
  return SQL.test(text) || /\bimport \{|\bexport interface\b/.test(text)
}

/** A literal without its quotation marks, within which quoted words are examples. */
const insideOf = ({ type, start, end }: Node): Piece =>
  type === "Literal" ? { kind: "text", start: start + 1, end: end - 1 } : { kind: "text", start, end }

function textsOf(node: unknown, isPage: boolean, found: Piece[] = []): Piece[] {
  if (typeof node !== "object" || node === null) return found
  if (!Array.isArray(node)) {
    const one = node as Node
    if (NO_PROSE.has(one.type) || isCode(one)) return found
    if (one.type === "JSXAttribute" && CLASSES.test((one.name as { name?: string }).name ?? "")) return found
    const value =
      one.type === "Literal"
        ? one.value
        : one.type === "TemplateElement"
          ? (one.value as { cooked: string }).cooked
          : null
    const isText =
      typeof value === "string" &&
      /[a-z]{3}/.test(value) &&
      (isPage ? /^[A-Z][a-z]+|\s/.test(value) : WORDS.test(value))
    if (isText || (one.type === "JSXText" && /[a-z]/i.test(one.value as string))) found.push(insideOf(one))
  }
  for (const part of Object.values(node)) textsOf(part, isPage, found)
  return found
}

function ofTypeScript(path: string, text: string): Piece[] {
  const { program, comments } = parseSync(path, text)
  const blocks = joined(
    text,
    comments.map(({ type, start, end }: Comment) => ({ start, end, line: type === "Line" })),
  )
  const pieces = blocks
    .filter(({ start, end }) => !/biome-ignore|@ts-|^\/\/ @|v8 ignore/.test(text.slice(start, end)))
    .flatMap(({ start, end }) => paragraphsOf(text, start, end, "comment"))
  return [...pieces, ...textsOf(program, path.endsWith(".tsx"))]
}

/** A comment before a definition, or at the start of a file, is a header. */
const HEADED = /^\s*(?:create|alter|drop|grant|$)/i

function ofSql(text: string): Piece[] {
  const comments = [...text.matchAll(/'(?:[^']|'')*'|--[^\n]*/g)]
    .filter(([match]) => match.startsWith("--"))
    .map(({ 0: match, index }) => ({ start: index, end: index + match.length, line: true }))
  return joined(text, comments).flatMap(({ start, end }) =>
    paragraphsOf(text, start, end, HEADED.test(text.slice(end)) ? "header" : "comment"),
  )
}

export const piecesOf = (path: string, text: string): Piece[] =>
  (path.endsWith(".sql") ? ofSql(text) : ofTypeScript(path, text)).sort((a, b) => a.start - b.start)
