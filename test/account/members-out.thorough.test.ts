import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { CHAT, giveCredit, type Session, type Shared, SPACES, shareSpace, WORKSPACES } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const upload = (browser: Session, space: string, name: string, text = "some bytes") =>
  browser.json("POST", `${SPACES}/${space}/files?name=${name}`, text, { "content-type": "text/plain" })

/** Every operation of a member on a space, as a path and its answer. */
async function reach(browser: Session, space: string, { turn, file }: { turn: string; file: string }) {
  const files = `${SPACES}/${space}/files`
  const statuses: Record<string, number> = {}
  for (const [method, path, body] of [
    ["GET", `${SPACES}/${space}`],
    ["GET", `${SPACES}/${space}/spend`],
    ["GET", files],
    ["GET", `${files}/${file}`],
    ["GET", `${files}/${file}/content`],
    ["GET", `${CHAT}/${turn}`],
    ["GET", `/api/account/turns/${turn}`],
    ["GET", `/api/account/turns/${turn}/events`],
    ["POST", `/api/account/turns/${turn}/cancel`],
    ["POST", CHAT, { space, text: "hello" }],
    ["PATCH", `${SPACES}/${space}`, { metadata: {} }],
    ["PUT", `${SPACES}/${space}/manifest`, {}],
  ] as [string, string, object?][]) {
    statuses[`${method} ${path}`] = (await browser.call(method, path, body)).status
  }
  statuses.upload = (await upload(browser, space, "more.txt"))[0]
  statuses.delete = (await browser.call("DELETE", `${files}/${file}`)).status
  return statuses
}

async function use(browser: Session, space: string) {
  const [, turn] = await browser.json("POST", CHAT, { space, text: "hello" })
  const [, file] = await upload(browser, space, "mine.txt")
  await world.drain()
  return { turn: turn.turn_id as string, file: file.file_id as string }
}

const ENDS: Record<string, [keyof Shared["people"], (shared: Shared) => Promise<unknown>]> = {
  "removed from the workspace": [
    "member",
    ({ admin, workspaceId, people }) =>
      admin.json("DELETE", `${WORKSPACES}/${workspaceId}/members/${people.member.userId}`),
  ],
  "removed as an admin of the workspace": [
    "admin",
    ({ admin, workspaceId, people }) =>
      admin.json("DELETE", `${WORKSPACES}/${workspaceId}/members/${people.admin.userId}`),
  ],
  "removed from the team": [
    "team",
    ({ admin, teamId }) => admin.json("PUT", `/api/admin/teams/${teamId}`, { members: [] }),
  ],
  "in a team that is archived": [
    "team",
    ({ admin, teamId }) => admin.json("PUT", `/api/admin/teams/${teamId}`, { archived: true }),
  ],
  "in a team that is detached": [
    "team",
    ({ admin, workspaceId }) => admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { team_id: null }),
  ],
  "in a workspace that is archived": [
    "owner",
    ({ admin, workspaceId }) => admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { archived: true }),
  ],
  "in a workspace that loses the space": [
    "owner",
    ({ admin, workspaceId }) => admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { spaces: [] }),
  ],
  "no longer a guest of the space": [
    "guest",
    ({ people }) => world.sql("delete from space_members where user_id = $1", [people.guest.userId]),
  ],
  "in a space whose owner was disabled": [
    "member",
    ({ owner }) => world.sql("update users set disabled_at = now() where user_id = $1", [owner.userId]),
  ],
}

test.each(Object.entries(ENDS))("A member who is %s loses all access at the next request", async (name, [way, end]) => {
  const shared = await shareSpace(world, name)
  const browser = shared.people[way]
  await giveCredit(world, browser.userId)
  const used = await use(browser, shared.space)
  const before = await reach(browser, shared.space, await use(browser, shared.space))
  expect(Object.values(before).filter((status) => status === 404)).toEqual([])
  await world.drain()
  await end(shared)
  const after = await reach(browser, shared.space, used)
  expect(new Set(Object.values(after)), JSON.stringify(after)).toEqual(new Set([404]))
  for (const list of [SPACES, CHAT]) expect((await browser.json("GET", list))[1]).toMatchObject({ total: 0, items: [] })
  const replay = await browser.json("POST", CHAT, { space: shared.space, text: "hello" }, { "idempotency-key": "k" })
  expect(replay[0]).toBe(404)
})

