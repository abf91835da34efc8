import { Agent, request } from "node:http"
import { parentPort } from "node:worker_threads"
import type { Job, Result } from "./load.ts"

const agent = new Agent({ keepAlive: true, maxSockets: 1024 })
let sent = 0

interface Answer {
  status: number
  text: string
}

/**
 * Sends a request. A server may close a kept connection at the moment at which it is used again, so such a request is
 * sent once more; it has the same Idempotency-Key.
 */
function call(url: URL, path: string, method: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise<Answer>((done, fail) => {
    const options = { agent, host: url.hostname, port: url.port, path, method, headers }
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      response.on("error", fail)
    })
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (outgoing.reusedSocket && error.code === "ECONNRESET") call(url, path, method, headers, body).then(done, fail)
      else fail(error)
    })
    outgoing.end(body)
  })
}

async function run(job: Job): Promise<Result> {
  const url = new URL(job.url)
  const result: Result = { samples: [], seconds: 0, failed: 0, sample: "", cores: 0 }
  const cpu = process.threadCpuUsage()
  const began = performance.now()
  const end = began + (job.seconds ?? Number.POSITIVE_INFINITY) * 1000
  let left = job.count ?? Number.POSITIVE_INFINITY
  let nth = 0

  async function client(index: number) {
    const account = job.accounts[index % job.accounts.length]
    if (!account) throw new Error("A job needs an account.")
    const authorization = `Bearer ${account.key}`
    while (left-- > 0 && performance.now() < end) {
      if (job.perMinute) await untilMoment(began + (nth++ * 60_000) / job.perMinute)
      const started = performance.now()
      const id = `${job.prefix}-${sent++}`
      const get = job.paths?.[sent % job.paths.length]
      const body = JSON.stringify({ space: account.space, end_user_ref: id, text: job.text ?? "Where is my order?" })
      const answer = get
        ? await call(url, get, "GET", { authorization })
        : await call(url, "/v1/turns", "POST", post(authorization, id, body), body)
      result.samples.push(performance.now() - started)
      if (answer.status >= 300) {
        result.failed++
        result.sample = answer.text
      }
    }
  }
  await Promise.all(Array.from({ length: job.clients }, (_, index) => client(index)))
  result.seconds = (performance.now() - began) / 1000
  const { user, system } = process.threadCpuUsage(cpu)
  result.cores = (user + system) / 1e6 / result.seconds
  return result
}

const untilMoment = (at: number) => new Promise((done) => setTimeout(done, Math.max(0, at - performance.now())))

function post(authorization: string, id: string, body: string): Record<string, string> {
  return {
    authorization,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "idempotency-key": id,
  }
}

parentPort?.on("message", async (job: Job) => {
  try {
    parentPort?.postMessage({ result: await run(job) })
  } catch (error) {
    parentPort?.postMessage({ error: String(error) })
  }
})
