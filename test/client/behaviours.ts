import { beforeAll, describe, expect, test } from "vitest"
import {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  QuotaExceededError,
  TimeoutError,
  type TurnEvent,
  Turnpike,
  type TurnpikeOptions,
  ValidationError,
} from "../../client/src/index.ts"
import type { Demo } from "../../src/local/demo.ts"
import { administrationTests } from "./administration.ts"
import { cutStreams, failRequests, hurried } from "./faults.ts"

const END_USER = { end_user_ref: "customer-1" }
/** A turn that runs for minutes, with a boundary every 100 ms at which it can be cancelled. */
const ENDLESS = "[steps 100]\n[think 100 ms]"

/** Tests the client against a running service, with the same tests in every runtime. */
export function describeClient(runtime: string, connect: () => Promise<Demo>) {
  describe(`The client in ${runtime}`, () => {
    let demo: Demo
    let turnpike: Turnpike
    let space: string
    const clientWith = (options: TurnpikeOptions) =>
      new Turnpike({ apiKey: demo.api_key, baseUrl: demo.base_url, ...options })

    beforeAll(async () => {
      demo = await connect()
      turnpike = clientWith({})
      space = (await turnpike.spaces.create({ title: `The client in ${runtime}` })).space_id
    })

    administrationTests(() => ({ turnpike, space }))

    test("The client shows the key's identity and its remaining credit", async () => {
      const { key, balance } = await turnpike.me()
      expect(key).toMatchObject({ scope: "all", test: false })
      expect(balance?.available_usd).toBeGreaterThan(0)
      expect(await turnpike.balance()).toEqual(balance)
    })

    test("The client also accepts a base URL that ends with /v1", async () => {
      expect((await clientWith({ baseUrl: `${demo.base_url}/v1/` }).me()).key.scope).toBe("all")
    })

    test("The client runs a turn to its end and reports its events", async () => {
      const seqs: number[] = []
      const types = new Set<string>()
      const text = "[steps 2]\n[stream 5 ms]\n[reply It left this morning.]"
      const turn = await turnpike.turns.run(
        { space, ...END_USER, text },
        {
          onEvent(event) {
            seqs.push(event.seq)
            types.add(event.type)
          },
        },
      )
      expect(turn).toMatchObject({ state: "done", result: "It left this morning.", held_usd: 0 })
      expect(turn.billed_cost_usd).toBeGreaterThan(0)
      // Pieces of text have the number of the event before them.
      expect([...new Set(seqs)]).toEqual(Array.from({ length: seqs.at(-1) ?? 0 }, (_, index) => index + 1))
      for (const type of ["turn.queued", "turn.running", "step.ended", "turn.done"]) expect(types).toContain(type)
    })

    test("The client returns a failed turn as a turn", async () => {
      const turn = await turnpike.turns.run({ space, ...END_USER, text: "[fail OUT_OF_STOCK]" })
      expect(turn).toMatchObject({ state: "failed", error: { code: "OUT_OF_STOCK" } })
    })

    test("The client streams the text during its generation", async () => {
      const text = "[stream 20 ms]\n[reply One two three four five six seven eight.]"
      const stream = turnpike.turns.stream({ space, end_user_ref: "streamed", text })
      const events: TurnEvent[] = []
      for await (const event of stream) events.push(event)
      const last = events.at(-1)
      expect(last?.type).toBe("turn.done")
      const turn = await stream.result()
      expect(turn.result).toBe("One two three four five six seven eight.")
      expect((await stream.accepted()).turn_id).toBe(turn.turn_id)
      expect(await turnpike.turns.events(turn.turn_id, { afterSeq: last?.seq ?? 0 }).next()).toMatchObject({
        done: true,
      })
    })

    test("The client makes one turn, whichever request or answer is lost", async () => {
      for (const lost of ["request", "answer", "unavailable"] as const) {
        const faults = failRequests(lost, 2)
        const careful = clientWith({ fetch: faults.fetch, runtime: hurried })
        const end_user_ref = `lost-${lost}`
        const turn = await careful.turns.create({ space, end_user_ref, text: "Once?" })
        expect(faults.seen).toHaveLength(3)
        expect(new Set(faults.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
        const made = await turnpike.turns.list({ space, end_user_ref }).toArray()
        expect(made.map(({ turn_id }) => turn_id)).toEqual([turn.turn_id])
      }
    })

    test("The client resumes a turn by the caller's own key", async () => {
      const body = { space, ...END_USER, text: "Again?" }
      const options = { idempotencyKey: `job-${crypto.randomUUID()}` }
      const first = await turnpike.turns.create(body, options)
      expect((await turnpike.turns.run(body, options)).turn_id).toBe(first.turn_id)
      const other = turnpike.turns.create({ ...body, text: "Else?" }, options)
      await expect(other).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", status: 422 })
    })

    test("The client follows events over broken connections, each seq once", async () => {
      const cut = cutStreams(400)
      const patient = clientWith({ fetch: cut.fetch, maxRetries: 5, runtime: hurried })
      const { turn_id } = await turnpike.turns.create({ space, ...END_USER, text: "[steps 4]\n[reply Done.]" })
      const seqs: number[] = []
      for await (const event of patient.turns.events(turn_id)) seqs.push(event.seq)
      const all = await turnpike.turns.listEvents(turn_id, { limit: 3 }).toArray()
      expect(all.at(-1)?.type).toBe("turn.done")
      expect(seqs).toEqual(all.map(({ seq }) => seq))
      expect(cut.streams()).toBeGreaterThan(2)
    })

    test("The client decides about a call that waits, and works on it as a worker without an address", async () => {
      const { space_id } = await turnpike.spaces.create({ title: `Waits in ${runtime}` })
      const tool = {
        description: "Picks.",
        input_schema: { type: "object" },
        request: null,
        approval: "always",
      } as const
      await turnpike.spaces.tools.put(space_id, "pick", tool)
      const stopping = new AbortController()
      const inputs: unknown[] = []
      const working = turnpike.calls.work(
        async ({ input }) => {
          inputs.push(input)
          return { picked: true }
        },
        { signal: stopping.signal, space: space_id, tools: ["pick"] },
      )
      const turn = await turnpike.turns.run(
        { space: space_id, ...END_USER, text: '[call pick {"sku":"S"}]' },
        {
          onWaiting: async ({ turn_id, waiting }) => {
            for (const { call } of waiting?.for === "approval" ? waiting.calls : []) {
              await turnpike.calls.decide(turn_id, call, { decision: "allow", input: { sku: "T" } })
            }
          },
        },
      )
      stopping.abort()
      await working
      expect(inputs).toEqual([{ sku: "T" }])
      expect(turn).toMatchObject({ state: "done", waiting: null })
      expect(turn.result).toContain('{"picked":true}')
      const late = turnpike.calls.sendResult(turn.turn_id, "0.0", { output: "again" })
      await expect(late).rejects.toMatchObject({ code: "TURN_FINISHED", status: 409 })
    })

    test("The client cancels a turn and reports when it is too late", async () => {
      const slow = await turnpike.turns.create({ space, end_user_ref: "slow", text: ENDLESS })
      await turnpike.turns.cancel(slow.turn_id)
      const done = await turnpike.turns.run({ space, ...END_USER, text: "Quick." })
      const late = turnpike.turns.cancel(done.turn_id)
      await expect(late).rejects.toBeInstanceOf(ConflictError)
      await expect(late).rejects.toMatchObject({ code: "TURN_FINISHED", status: 409, retryable: false })
    })

    test("The client stops waiting, and cancels the turn if the caller asks for it", async () => {
      const late = turnpike.turns.run(
        { space, end_user_ref: "late", text: ENDLESS },
        { timeoutMs: 500, cancelOnAbort: true },
      )
      await expect(late).rejects.toBeInstanceOf(TimeoutError)
      const { details } = (await late.catch((error: unknown) => error)) as { details: { turn_id: string } }
      expect((await turnpike.turns.wait(details.turn_id)).state).toBe("cancelled")

      const reason = new Error("the customer has gone")
      const gone = new AbortController()
      const seen: TurnEvent[] = []
      const abandoned = turnpike.turns.run(
        { space, end_user_ref: "gone", text: ENDLESS },
        {
          signal: gone.signal,
          onEvent(event) {
            seen.push(event)
            gone.abort(reason)
          },
        },
      )
      await expect(abandoned).rejects.toBe(reason)
      expect(seen).toHaveLength(1)
      const [turn] = await turnpike.turns.list({ space, end_user_ref: "gone" }).toArray()
      expect(turn?.state).toMatch(/queued|running/)
      await turnpike.turns.cancel(turn?.turn_id ?? "")
    })

    test("The client reads a list page by page, each item once", async () => {
      const end_user_ref = `listed-${crypto.randomUUID()}`
      const sent: string[] = []
      for (let count = 0; count < 5; count++) {
        sent.unshift((await turnpike.turns.create({ space, end_user_ref, text: `Turn ${count}` })).turn_id)
      }
      const list = turnpike.turns.list({ end_user_ref, limit: 2 })
      const found: string[] = []
      for await (const turn of list) found.push(turn.turn_id)
      expect(found.sort()).toEqual(sent.sort())
      const first = await list.page()
      expect(first).toMatchObject({ has_more: true, data: { length: 2 } })
      expect((await list.page(first.next_cursor ?? "")).data).toHaveLength(2)
      expect(await list.toArray(3)).toHaveLength(3)
    })

    test("The client uploads, attaches, downloads and deletes files", async () => {
      const bytes = new TextEncoder().encode("Order A-1, paid.")
      const forms = {
        text: "Order A-1, paid.",
        bytes,
        blob: new Blob([bytes], { type: "text/markdown" }),
        stream: new Blob([bytes]).stream(),
      }
      for (const [name, data] of Object.entries(forms)) {
        const file = await turnpike.files.upload(space, { name: `${name} ü.txt`, data })
        expect(file).toMatchObject({ name: `${name} ü.txt`, bytes: bytes.length })
        expect(file.media_type).toMatch(name === "blob" ? /^text\/markdown/ : /^text\/plain/)
        expect(await (await turnpike.files.content(file.file_id)).text()).toBe("Order A-1, paid.")
      }
      const [file] = await turnpike.files.list(space).toArray(1)
      const fileId = file?.file_id ?? ""
      expect(await turnpike.files.get(fileId)).toEqual(file)
      const part = await turnpike.files.content(fileId, { range: { start: 6, end: 8 } })
      expect([part.status, await part.text()]).toEqual([206, "A-1"])
      const turn = await turnpike.turns.run({ space, ...END_USER, text: "Read it.", files: [fileId] })
      expect(turn.files).toEqual([fileId])
      expect(await turnpike.files.delete(fileId)).toMatchObject({ file_id: fileId, deleted: true })
      await expect(turnpike.files.get(fileId)).rejects.toBeInstanceOf(NotFoundError)
    })

    test("The client makes a token with which a browser watches a turn", async () => {
      const { turn_id, result } = await turnpike.turns.run({ space, ...END_USER, text: "Watch me." })
      const { url } = await turnpike.turns.createWatchToken(turn_id, { expires_in: 60 })
      const stream = await (await fetch(url, { headers: { accept: "text/event-stream" } })).text()
      expect(stream).toContain(`"data":${JSON.stringify({ state: "done", result })}`)
    })

    test("The client opens the portal for an end user", async () => {
      const { url, expires_at } = await turnpike.endUsers.createPortalSession(END_USER.end_user_ref, {
        scopes: ["usage"],
      })
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.now())
      expect((await fetch(url)).status).toBe(200)
    })

    test("The client distinguishes errors and keeps all details of the service", async () => {
      const wrong = clientWith({ apiKey: `${demo.api_key.slice(0, -1)}${demo.api_key.endsWith("0") ? 1 : 0}` }).me()
      await expect(wrong).rejects.toBeInstanceOf(AuthenticationError)
      await expect(wrong).rejects.toMatchObject({ code: "INVALID_API_KEY", status: 401 })
      const absent = turnpike.turns.get("turn_00000000000000000000000000")
      await expect(absent).rejects.toBeInstanceOf(NotFoundError)
      await expect(absent).rejects.toMatchObject({ requestId: expect.stringMatching(/^req_/) })
      const invalid = turnpike.turns.create({ space, ...END_USER, text: "" })
      await expect(invalid).rejects.toBeInstanceOf(ValidationError)
      await expect(invalid).rejects.toMatchObject({ param: "text", retryable: false })
      expect(((await invalid.catch((error: unknown) => error)) as ValidationError).details).toEqual([
        { param: "text", message: "must not be empty" },
      ])
    })

    test("The client reports a limit's remainder, before and at a refusal", async () => {
      const end_user_ref = `limited-${crypto.randomUUID()}`
      const body = { space, end_user_ref, text: "How much is left?" }
      expect(await turnpike.turns.estimate(body)).toMatchObject({ admitted: true, refused_by: null, caps: [] })
      const { caps } = await turnpike.endUsers.putLimits(end_user_ref, { daily_usd: 0.01 })
      expect(caps).toMatchObject([{ cap: "end_user_daily", source: "end_user", limit_usd: 0.01, left_usd: 0.01 }])
      expect(await turnpike.turns.estimate(body)).toMatchObject({ admitted: true, hold_usd: 0.01, caps })
      const turn = await turnpike.turns.run(body)
      const { billed_cost_usd: spent_usd } = turn
      expect((await turnpike.endUsers.get(end_user_ref)).caps).toMatchObject([{ spent_usd, reserved_usd: 0 }])

      await turnpike.endUsers.putLimits(end_user_ref, { daily_usd: spent_usd })
      const { admitted, refused_by } = await turnpike.turns.estimate(body)
      expect([admitted, refused_by?.code]).toEqual([false, "QUOTA_EXCEEDED"])
      const refused = turnpike.turns.create(body, { maxRetries: 0 })
      await expect(refused).rejects.toBeInstanceOf(QuotaExceededError)
      const { details, retryAfter } = (await refused.catch((error: unknown) => error)) as QuotaExceededError
      expect(details).toEqual(refused_by?.details)
      expect(details.left_usd).toBe(0)
      // Some time has passed between the two.
      expect(Math.abs((retryAfter ?? 0) - (refused_by?.retry_after ?? 0))).toBeLessThan(30)

      expect((await turnpike.me()).caps, "the demo's key has no limit").toEqual([])
    })

    test("The client keeps test data to test keys", async () => {
      const rehearsing = clientWith({ apiKey: demo.test_key })
      await expect(rehearsing.spaces.get(space)).rejects.toBeInstanceOf(NotFoundError)
      expect((await rehearsing.me()).key.test).toBe(true)
    })
  })
}