test("An idempotency key does not return the turn of a removed member", async () => {
  const { admin, people, space, workspaceId } = await shareSpace(world, "replay")
  const key = { "idempotency-key": "one" }
  const body = { space, text: "hello" }
  expect((await people.member.json("POST", CHAT, body, key))[0]).toBe(202)
  await admin.json("DELETE", `${WORKSPACES}/${workspaceId}/members/${people.member.userId}`)
  expect((await people.member.json("POST", CHAT, body, key))[0]).toBe(404)
  await world.drain()
})

describe("People outside a shared space", () => {
  test("A stranger and a member of another workspace with its own spaces see no part of it", async () => {
    const shared = await shareSpace(world, "walls")
    const other = await shareSpace(world, "others")
    const used = await use(shared.people.member, shared.space)
    const elsewhere = await use(other.people.admin, other.space)
    for (const browser of [shared.stranger, other.people.owner, other.people.member, other.owner]) {
      await giveCredit(world, browser.userId)
      const statuses = await reach(browser, shared.space, used)
      expect(new Set(Object.values(statuses)), JSON.stringify(statuses)).toEqual(new Set([404]))
    }
    // A file or a conversation of one space cannot be found through another space.
    const files = `${SPACES}/${shared.space}/files`
    expect((await shared.people.admin.json("GET", `${files}/${elsewhere.file}`))[0]).toBe(404)
    const [, mine] = await other.people.admin.json("POST", SPACES, { title: "Mine" })
    for (const path of [
      `${SPACES}/${mine.space_id}/files/${elsewhere.file}`,
      `${SPACES}/${mine.space_id}/files/${used.file}`,
    ]) {
      expect((await other.people.admin.json("GET", path))[0]).toBe(404)
      expect((await other.people.admin.json("GET", `${path}/content`))[0]).toBe(404)
      expect((await other.people.admin.json("DELETE", path))[0]).toBe(404)
    }
    const [, refused] = await shared.people.member.json("POST", CHAT, {
      space: shared.space,
      text: "x",
      files: [elsewhere.file],
    })
    expect(refused).toMatchObject({ code: "NOT_FOUND", param: "files" })
  })

  test("A member's own API keys give no access to shared spaces", async () => {
    const { people, space, workspaceId, owner } = await shareSpace(world, "keys of members")
    const used = await use(people.admin, space)
    await giveCredit(world, people.admin.userId)
    const { value } = await world.makeKey(people.admin.userId, { scope: "all" })
    const key = world.createClient(people.admin.userId, value)
    expect(((await (await key.call("GET", "/v1/spaces")).json()) as { data: [] }).data).toEqual([])
    for (const [method, path, body] of [
      ["GET", `/v1/spaces/${space}`],
      ["PATCH", `/v1/spaces/${space}`, { title: "x" }],
      ["DELETE", `/v1/spaces/${space}`],
      ["GET", `/v1/spaces/${space}/manifest`],
      ["PUT", `/v1/spaces/${space}/manifest`, {}],
      ["GET", `/v1/spaces/${space}/secrets`],
      ["PUT", `/v1/spaces/${space}/secrets/A`, { value: "a secret value" }],
      ["GET", `/v1/spaces/${space}/versions`],
      ["GET", `/v1/spaces/${space}/files`],
      ["POST", `/v1/spaces/${space}/files?name=a.txt`, {}],
      ["GET", `/v1/files/${used.file}`],
      ["GET", `/v1/files/${used.file}/content`],
      ["DELETE", `/v1/files/${used.file}`],
      ["GET", `/v1/turns/${used.turn}`],
      ["GET", `/v1/turns/${used.turn}/events`],
      ["POST", `/v1/turns/${used.turn}/cancel`],
    ] as [string, string, object?][]) {
      expect((await key.call(method, path, body)).status, `${method} ${path}`).toBe(404)
    }
    expect((await key.sendTurn({ space })).status).toBe(404)
    expect(((await (await key.call("GET", "/v1/turns")).json()) as { data: [] }).data).toEqual([])
    // A session cannot make a key, a webhook or a workspace for a space that is only shared either.
    const made = await people.admin.json("POST", "/api/account/keys", { name: "k", scope: "space", space })
    expect([made[0], (await people.admin.json("GET", "/api/account/keys"))[1].total]).toEqual([expect.any(Number), 1])
    expect(made[0]).toBeGreaterThanOrEqual(400)
    expect((await people.admin.json("PATCH", `${WORKSPACES}/${workspaceId}`, { name: "x" }))[0]).toBe(403)
    expect((await owner.json("GET", `${SPACES}/${space}`))[1]).toMatchObject({ title: "Shared", archived: false })
  })
})

