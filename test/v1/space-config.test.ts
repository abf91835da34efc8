import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SPACE_POLICY } from "../../src/spaces/policies.ts"
import { readJson } from "../harness/answers.ts"
import { orderTool } from "../harness/customer.ts"
import { mcpServerDefinition, toolDefinition, versionOf } from "../harness/space-config.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("The configuration of a space", () => {
  test("Tools, MCP servers, secrets and the manifest can be put, read, listed and deleted", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const at = (path: string) => `/v1/spaces/${space}/${path}`
    for (const [path, name, body] of [
      ["tools", "lookup_order", toolDefinition],
      ["mcp-servers", "docs", mcpServerDefinition],
    ] as const) {
      const whole = { name, ...body }
      expect(await readJson(client.call("PUT", at(`${path}/${name}`), body))).toEqual([200, whole])
      expect(await readJson(client.call("GET", at(`${path}/${name}`)))).toEqual([200, whole])
      expect(await readJson(client.call("GET", at(path)))).toEqual([
        200,
        { data: [whole], has_more: false, next_cursor: null },
      ])
      // A configuration that was read can be put back unchanged.
      expect(await readJson(client.call("PUT", at(`${path}/${name}`), whole))).toEqual([200, whole])
    }
    const dates = { created_at: expect.any(String), updated_at: expect.any(String) }
    expect(await readJson(client.call("PUT", at("secrets/TOKEN"), { value: "canary" }))).toEqual([
      200,
      { name: "TOKEN", ...dates },
    ])
    expect(await readJson(client.call("GET", at("secrets")))).toEqual([
      200,
      { data: [{ name: "TOKEN", ...dates }], has_more: false, next_cursor: null },
    ])
    const manifest = {
      instructions: "Be kind.",
      subagents: [{ name: "a", description: "b", model: "rehearsal/standard" }],
    }
    expect(await readJson(client.call("PUT", at("manifest"), manifest))).toEqual([200, manifest])
    expect(await readJson(client.call("GET", at("manifest")))).toEqual([200, manifest])
    expect((await readJson(client.call("GET", `/v1/spaces/${space}`)))[1]).toMatchObject({
      tools: ["lookup_order"],
      mcp_servers: ["docs"],
      config_version: 5,
    })

    const [, versions] = await readJson(client.call("GET", at("versions?limit=3")))
    expect(versions).toMatchObject({
      data: [
        { version: 5, change: "manifest" },
        { version: 4, change: "secrets/TOKEN" },
        { version: 3, change: "mcp-servers/docs" },
      ],
      has_more: true,
      next_cursor: "3",
    })
    expect((await readJson(client.call("GET", at("versions?cursor=3"))))[1]).toMatchObject({
      data: [
        { version: 2, change: "tools/lookup_order" },
        { version: 1, change: "created" },
      ],
      has_more: false,
    })
    expect((await readJson(client.call("GET", at("versions/2"))))[1]).toMatchObject({
      manifest: {},
      tools: [{ name: "lookup_order" }],
      mcp_servers: [],
    })

    for (const path of ["tools/lookup_order", "mcp-servers/docs", "secrets/TOKEN"]) {
      const name = path.split("/")[1]
      expect(await readJson(client.call("DELETE", at(path)))).toEqual([200, { name, deleted: true }])
      expect((await client.call("DELETE", at(path))).status).toBe(404)
    }
    expect((await client.call("GET", at("tools/lookup_order"))).status).toBe(404)
    expect((await client.call("GET", at("tools/constructor"))).status).toBe(404)
    expect(await versionOf(client, space)).toBe(8)
  })

  test("An equal configuration makes no new version", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { max_steps: 3 }, tools: [orderTool()] })
    await client.call("PUT", `/v1/spaces/${space}/tools/lookup_order`, toolDefinition)
    await client.call("PUT", `/v1/spaces/${space}/manifest`, { max_steps: 3 })
    expect(await versionOf(client, space)).toBe(1)
  })

  test("Twenty tools that are put concurrently are all stored, each with its own version", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const names = Array.from({ length: 20 }, (_, index) => `tool_${index}`)
    const answers = await Promise.all(
      names.map((name) => client.call("PUT", `/v1/spaces/${space}/tools/${name}`, toolDefinition)),
    )
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const [, { data }] = (await readJson(client.call("GET", `/v1/spaces/${space}/tools`))) as [
      number,
      { data: { name: string }[] },
    ]
    expect(data.map(({ name }) => name)).toEqual([...names].sort())
    expect(await versionOf(client, space)).toBe(21)
  })

  test("The number of tools and secrets is limited", async () => {
    const client = await world.createAccount()
    const tools = Array.from({ length: SPACE_POLICY.maxTools }, (_, index) => ({ ...orderTool(), name: `t${index}` }))
    const secrets = Object.fromEntries(
      Array.from({ length: SPACE_POLICY.maxSecrets }, (_, index) => [`S${index}`, "value"]),
    )
    const space = await client.space({ tools, secrets })
    const path = `/v1/spaces/${space}`
    expect((await client.call("PUT", `${path}/tools/one_more`, toolDefinition)).status).toBe(422)
    expect((await client.call("PUT", `${path}/secrets/ONE_MORE`, { value: "value" })).status).toBe(422)
    expect((await client.call("PUT", `${path}/tools/t0`, { ...toolDefinition, description: "new" })).status).toBe(200)
    expect((await client.call("PUT", `${path}/secrets/S0`, { value: "other" })).status).toBe(200)
  })
})

describe("Configurations at their limits", () => {
  test("Tools with multi-byte characters are accepted up to the limit in bytes", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const wide = { ...toolDefinition, input_schema: { type: "object", description: "語".repeat(19_000) } }
    const statuses: number[] = []
    for (let index = 0; index < 12; index++) {
      const { status } = await client.call("PUT", `/v1/spaces/${space}/tools/t${index}`, wide)
      statuses.push(status)
      expect((await client.call("GET", `/v1/spaces/${space}/tools/t${index}`)).status).toBe(status === 200 ? 200 : 404)
    }
    expect([...new Set(statuses)]).toEqual([200, 422])
  })

  test("A body that is almost a placeholder is accepted and parsed quickly", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const request = { ...toolDefinition.request, body: `{{${" ".repeat(60_000)}x` }
    const response = await client.call("PUT", `/v1/spaces/${space}/tools/t`, { ...toolDefinition, request })
    expect(response.status).toBe(200)
  })

  test("Of several concurrent puts for the last free place, one succeeds", async () => {
    const client = await world.createAccount()
    const tools = Array.from({ length: SPACE_POLICY.maxTools - 1 }, (_, index) => ({
      ...orderTool(),
      name: `t${index}`,
    }))
    const space = await client.space({ tools })
    const names = ["a", "b", "c", "d", "e", "f"]
    const put = await Promise.all(
      names.map((name) => client.call("PUT", `/v1/spaces/${space}/tools/${name}`, toolDefinition)),
    )
    const got = await Promise.all(names.map((name) => client.call("GET", `/v1/spaces/${space}/tools/${name}`)))
    expect(put.map(({ status }) => status === 200)).toEqual(got.map(({ status }) => status === 200))
    expect(put.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})
