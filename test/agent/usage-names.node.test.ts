import { expect, test } from "vitest"
import { CALL_COUNT_NAMES, COUNT_NAMES, countOf } from "../../src/agent/token-names.ts"
import { usageNamesTable } from "../../src/reference/usage-names.ts"
import { chunk, counts, texts } from "../harness/recorded.ts"
import { bytesOfFrames, replayStream } from "../harness/replay.ts"
import { textMessage } from "../harness/steps.ts"

/** Whole counts of an answer, to which each name adds a part. */
const PROMPT = 2_000
const OUTPUT = 60
const PART = 17

/** Each row of the guide's table: a count of a call, and a name that it has in answers. */
const ROWS = usageNamesTable()
  .split("\n")
  .slice(2)
  .flatMap((line, index) => {
    const count = CALL_COUNT_NAMES[index] ?? "tokensInput"
    return [...line.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ count, name }))
  })

/** The usage of an answer with one value at a name, and whole counts at the usual names. */
function usageWith(name: string, value: number): Record<string, unknown> {
  const path = name.split(".")
  const part = path.reduceRight<unknown>((inner, member) => ({ [member]: inner }), value)
  const isWhole = path.length === 1
  const of = (side: "prompt" | "completion") => isWhole && COUNT_NAMES[side].includes(name)
  return {
    ...(!of("prompt") && { prompt_tokens: PROMPT }),
    ...(!of("completion") && { completion_tokens: OUTPUT }),
    ...(part as Record<string, unknown>),
  }
}

const readOf = async (usage: Record<string, unknown>) => {
  const frames = [...texts(), chunk({}, "stop"), counts(usage)]
  const bytes = bytesOfFrames({ engine: "openai-compatible", frames })
  const messages = [textMessage("user", "x".repeat(8_000))]
  return (await replayStream("openai-compatible", bytes, { messages })).answer?.usage
}

test.each(ROWS)("$name is read as $count", async ({ count, name }) => {
  const value = count === "tokensInput" ? PROMPT : count === "tokensOutput" ? OUTPUT : PART
  const isHour = countOf(count).partOf === "tokensCacheWritten"
  const usage = { ...usageWith(name, value), ...(isHour && { cache_write_tokens: PART }) }
  expect((await readOf(usage))?.[count]).toBe(value)
})

test("The table has all names of all counts of a call", () => {
  const wanted = CALL_COUNT_NAMES.flatMap((count) => {
    const reads = countOf(count).reads ?? (count === "tokensInput" ? "prompt" : "completion")
    return COUNT_NAMES[reads].map((name) => ({ count, name }))
  })
  expect(ROWS).toEqual(wanted)
})

test("Of two names of one count, and of several values, the greatest counts, in any order", async () => {
  const both = { prompt_tokens: PROMPT, completion_tokens: OUTPUT, cached_tokens: 40, prompt_cache_hit_tokens: 90 }
  expect((await readOf(both))?.tokensCached).toBe(90)
  const frames = [counts(both), ...texts(), chunk({}, "stop"), counts({ ...both, prompt_cache_hit_tokens: 0 })]
  const messages = [textMessage("user", "x".repeat(8_000))]
  const { answer } = await replayStream("openai-compatible", bytesOfFrames({ engine: "openai-compatible", frames }), {
    messages,
  })
  expect(answer?.usage.tokensCached).toBe(90)
})