describe("Files of a space with a session", () => {
  test("A session uploads and downloads files as a key does: by body, form, range and Idempotency-Key", async () => {
    const { owner, people, space, client } = await shareSpace(world, "files")
    const files = `${SPACES}/${space}/files`
    for (const browser of [owner, people.member]) {
      const response = await browser.call("POST", `${files}?name=order.txt`, "0123456789", {
        "content-type": "text/plain",
      })
      const file = (await response.json()) as { file_id: string }
      expect([response.status, response.headers.get("location")]).toEqual([201, `${files}/${file.file_id}`])
      expect(file).toMatchObject({ space, turn: null, name: "order.txt", media_type: "text/plain", bytes: 10 })
      expect((await browser.json("GET", `${files}/${file.file_id}`))[1]).toEqual(file)
      const content = await browser.call("GET", `${files}/${file.file_id}/content`)
      expect([content.status, await content.text()]).toEqual([200, "0123456789"])
      expect(content.headers.get("content-disposition")).toContain("attachment")
      expect(content.headers.get("x-content-type-options")).toBe("nosniff")
      const part = await browser.call("GET", `${files}/${file.file_id}/content`, undefined, { range: "bytes=2-4" })
      expect([part.status, await part.text()]).toEqual([206, "234"])
      const beyond = await browser.call("GET", `${files}/${file.file_id}/content`, undefined, { range: "bytes=99-" })
      expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */10"])
    }
    const key = { "content-type": "text/plain", "idempotency-key": "one" }
    const [one, two] = [
      await people.member.json("POST", `${files}?name=a.txt`, "a", key),
      await people.member.json("POST", `${files}?name=a.txt`, "a", key),
    ]
    expect(two[1]).toEqual(one[1])
    await world.advance(10)
    const form = '--b\r\ncontent-disposition: form-data; name="file"; filename="form.txt"\r\n\r\nin a form\r\n--b--\r\n'
    const [status, posted] = await people.team.json("POST", files, form, {
      "content-type": "multipart/form-data; boundary=b",
    })
    expect([status, posted.name, posted.bytes]).toEqual([201, "form.txt", 9])
    const crossed = { "content-type": "text/plain", "sec-fetch-site": "cross-site" }
    expect((await owner.json("POST", `${files}?name=b.txt`, "b", crossed))[1].code).toBe("CROSS_ORIGIN")
    const [, list] = await people.guest.json("GET", `${files}?limit=2`)
    expect([list.total, list.items.length, list.items[0].name]).toEqual([4, 2, "form.txt"])
    const owners = "select distinct f.user_id::int from files f join spaces s using (space_id) where s.slug = $1"
    expect(await world.sql(owners, [space])).toEqual([{ user_id: client.userId }])
  })

  test("A chat turn sees and makes files; its uploader, its requester and the space's editors can delete them", async () => {
    const { owner, people, space } = await shareSpace(world, "outputs")
    const files = `${SPACES}/${space}/files`
    const [, given] = await upload(people.member, space, "given.txt", "given text")
    const [, { turn_id }] = await people.member.json("POST", CHAT, {
      space,
      text: '[call read_file {"name":"given.txt"}]\n[write made.txt made by it]',
      files: [given.file_id],
    })
    await world.drain()
    const [, turn] = (await people.member.json("GET", `${CHAT}/${turn_id}`)) as [number, Turn]
    expect(turn).toMatchObject({ state: "done", files: [given.file_id], outputs: [{ name: "made.txt" }] })
    const made = turn.outputs[0]?.file_id
    const content = await people.member.call("GET", `${files}/${made}/content`)
    expect(await content.text()).toBe("made by it")
    expect((await people.member.json("GET", `${files}?turn=${turn_id}`))[1]).toMatchObject({
      total: 1,
      items: [{ file_id: made }],
    })
    const [, theirs] = await upload(owner, space, "theirs.txt")
    for (const [browser, id] of [
      [people.member, theirs.file_id],
      [people.team, given.file_id],
      [people.guest, made],
    ] as const) {
      expect(await browser.json("DELETE", `${files}/${id}`)).toMatchObject([403, { code: "SPACE_ROLE_REQUIRED" }])
    }
    expect((await people.member.json("DELETE", `${files}/${made}`))[1]).toMatchObject({ deleted: true })
    expect((await people.member.json("DELETE", `${files}/${given.file_id}`))[0]).toBe(200)
    expect((await people.member.json("DELETE", `${files}/${given.file_id}`))[0]).toBe(404)
    expect((await people.admin.json("DELETE", `${files}/${theirs.file_id}`))[0]).toBe(200)
    const [, another] = await upload(people.member, space, "another.txt")
    expect((await owner.json("DELETE", `${files}/${another.file_id}`))[0]).toBe(200)
    expect((await owner.json("GET", files))[1].total).toBe(0)
  })
})
