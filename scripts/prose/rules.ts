import type { TextlintRuleModule } from "@textlint/kernel"
import { split } from "sentence-splitter"

/** Words of a sentence, at most. docs/style.md aims at 25. */
const WORDS_MAX = 30

/** Statements that begin with these have no subject that acts. Questions may. */
const OPENINGS = /^(?:What|Whatever|Whose|Of|That which|Those that|Who|Whom|Nothing else|None of)\s/

const wordsIn = (sentence: string) => sentence.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length

/** Checks the sentences of each paragraph, list item and cell. */
function ofSentences(problemOf: (sentence: string) => string | null): TextlintRuleModule {
  return (context) => {
    const { RuleError, Syntax, getSource, locator, report } = context
    const check = (node: NonNullable<Parameters<typeof getSource>[0]>) => {
      for (const { type, raw, range } of split(getSource(node))) {
        const sentence = raw.trim()
        const problem = type === "Sentence" ? problemOf(sentence) : null
        if (problem) report(node, new RuleError(problem, { padding: locator.range(range) }))
      }
    }
    return { [Syntax.Paragraph]: check, TableCell: check }
  }
}

export const sentenceLength = ofSentences((sentence) => {
  const words = wordsIn(sentence)
  return words > WORDS_MAX ? `${words} words in a sentence (at most ${WORDS_MAX}): split it.` : null
})

export const sentenceOpening = ofSentences((sentence) => {
  const [opening] = OPENINGS.exec(sentence) ?? []
  return opening && !/\?["')]*$/.test(sentence)
    ? `A statement that begins with "${opening.trim()}": begin with the subject that acts.`
    : null
})
