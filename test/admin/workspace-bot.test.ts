import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeWorkspace, serveBotApi, workspaceActions, workspaceOf } from "../harness/admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import { createWorld, type World } from "../harness/world.ts"

const WORKSPACES = "/api/admin/workspaces"

let world: World
let estate: AdminEstate
beforeAll(async () => {
  world = await createWorld()
  estate = await createAdminEstate(world, "bots of workspaces")
})
afterAll(() => world.close())

const json = (...request: Parameters<AdminEstate["admin"]["json"]>) => estate.admin.json(...request)
const of = (id: string) => workspaceOf(estate, id)

describe("A workspace's bot", () => {
  const TOKEN = "987654:AAknown-and_secret"

  test("The bot's token is sealed, never shown, and cleared by null", async () => {
    const { workspace_id: id } = await makeWorkspace(estate)
    const path = `${WORKSPACES}/${id}/bot`
    const [, set] = await json("PUT", path, { username: "@acme_bot", token: TOKEN })
    expect(set).toMatchObject({ bot: { username: "acme_bot", has_token: true }, version: 2 })
    const [{ bot_token } = { bot_token: "" }] = await world.sql<{ bot_token: string }>(
      "select bot_token from workspaces where workspace_id = $1",
      [id],
    )
    expect(bot_token).not.toContain("known")
    expect((await json("PUT", path, { username: "acme_bot" }))[1], "no change").toMatchObject({ version: 2 })
    expect((await json("PUT", path, { username: null }))[1]).toMatchObject({
      bot: { username: null, has_token: true },
      version: 3,
    })
    expect((await json("PUT", path, { token: null }))[1]).toMatchObject({
      bot: { username: null, has_token: false },
      version: 4,
    })
    for (const wrong of [
      { token: "no colon" },
      { token: "1:a/../b" },
      { token: "" },
      { username: "a" },
      { username: "not ok!" },
    ]) {
      expect((await json("PUT", path, wrong))[0], JSON.stringify(wrong)).toBe(422)
    }
    const everywhere = await world.sql<{ text: string }>(
      "select a::text as text from audit_log a where subject_id = $1",
      [id],
    )
    expect(JSON.stringify([everywhere, await json("GET", WORKSPACES), set])).not.toContain("AAknown")
  })

  test("The test calls the platform's getMe and names the token's bot", async () => {
    const { workspace_id: id } = await makeWorkspace(estate)
    const path = `${WORKSPACES}/${id}/bot`
    expect(await json("POST", `${path}/test`)).toMatchObject([409, { code: "NO_BOT" }])
    serveBotApi(world, "known")
    await json("PUT", path, { username: "Acme_Bot", token: TOKEN })
    expect(await json("POST", `${path}/test`)).toEqual([
      200,
      { ok: true, status: 200, username: "acme_bot", name: "Acme", matches: true, message: "The bot answers." },
    ])
    await json("PUT", path, { username: "other_bot" })
    expect((await json("POST", `${path}/test`))[1]).toMatchObject({
      ok: true,
      matches: false,
      message: expect.stringContaining("@acme_bot"),
    })
    expect((await of(id)).bot.username, "a test changes no data").toBe("other_bot")
    await json("PUT", path, { token: "987654:AAother" })
    const refused = { ok: false, status: 401, username: null, name: null, matches: false }
    expect((await json("POST", `${path}/test`))[1]).toEqual({
      ...refused,
      message: "The platform answered 401: Unauthorized.",
    })
  })

  test("The test reports a platform that is down, answers with invalid data, redirects or repeats the token", async () => {
    const { workspace_id: id } = await makeWorkspace(estate)
    const path = `${WORKSPACES}/${id}/bot`
    await json("PUT", path, { token: TOKEN })
    const answers: [() => Response, object][] = [
      [
        () => {
          throw new Error(`no route for ${TOKEN}`)
        },
        { ok: false, status: null },
      ],
      [() => new Response("<html>"), { ok: false, status: 200 }],
      [() => Response.json(null), { ok: false, status: 200 }],
      [() => Response.json({ ok: true, result: {} }), { ok: false, status: 200 }],
      [
        () => new Response(null, { status: 302, headers: { location: "https://elsewhere.test/" } }),
        { ok: false, status: 302 },
      ],
      [() => new Response("x".repeat(100_000)), { ok: false, status: null }],
      [() => Response.json({ ok: false, description: `bad ${TOKEN}` }, { status: 400 }), { ok: false, status: 400 }],
    ]
    for (const [answer, expected] of answers) {
      world.serve("api.telegram.org", answer)
      const [status, outcome] = await json("POST", `${path}/test`)
      expect([status, outcome]).toMatchObject([200, expected])
      expect(JSON.stringify(outcome)).not.toContain("AAknown")
    }
    const tests = (await workspaceActions(estate, id)).filter((action) => action === "workspace.bot_test")
    expect(tests).toHaveLength(answers.length)
  })
})
