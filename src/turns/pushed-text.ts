import * as z from "zod"
import type { Context } from "../actor/context.ts"

/** The text of one model call from a position on. `of`: the event that started the call. Lengths are UTF-16 units. */
const pieceSchema = z.object({
  id: z.string(),
  of: z.string(),
  step: z.int(),
  /** The sub-agent of the call, and the call of a tool that has begun it; missing for the turn's own agent. */
  agent: z.string().optional(),
  delegated_by: z.string().optional(),
  at: z.int(),
  text: z.string(),
  time: z.int(),
})

export type TextPieceOfCall = z.infer<typeof pieceSchema>

/** A running turn's message to its readers: a piece of text, or null if its log has grown. */
export type Push = TextPieceOfCall | null

/** A message opens only for its turn. Channels store nothing, so no row is sealed. */
const targetOf = (turnId: string) => ({ table: "pushed_text", column: "piece", row: turnId, owner: "" })

const channelOf = (turnId: string) => `turn:${turnId}`

/** Tells the readers of a turn. Returns how many listen. Throws UNAVAILABLE without Redis. */
export async function publishPush(
  { channels, keyRing }: Pick<Context, "channels" | "keyRing">,
  turnId: string,
  push: Push,
): Promise<number> {
  const message = await keyRing.seal(JSON.stringify(push), targetOf(turnId))
  const [listeners = 0] = await channels.publish([{ channel: channelOf(turnId), message }])
  return listeners
}

/** The messages of a turn from now on. A message that does not open was not made for this turn, and is dropped. */
export async function subscribeToPushes(
  { channels, keyRing }: Pick<Context, "channels" | "keyRing">,
  turnId: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<Push>> {
  const sealed = await channels.subscribe(channelOf(turnId), signal)
  return (async function* () {
    for await (const message of sealed) {
      const opened = await keyRing.open(message, targetOf(turnId)).catch(() => null)
      if (opened) yield pieceSchema.nullable().parse(JSON.parse(opened.text))
    }
  })()
}

/** On this channel, readers tell a worker that they read one of its turns. */
const bellOf = (workerId: string) => `bell:${workerId}`
const bellTarget = (workerId: string) => ({ table: "pushed_text", column: "bell", row: workerId, owner: "" })

/** Tells the worker of a turn that a reader has subscribed to it. Throws UNAVAILABLE without Redis. */
export async function ringBell(
  { channels, keyRing }: Pick<Context, "channels" | "keyRing">,
  workerId: string,
  turnId: string,
): Promise<void> {
  const message = await keyRing.seal(turnId, bellTarget(workerId))
  await channels.publish([{ channel: bellOf(workerId), message }])
}

/** The turns of a worker to which readers come from now on. */
export async function subscribeToBell(
  { channels, keyRing }: Pick<Context, "channels" | "keyRing">,
  workerId: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const sealed = await channels.subscribe(bellOf(workerId), signal)
  return (async function* () {
    for await (const message of sealed) {
      const opened = await keyRing.open(message, bellTarget(workerId)).catch(() => null)
      if (opened) yield opened.text
    }
  })()
}
