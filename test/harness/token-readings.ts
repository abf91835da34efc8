import type { RecordedStream } from "./recorded.ts"

/** The least and the greatest number of tokens that the counts of some frames can mean. */
export interface Readings {
  input: [least: number, greatest: number]
  output: [least: number, greatest: number]
}

const KINDS = {
  input: /^(prompt|input)(_tokens|Tokens|TokenCount|_n|_eval_count)$/,
  output: /^((completion|output|candidates)(_tokens|Tokens|TokenCount)|predicted_n|eval_count)$/,
  total: /^total(_tokens|Tokens|TokenCount)$/,
  reasoning: /reasoning|thoughts|thinking|prediction/,
  extra: /token|cache_n$/i,
}
type Kind = keyof typeof KINDS

/**
 * Reads the frames of a stream without knowledge of any provider: the least reading of a count is its greatest value
 * alone, and the greatest adds all further counts, or takes what a total leaves.
 */
export function readingsOf(frames: RecordedStream["frames"]): Readings {
  const most = new Map<string, { kind: Kind; count: number }>()
  const visit = (value: unknown, isStart: boolean): void => {
    if (typeof value !== "object" || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      visit(inner, isStart)
      const kind = (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind].test(name))
      // The first event of a message has the output before the answer.
      if (typeof inner !== "number" || kind === undefined || (isStart && kind === "output")) continue
      most.set(name, { kind, count: Math.max(inner, most.get(name)?.count ?? 0) })
    }
  }
  for (const frame of frames)
    visit(frame, typeof frame === "object" && "type" in frame && frame.type === "message_start")
  const counts = (kind: Kind) => [...most.values()].filter((seen) => seen.kind === kind).map(({ count }) => count)
  const greatest = (kind: Kind) => Math.max(0, ...counts(kind))
  const sum = (kind: Kind) => counts(kind).reduce((all, count) => all + count, 0)
  const [input, output, total] = [greatest("input"), greatest("output"), greatest("total")]
  return {
    input: [input, Math.max(input + sum("extra"), total - output)],
    output: [output, Math.max(output + sum("reasoning"), total - input)],
  }
}
