import { expect, test } from "vitest"
import { NotFoundError, type Turnpike } from "../../client/src/index.ts"

/** The configuration and lookups of a customer's server, apart from its turns. */
export function administrationTests(get: () => { turnpike: Turnpike; space: string }) {
  test("The client configures a space", async () => {
    const { turnpike } = get()
    const { space_id } = await turnpike.spaces.create({ title: "Support", metadata: { desk: "1" } })
    expect(await turnpike.spaces.get(space_id)).toMatchObject({ title: "Support", metadata: { desk: "1" } })

    await turnpike.spaces.manifest.put(space_id, { instructions: "Be brief." })
    expect(await turnpike.spaces.manifest.get(space_id)).toEqual({ instructions: "Be brief." })

    const { secrets, tools, mcpServers, versions } = turnpike.spaces
    expect(await secrets.put(space_id, "TOKEN", { value: "a-secret-value" })).toMatchObject({ name: "TOKEN" })
    expect((await secrets.list(space_id).toArray()).map(({ name }) => name)).toEqual(["TOKEN"])

    const request = { method: "GET" as const, url: "http://localhost:9/document" }
    const tool = { description: "Reads the document.", input_schema: { type: "object" }, request }
    expect(await tools.put(space_id, "read_document", tool)).toEqual({ name: "read_document", ...tool })
    expect(await tools.get(space_id, "read_document")).toEqual({ name: "read_document", ...tool })
    expect(await tools.list(space_id).toArray()).toHaveLength(1)
    expect(await tools.test(space_id, "read_document")).toMatchObject({ ok: false, request: { method: "GET" } })

    const server = { url: "http://localhost:9/mcp" }
    expect(await mcpServers.put(space_id, "docs", server)).toEqual({ name: "docs", ...server })
    expect(await mcpServers.get(space_id, "docs")).toEqual({ name: "docs", ...server })
    expect(await mcpServers.check(space_id, "docs")).toMatchObject({ ok: false, tools: [] })
    expect(await mcpServers.delete(space_id, "docs")).toEqual({ name: "docs", deleted: true })
    expect(await mcpServers.list(space_id).toArray()).toEqual([])

    await tools.delete(space_id, "read_document")
    await secrets.delete(space_id, "TOKEN")
    const history = await versions.list(space_id, { limit: 2 }).toArray()
    expect(history.map(({ change }) => change).at(-1)).toBe("created")
    expect(history).toHaveLength(history[0]?.version ?? 0)
    expect((await versions.get(space_id, 2)).manifest).toEqual({ instructions: "Be brief." })
  })

  test("The client lists, changes and archives spaces", async () => {
    const { turnpike } = get()
    const title = `Archive ${crypto.randomUUID()}`
    const { space_id } = await turnpike.spaces.create({ title })
    expect(await turnpike.spaces.list({ q: title }).toArray()).toMatchObject([{ space_id }])
    expect(await turnpike.spaces.update(space_id, { metadata: { desk: "2" } })).toMatchObject({ title })
    expect(await turnpike.spaces.archive(space_id)).toMatchObject({ archived: true, metadata: { desk: "2" } })
    expect(await turnpike.spaces.list({ q: title }).toArray()).toEqual([])
  })

  test("The client reports bills and limits, erases customers, and lists models", async () => {
    const { turnpike, space } = get()
    const end_user_ref = `billed-${crypto.randomUUID()}`
    const turn = await turnpike.turns.run({ space, end_user_ref, text: "What do I cost?" })
    const query = { group_by: "end_user_ref" as const, end_user_ref: [end_user_ref, "somebody-else"] }
    const { total } = await turnpike.usage.get(query)
    expect(total).toMatchObject({ billed_usd: turn.billed_cost_usd, turns: 1 })
    const [group] = await turnpike.usage.groups(query).toArray()
    expect(group).toMatchObject({ group: end_user_ref, billed_usd: turn.billed_cost_usd })
    expect(await (await turnpike.usage.csv(query)).text()).toContain(end_user_ref)
    expect(await turnpike.endUsers.putLimits(end_user_ref, { daily_usd: 1 })).toMatchObject({
      billed_usd: turn.billed_cost_usd,
      limits: { daily_usd: 1 },
    })
    expect((await turnpike.endUsers.list().toArray(5)).map((one) => one.end_user_ref)).toContain(end_user_ref)
    expect((await turnpike.endUsers.export(end_user_ref)).turns).toMatchObject([{ text: "What do I cost?" }])
    const { erasure_id } = await turnpike.endUsers.erase(end_user_ref)
    expect(await turnpike.endUsers.getErasure(erasure_id)).toMatchObject({ end_user_ref, turns: 1 })
    expect((await turnpike.endUsers.get(end_user_ref)).billed_usd).toBe(turn.billed_cost_usd)

    const pins = (await turnpike.models.list().toArray()).map(({ pin }) => pin)
    expect(pins).toContain(turn.model)
  })

  test("The client registers webhooks and reads missed events from the feed", async () => {
    const { turnpike, space } = get()
    const { webhooks, deliveries, events } = turnpike
    const made = await webhooks.create({ url: "http://localhost:9/hooks", events: ["turn.done"] })
    const { webhook_id } = made
    expect(made.secret).toMatch(/^whsec_/)
    expect(await webhooks.update(webhook_id, { description: "Nobody listens." })).toMatchObject({ enabled: true })
    expect((await webhooks.rotateSecret(webhook_id)).secret).not.toBe(made.secret)
    expect(await webhooks.get(webhook_id)).not.toHaveProperty("secret")
    expect((await webhooks.list().toArray()).map((one) => one.webhook_id)).toContain(webhook_id)

    const since = (await turnpike.spaces.get(space)).created_at
    const turn = await turnpike.turns.run({ space, end_user_ref: "told", text: "Tell them." })
    const inOrder = () => events.list({ turn: turn.turn_id, order: "asc" }).toArray()
    const types = async () => (await inOrder()).map(({ type }) => type)
    // The feed shows an event once no older transaction is open.
    await expect.poll(types).toEqual(["turn.queued", "turn.running", "turn.done"])
    const told = await inOrder()
    expect(await events.get(told[2]?.id ?? "")).toEqual(told[2])
    expect(told[2]?.data).toMatchObject({ turn: { result: turn.result } })

    const ping = await webhooks.test(webhook_id)
    expect(await deliveries.get(ping.delivery_id)).toMatchObject({ event_type: "ping", webhook_id })
    const pending = await webhooks.deliveries(webhook_id, { turn: turn.turn_id }).toArray()
    expect(pending).toMatchObject([{ event_type: "turn.done", event_id: told[2]?.id }])
    expect(await webhooks.replay(webhook_id, { from: since })).toMatchObject({ has_more: false })
    await webhooks.delete(webhook_id)
    await expect(deliveries.redeliver(ping.delivery_id)).rejects.toBeInstanceOf(NotFoundError)
  })

  test("The client reads receipts and statements, and starts and stops the export of charges", async () => {
    const { turnpike, space } = get()
    const { turn_id, billed_cost_usd } = await turnpike.turns.run({ space, end_user_ref: "proven", text: "Prove it." })
    const { receipt, refund } = await turnpike.turns.receipt(turn_id)
    expect([Number(receipt.document.total_usd), refund]).toEqual([billed_cost_usd, null])
    const month = receipt.document.ended_at.slice(0, 7)
    const months = await turnpike.usage.statements().toArray()
    expect(months.map((one) => one.month)).toContain(month)
    expect(await turnpike.usage.statement(month)).toMatchObject({ month })
    const documents = await turnpike.usage.documents(month, { limit: 100 }).toArray()
    expect(documents.map(({ digest }) => digest)).toContain(receipt.digest)
    expect(await turnpike.usage.putExport({ enabled: true })).toEqual(await turnpike.usage.getExport())
    expect(await turnpike.usage.putExport({ enabled: false })).toMatchObject({ enabled: false })
  })
}
