import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { eventStream } from "../../src/http/event-stream.ts"
import { BODY_POLICY } from "../../src/http/policies.ts"
import { textStream } from "../../src/http/text-stream.ts"
import type { Clock } from "../../src/platform/clock.ts"
import { createTestClock } from "../harness/clock.ts"

const MiB = 1024 * 1024
const READERS = 50
const PIECE = "x".repeat(64 * 1024)

const clock = createTestClock()
const about = { log: () => {}, clock: clock as Clock }
/** Per kind of answer: the bytes that were generated, and the number of answers that have ended. */
const made = { text: { bytes: 0, ended: 0 }, events: { bytes: 0, ended: 0 } }
type Kind = keyof typeof made

/** Answers without an end, as fast as their reader takes them. */
async function* pieces<T>(kind: Kind, piece: T) {
  try {
    for (;;) {
      made[kind].bytes += PIECE.length
      yield piece
    }
  } finally {
    made[kind].ended++
  }
}

const endless: Record<Kind, () => Response> = {
  text: () => textStream(pieces("text", PIECE), about, {}),
  events: () =>
    eventStream(pieces("events", [{ id: "1", event: { type: "text", text: PIECE } }]), {
      ...about,
      onCancel: () => {},
    }),
}

let server: Server
let port: number
beforeAll(async () => {
  server = createServer((request, response) => {
    const kind = request.url?.slice(1) as Kind
    if (!(kind in endless)) return response.end("ok")
    const { body } = endless[kind]()
    if (body)
      Readable.fromWeb(body as never)
        .on("error", () => response.destroy())
        .pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

/** A client that sends a request and reads only the first bytes of the answer. */
async function askAndStall(kind: Kind): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  socket.write(`GET /${kind} HTTP/1.1\r\nHost: here\r\n\r\n`)
  await new Promise((resolve) => socket.once("readable", resolve))
  return socket
}

/** Waits until no more of the answers is generated. */
async function settled(kind: Kind) {
  for (let before = -1; before !== made[kind].bytes; ) {
    before = made[kind].bytes
    for (let n = 0; n < 20; n++) await fetch(`http://127.0.0.1:${port}/me`).then((response) => response.text())
  }
}

describe.each(["text", "events"] as const)("An endless answer of %s without a reader", (kind) => {
  test(`The answer costs ${READERS} sockets' buffers, no work while others are answered, and ends after half a minute`, async () => {
    const sockets = await Promise.all(Array.from({ length: READERS }, () => askAndStall(kind)))
    await settled(kind)
    for (let n = 0; n < 50; n++) expect(await (await fetch(`http://127.0.0.1:${port}/me`)).text()).toBe("ok")
    expect(made[kind].bytes / READERS, "no data is generated for clients that do not read").toBeLessThan(8 * MiB)
    expect(made[kind].ended).toBe(0)
    await clock.advance(BODY_POLICY.idleMs)
    await settled(kind)
    expect(made[kind].ended).toBe(READERS)
    for (const socket of sockets) socket.destroy()
  })
})
