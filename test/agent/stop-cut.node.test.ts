import { expect, test } from "vitest"
import { StopCut } from "../../src/agent/stop-cut.ts"
import { createRandom } from "../harness/random.ts"

test("Text in random pieces ends exactly before the sequence that is whole first, whatever the pieces and sequences", () => {
  const random = createRandom("stop")
  const word = (most: number) =>
    Array.from({ length: random.int(most) + 1 }, () => "ab\n"[random.int(3)] as string).join("")
  for (let nth = 0; nth < 3_000; nth++) {
    const stops = Array.from({ length: random.int(4) + 1 }, () => word(4))
    const text = word(30)
    const cut = new StopCut(stops)
    let shown = ""
    for (let at = 0; at < text.length; ) {
      const length = random.int(5) + 1
      shown += cut.take(text.slice(at, at + length))
      at += length
    }
    shown += cut.end()
    // The model stops at the first character that completes a sequence; the longest one that ends there counts.
    const ended = (end: number) => stops.filter((stop) => text.slice(0, end).endsWith(stop))
    const end = Array.from({ length: text.length }, (_, at) => at + 1).find((at) => ended(at).length > 0)
    const whole = end === undefined ? text : text.slice(0, end - Math.max(...ended(end).map(({ length }) => length)))
    expect(shown, JSON.stringify({ text, stops })).toBe(whole)
  }
})
