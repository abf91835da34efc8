import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { TextlintKernel, type TextlintKernelPlugin, type TextlintKernelRule } from "@textlint/kernel"
import markdown from "@textlint/textlint-plugin-markdown"
// @ts-expect-error: the package has no types.
import prh from "textlint-rule-prh"
import { piecesOf, withoutQuotes } from "./pieces.ts"
import { programPlugin, proseOf } from "./program.ts"
import { sentenceLength, sentenceOpening } from "./rules.ts"
import { type Problem, sizeProblems } from "./sizes.ts"

const kernel = new TextlintKernel()
const rules: TextlintKernelRule[] = [
  { ruleId: "phrases", rule: prh.default ?? prh, options: { rulePaths: [resolve("scripts/prose/phrases.yml")] } },
  { ruleId: "sentence-length", rule: sentenceLength },
  { ruleId: "sentence-opening", rule: sentenceOpening },
]
const markdownPlugin = {
  pluginId: "markdown",
  plugin: (markdown as unknown as { default?: typeof markdown }).default ?? markdown,
} as TextlintKernelPlugin

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
