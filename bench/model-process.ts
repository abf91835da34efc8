import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { answerBench } from "./child.ts"

/** The number of pieces of text in each answer, and the duration of its stream. */
export interface ModelQuestion {
  pieces: number
  ms: number
  /** True: each piece is the time at which it is sent, in Unix ms. */
  isStamped?: boolean
}

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: "bench", object: "chat.completion.chunk", created: 1, model: "bench", ...fields })}\n\n`

const piece = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const stamp = () => (performance.timeOrigin + performance.now()).toFixed(1)

const END =
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 400, total_tokens: 500 } }) +
  "data: [DONE]\n\n"

let answer: ModelQuestion = { pieces: 1, ms: 0 }

/** A model server for chat completions that streams every answer in pieces. */
const server = createServer((request, response) => {
  request.resume().on("end", async () => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const { pieces, ms, isStamped = false } = answer
    const began = performance.now()
    for (let nth = 0; nth < pieces && !response.destroyed; nth++) {
      response.write(piece(isStamped ? `${stamp()} ` : `word${nth} `))
      const wait = began + ((nth + 1) * ms) / pieces - performance.now()
      if (wait > 1) await sleep(wait)
    }
    response.end(END)
  })
})
const listening = new Promise<string>((done) => {
  server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))
})

answerBench(
  (question: ModelQuestion) => {
    answer = question
    return listening
  },
  async () => {
    server.closeAllConnections()
    server.close()
  },
)
