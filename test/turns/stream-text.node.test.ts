import { expect, test } from "vitest"
import type { Context } from "../../src/actor/context.ts"
import { openTextStream } from "../../src/runs/stream-text.ts"

test.each([true, false])(
  "The rest of a text is in the log if a reader keeps a piece of it (%s), also if the call's start came later",
  async (isShown) => {
    const clock = { now: () => new Date(0), sleep: (_ms: number, signal: AbortSignal) => ended(signal) }
    const push = { begin() {}, add() {}, retry() {}, end() {}, tellGrown() {}, hasReaders: false, isShown }
    const turn = { turn_id: "turn_1", epoch: 1, stream_until: null }
    const call = { model: "m", attempt: 0, leftOut: [], settings: {}, push }
    const stream = openTextStream({ clock } as unknown as Context, turn, { step: 0 }, call)
    stream.onText("It left this morning.")
    const types = (await stream.finish()).map(({ type }) => type)
    expect(types).toEqual(isShown ? ["step.started", "text.delta"] : ["step.started"])
  },
)

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
