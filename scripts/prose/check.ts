import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve } from "node:path"
import { TextlintKernel, type TextlintKernelPlugin, type TextlintKernelRule } from "@textlint/kernel"
import markdown from "@textlint/textlint-plugin-markdown"
import { piecesOf } from "./pieces.ts"
import { programPlugin, proseOf } from "./program.ts"
import { sentenceLength, sentenceOpening } from "./rules.ts"
import { type Problem, sizeProblems } from "./sizes.ts"

/** textlint's rule for phrases has no types. */
const phrases = createRequire(import.meta.url)("textlint-rule-prh").default

const kernel = new TextlintKernel()
const rules: TextlintKernelRule[] = [
  { ruleId: "phrases", rule: phrases, options: { rulePaths: [resolve("scripts/prose/phrases.yml")] } },
  { ruleId: "sentence-length", rule: sentenceLength },
  { ruleId: "sentence-opening", rule: sentenceOpening },
]
const markdownPlugin = {
  pluginId: "markdown",
  plugin: (markdown as unknown as { default?: typeof markdown }).default ?? markdown,
} as TextlintKernelPlugin

/** Quoted words are examples. Everything keeps its place. */
const withoutQuotes = (text: string) => text.replace(/"[^"\n]{1,160}"/g, (quoted) => quoted.replace(/[\w\s]/g, "x"))

async function lint(filePath: string, text: string, plugin: TextlintKernelPlugin): Promise<Problem[]> {
  const ext = filePath.slice(filePath.lastIndexOf("."))
  const { messages } = await kernel.lintText(text, { ext, filePath, plugins: [plugin], rules })
  return messages.map(({ line, ruleId, message }) => ({
    path: filePath,
    line,
    rule: ruleId,
    message: message.replace(/\n/g, ". "),
  }))
}

/** Problems of one file's prose. */
export function proseProblems(path: string, text = readFileSync(path, "utf8")): Promise<Problem[]> {
  if (path.endsWith(".md")) return lint(path, withoutQuotes(text), markdownPlugin)
  const pieces = piecesOf(path, text)
  const plugin = { pluginId: "program", plugin: programPlugin(pieces) }
  return lint(path, proseOf(text, pieces), plugin).then((found) => [...found, ...sizeProblems(path, text, pieces)])
}
