import { generateText, isStepCount, streamText, tool } from "ai"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { failRequests } from "../client/faults.ts"
import { connected, errorOf } from "./connected.ts"

const { client, space, provider, modelOf, turnsOf } = connected()

describe("Errors", () => {
  test("A refusal is an APICallError with its status and code, and only a passing one can be retried", async () => {
    const unknown = await errorOf(
      generateText({ model: provider()("spc_unknown", { endUser: "errors" }), prompt: "Hello" }),
    )
    expect(unknown).toMatchObject({ statusCode: 404, isRetryable: false, data: { code: "NOT_FOUND" } })
    await client().endUsers.putLimits("capped", { daily_usd: 0.000001 })
    const capped = await errorOf(generateText({ model: modelOf("capped"), prompt: "Hello" }))
    expect(capped).toMatchObject({ statusCode: 429, isRetryable: false, data: { code: "QUOTA_EXCEEDED" } })
    const key = await errorOf(
      generateText({ model: provider({ apiKey: "turnpike_live_no" })(space(), { endUser: "x" }), prompt: "a" }),
    )
    expect(key).toMatchObject({ statusCode: 401, isRetryable: false })
  })

  test("A turn that fails is an error with its code and its bill, whole and in a stream", async () => {
    const prompt = "[steps 1]\n[fail OUT_OF_STOCK]"
    const error = await errorOf(generateText({ model: modelOf("failed"), prompt }))
    const [turn] = await turnsOf("failed")
    expect(error).toMatchObject({
      isRetryable: false,
      data: { code: "OUT_OF_STOCK", turnId: turn?.turn_id, costUsd: turn?.billed_cost_usd },
    })
    const errors: unknown[] = []
    const streamed = streamText({ model: modelOf("failed"), prompt, onError: ({ error }) => void errors.push(error) })
    await streamed.consumeStream()
    expect(errors).toMatchObject([{ data: { code: "OUT_OF_STOCK" } }])
    expect(await streamed.finishReason).toBe("error")
  })

  test("A call without an end user, and one with an unknown option, are refused before they are sent", async () => {
    const nobody = generateText({ model: provider()(space()), prompt: "Hello" })
    await expect(nobody).rejects.toThrow("Name the end user")
    const providerOptions = { turnpike: { maxCost: 1 } }
    const mistyped = generateText({ model: modelOf("mistyped"), prompt: "Hello", providerOptions })
    await expect(mistyped).rejects.toThrow('Turnpike has no option "maxCost"')
    expect(await turnsOf("mistyped")).toEqual([])
  })

  test("A turn that waits for a decision is an error with its id, and the same call later gets its reply", async () => {
    await client().spaces.tools.put(space(), "refund", {
      description: "Refunds an order.",
      input_schema: { type: "object" },
      request: null,
    })
    const asking = {
      model: modelOf("waits"),
      prompt: "[call refund {}]\n[reply Done.]",
      providerOptions: { turnpike: { idempotencyKey: "message-1" } },
    }
    const error = await errorOf(generateText(asking))
    expect(error).toMatchObject({ isRetryable: false, data: { code: "TURN_WAITING" } })
    const { turnId } = error.data as { turnId: string }
    const [call] = (await client().turns.get(turnId)).waiting?.calls ?? []
    await client().calls.sendResult(turnId, call?.call ?? "", { output: { refunded: true } })
    await client().turns.wait(turnId)
    expect((await generateText(asking)).text).toBe("Done.")
    expect(await turnsOf("waits")).toHaveLength(1)
  })
})

describe("Cancel and retries", () => {
  const ENDLESS = "[steps 100]\n[think 100 ms]"

  test.each(["whole", "stream"])("An abort of a %s call cancels its turn", async (kind) => {
    const abort = new AbortController()
    const endUser = `abort-${kind}`
    const asking = { model: modelOf(endUser), prompt: ENDLESS, abortSignal: abort.signal }
    const call = kind === "whole" ? generateText(asking) : streamText({ ...asking, onError: () => {} }).consumeStream()
    const settled = Promise.allSettled([call])
    await expect.poll(async () => (await turnsOf(endUser))[0]?.state).toBe("running")
    abort.abort()
    await settled
    await expect.poll(async () => (await turnsOf(endUser))[0]?.state).toBe("cancelled")
  })

  test("A reader who leaves a stream cancels its turn", async () => {
    const { stream } = await modelOf("leaves").doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: ENDLESS }] }],
    })
    await stream.cancel()
    await expect.poll(async () => (await turnsOf("leaves"))[0]?.state).toBe("cancelled")
  })

  test.each(["whole", "stream"])(
    "The AI SDK's own retry of a %s call after a lost answer makes no second turn",
    async (kind) => {
      const endUser = `retry-${kind}`
      const lossy = failRequests("answer", 1)
      const sent: string[] = []
      const model = provider({
        maxRetries: 0,
        fetch: (url, init) => {
          sent.push(new Headers(init.headers).get("idempotency-key") ?? "")
          return lossy.fetch(url, init)
        },
      })(space(), { endUser })
      const asking = { model, prompt: "Hello" }
      const text = kind === "whole" ? (await generateText(asking)).text : await streamText(asking).text
      expect(text).toBe("You said: Hello")
      expect([await turnsOf(endUser)].flat()).toHaveLength(1)
      expect(sent[0]).toBe(sent[1])
      expect((await generateText(asking)).text).toBe("You said: Hello")
      expect(await turnsOf(endUser)).toHaveLength(2)
    },
  )

  test("A call with an idempotency key that is sent again gets the turns of the first, with all its steps", async () => {
    const tools = { clock: tool({ inputSchema: z.object({}), execute: async () => "noon" }) }
    const asking = {
      model: modelOf("key"),
      prompt: "[call clock {}]",
      tools,
      stopWhen: isStepCount(3),
      providerOptions: { turnpike: { idempotencyKey: "message-7" } },
    }
    const texts = [(await generateText(asking)).text, (await generateText(asking)).text]
    expect(texts).toEqual(["clock answered: noon", "clock answered: noon"])
    expect(await turnsOf("key")).toHaveLength(2)
  })
})
