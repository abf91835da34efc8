import { describe, expect, test } from "vitest"
import { EXIT_CODES } from "../../client/cli/failures.ts"
import { elementsOf } from "../../client/cli/follow-feed.ts"
import { verifyWebhook } from "../../client/src/index.ts"
import { COMMAND_ACCESS, errorResponse, jumpingClock, openTerminal } from "../harness/terminal.ts"

describe("The feed", () => {
  const event = (n: number, more = "") =>
    `{"id":"evt_${n}","type":"ping","created_at":"2026-01-15T00:00:00.000Z","seq":null,"data":{"cost":0.0000001,"text":"a\\"],[{${more}"}}`
  const page = (bodies: string[], cursor: string | null, more = false) =>
    `{"data":[${bodies.join(",")}],"has_more":${more},"next_cursor":${JSON.stringify(cursor)}}`

  test("Events keep their bytes, whatever characters and numbers they have", () => {
    const bodies = [event(1), event(2, "\\\\"), event(3)]
    expect(elementsOf(page(bodies, "c"))).toEqual(bodies)
    expect(elementsOf(page([], null))).toEqual([])
    for (const body of bodies) expect(() => JSON.parse(body)).not.toThrow()
  })

  test("The receiver gets each event once and in order, through lost connections and its own restart", async () => {
    // Each step is an answer of the feed: a page after a cursor, or a failure.
    const feed = [
      () => new Response(page([event(1), event(2)], "after 2", true)),
      () => {
        throw new TypeError("fetch failed")
      },
      () => errorResponse(503, "UNAVAILABLE"),
      // A connection that breaks within the body: the events of this page come again.
      () => new Response(page([event(3)], "after 3").slice(0, 60)),
      () => new Response(page([event(3)], "after 3")),
      () => new Response(page([], "after 3")),
      () => new Response(page([event(4)], "after 4")),
    ]
    const cursors: (string | null)[] = []
    const taken: { body: string; id: string; init: RequestInit }[] = []
    let attempts = 0
    const fetch = async (url: string, init: RequestInit) => {
      if (url.includes("/v1/events?limit=1")) return Response.json({ data: [] })
      if (url.includes("/v1/events")) {
        cursors.push(new URL(url).searchParams.get("cursor"))
        const step = feed.shift()
        if (!step) {
          interrupt()
          throw new TypeError("fetch failed")
        }
        return step()
      }
      // The receiver restarts, then rejects once, then accepts.
      attempts++
      if (attempts === 1) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })
      if (attempts === 2) return new Response("busy", { status: 500 })
      const { "webhook-id": id } = init.headers as Record<string, string>
      taken.push({ body: init.body as string, id: id as string, init })
      return new Response(null, { status: 204 })
    }
    const secret = `whsec_${Buffer.from("a secret of this test").toString("base64")}`
    const { run, said, interrupt } = await openTerminal({
      env: { ...COMMAND_ACCESS, TURNPIKE_WEBHOOK_SECRET: secret },
      fetch,
    })
    expect(await run("listen", "--forward-to", "localhost:3000/hook")).toMatchObject({
      code: EXIT_CODES.interrupted.code,
    })
    expect(taken.map(({ id }) => id)).toEqual(["evt_1", "evt_2", "evt_3", "evt_4"])
    expect(taken.map(({ body }) => body)).toEqual([1, 2, 3, 4].map((n) => event(n)))
    expect(cursors).toEqual([null, "after 2", "after 2", "after 2", "after 2", "after 3", "after 3", "after 4"])
    expect(said.out).toContain(secret)
    expect(said.out).toMatch(/no program listens at http:\/\/localhost:3000\/hook/)
    for (const { body, init } of taken) {
      const now = new Date(Number((init.headers as Record<string, string>)["webhook-timestamp"]) * 1000)
      await expect(verifyWebhook(body, init.headers as Record<string, string>, secret, { now })).resolves.toMatchObject(
        { type: "ping" },
      )
    }
  })
})

describe("Following turns", () => {
  const empty = { data: [], has_more: false, next_cursor: null }

  /** Runs `turns tail` on a feed whose service has another time than this machine, until the script ends. */
  async function tail(script: (() => Response)[], { env = COMMAND_ACCESS, args = [] as string[] } = {}) {
    const urls: string[] = []
    const waits: number[] = []
    const clock = jumpingClock()
    const runtime = {
      ...clock,
      after(ms: number, done: () => void) {
        waits.push(ms)
        return clock.after(ms, done)
      },
    }
    const fetch = async (url: string) => {
      urls.push(url)
      const step = script.shift()
      if (step) return step()
      terminal.interrupt()
      throw new TypeError("fetch failed")
    }
    const terminal = await openTerminal({ env, fetch, runtime })
    const ended = await terminal.run("turns", "tail", ...args)
    return { ended, urls, waits }
  }
  const since = ["--since", "2026-01-14T00:00:00Z"]

  test("Ctrl-C ends `turns tail` with the exit code of an interrupt", async () => {
    const { ended } = await tail([() => Response.json(empty)], { args: since })
    expect(ended).toMatchObject({ code: EXIT_CODES.interrupted.code, err: "" })
  })

  test("The start is the service's time, from the address with its path and within the time limit of a request", async () => {
    const env = { ...COMMAND_ACCESS, TURNPIKE_BASE_URL: "https://api.test/turnpike/v1" }
    const dated = () => Response.json(empty, { headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT" } })
    const { urls, waits } = await tail([dated, () => Response.json(empty)], { env, args: ["--since", "10m"] })
    expect(urls.map((url) => new URL(url).pathname)).toEqual(Array(3).fill("/turnpike/v1/events"))
    expect(new URL(urls[1] as string).searchParams.get("created_after")).toBe("2025-12-31T23:50:00.000Z")
    expect(waits[0], "the time limit of the first request").toBe(60_000)
  })

  test("Without a response, the start is this machine's time", async () => {
    const lost = () => {
      throw new TypeError("fetch failed")
    }
    const { urls } = await tail([lost, () => Response.json(empty)], { args: ["--since", "1d"] })
    expect(new URL(urls[1] as string).searchParams.get("created_after")).toBe("2026-01-14T00:00:00.000Z")
  })

  test("A lost connection is tried again at the intervals of the client, and when the service says", async () => {
    const down = (more?: HeadersInit) => () => new Response("", { status: 503, headers: more ?? {} })
    const script = [down(), down(), down({ "retry-after": "5" }), () => new Response("{"), () => Response.json(empty)]
    const { ended, waits } = await tail(script, { args: since })
    expect(waits.filter((ms) => ms < 15_000)).toEqual([375, 750, 5_000, 3_000, 500])
    expect(ended.err.match(/Trying again/g)).toHaveLength(1)
    expect(ended.err.match(/Connected again/g)).toHaveLength(1)
  })

  test.each(["{}", '{"data":{}}', "[]", "null"])(
    "The response %s of another service is an error, and is not tried again",
    async (body) => {
      const { ended, urls } = await tail([() => new Response(body)], { args: since })
      expect(ended.code).toBe(EXIT_CODES.refused.code)
      expect(ended.err).toMatch(/UNEXPECTED_ANSWER/)
      expect(urls).toHaveLength(1)
    },
  )
})
