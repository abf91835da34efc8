import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makePerson, makeTeam, makeWorkspace, workspaceActions, workspaceOf } from "../harness/admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import { signInAdmin } from "../harness/books.ts"
import { isThorough } from "../harness/crash.ts"
import { EMAIL_HOOK, emailsTo, receiveEmails } from "../harness/notices.ts"
import { createWorld, type World } from "../harness/world.ts"

const WORKSPACES = "/api/admin/workspaces"

const ROUNDS = isThorough ? 30 : 8

let world: World
let estate: AdminEstate
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
  estate = await createAdminEstate(world, "workspaces")
})
afterAll(() => world.close())

const json = (...request: Parameters<AdminEstate["admin"]["json"]>) => estate.admin.json(...request)
const of = (id: string) => workspaceOf(estate, id)
const rolesIn = (workspace: { members: { user_id: number; role: string }[] }) =>
  Object.fromEntries(workspace.members.map(({ user_id, role }) => [user_id, role]))

describe("A workspace", () => {
  test("A workspace is made with a slug, name, team and members, and listed with them and its bot", async () => {
    const [ada, ben] = [await makePerson(world, "Ada"), await makePerson(world, "Ben")]
    const { team_id } = await makeTeam(estate, { name: "Support", members: [{ user_id: ben, role: "lead" }] })
    const id = `acme-${estate.random.int(1e9)}`
    const response = await estate.admin.call("POST", WORKSPACES, {
      workspace_id: id,
      name: " Acme ",
      team_id,
      members: [{ user_id: ada, role: "owner" }],
    })
    expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"'])
    const now = world.clock.now().toISOString()
    const made = await response.json()
    expect(made).toEqual({
      workspace_id: id,
      name: "Acme",
      team: { team_id, name: "Support", archived: false },
      members: [{ user_id: ada, name: "Ada", email: null, role: "owner", since: now }],
      team_members: [{ user_id: ben, name: "Ben", email: null }],
      spaces: [],
      bot: { username: null, has_token: false },
      archived: false,
      version: 1,
      created_at: now,
      updated_at: now,
      updated_by: { user_id: estate.admin.userId, name: expect.anything() },
    })
    const [, list] = await json("GET", WORKSPACES)
    expect(list.items).toHaveLength(list.total)
    expect(list.items).toContainEqual(made)
    expect(await of(id)).toEqual(made)
    const again = await json("POST", WORKSPACES, { workspace_id: id, name: "Another" })
    expect(again).toMatchObject([409, { code: "WORKSPACE_EXISTS" }])
    expect(await of(id)).toEqual(made)
  })

  test("A workspace needs a slug and accepts only existing parts", async () => {
    const body = { workspace_id: "right", name: "Right" }
    for (const workspace_id of ["", "Upper", "a b", "-a", "a-", "a_b", "a/b", "x".repeat(64), undefined]) {
      expect((await json("POST", WORKSPACES, { ...body, workspace_id }))[0], workspace_id).toBe(422)
    }
    for (const [field, value] of [
      ["team_id", 987654],
      ["members", [{ user_id: 987654321 }]],
      ["name", ""],
    ] as const) {
      const [status, { detail }] = await json("POST", WORKSPACES, { ...body, [field]: value })
      expect([status, detail[0].loc], field).toEqual([422, ["body", field]])
    }
    expect(await json("GET", `${WORKSPACES}/right`)).toMatchObject([404, { code: "NOT_FOUND" }])
    for (const [method, path, sent] of [
      ["PATCH", "", { name: "x" }],
      ["PUT", "/bot", { username: "some_bot" }],
      ["POST", "/bot/test", undefined],
      ["POST", "/members", { user_id: estate.client.userId }],
      ["DELETE", `/members/${estate.client.userId}`, undefined],
    ] as const) {
      expect(await json(method, `${WORKSPACES}/right${path}`, sent)).toMatchObject([404, { code: "NOT_FOUND" }])
    }
  })

  test("A workspace can be renamed, archived and restored, can gain and lose a team and spaces, and an equal edit changes nothing", async () => {
    const { workspace_id: id } = await makeWorkspace(estate)
    const path = `${WORKSPACES}/${id}`
    const { team_id } = await makeTeam(estate, { members: [{ user_id: estate.client.userId }] })
    const [one, two] = [await estate.client.space(), await estate.client.space()]
    expect((await json("PATCH", path, { name: "Other" }))[1]).toMatchObject({ name: "Other", version: 2 })
    expect((await json("PATCH", path, { team_id }))[1]).toMatchObject({ team: { team_id }, version: 3 })
    expect((await of(id)).team_members).toHaveLength(1)
    const [, spaced] = await json("PATCH", path, { spaces: [one, two] })
    expect(spaced.spaces.map(({ space_id }: { space_id: string }) => space_id).sort()).toEqual([one, two].sort())
    expect(spaced.spaces[0]).toMatchObject({ owner_id: estate.client.userId, archived: false, test: false })
    expect(
      (await json("PATCH", path, { spaces: [two, one], archived: false, name: "Other", team_id }))[1].version,
    ).toBe(4)
    expect((await json("PATCH", path, { archived: true }))[1]).toMatchObject({ archived: true, version: 5 })
    const [, back] = await json("PATCH", path, { archived: false, spaces: [two], team_id: null })
    expect(back).toMatchObject({
      archived: false,
      team: null,
      team_members: [],
      spaces: [{ space_id: two }],
      version: 6,
    })
    expect(await workspaceActions(estate, id)).toEqual(["workspace.create", ...Array(5).fill("workspace.update")])
  })

  test("A workspace refuses a space or team that does not exist or belongs to another workspace", async () => {
    const [first, second] = [await makeWorkspace(estate), await makeWorkspace(estate)]
    const space = await estate.client.space()
    await json("PATCH", `${WORKSPACES}/${first.workspace_id}`, { spaces: [space] })
    const path = `${WORKSPACES}/${second.workspace_id}`
    const before = await of(second.workspace_id)
    const taken = await json("PATCH", path, { name: "x", spaces: [space] })
    expect(taken).toMatchObject([409, { code: "CONFLICT", detail: expect.stringContaining(space) }])
    for (const [field, value] of [
      ["spaces", ["spc_none"]],
      ["team_id", 987654],
      ["spaces", [space, space]],
    ] as const) {
      const [status, { detail }] = await json("PATCH", path, { name: "x", [field]: value })
      expect([status, detail[0].loc], field).toEqual([422, ["body", field]])
    }
    expect(await of(second.workspace_id)).toEqual(before)
    expect((await of(first.workspace_id)).spaces).toHaveLength(1)
  })

  test(`Of two workspaces that take the same space concurrently, one gets it, ${ROUNDS} times`, async () => {
    const [one, two] = [await makeWorkspace(estate), await makeWorkspace(estate)]
    const paths = [one, two].map(({ workspace_id }) => `${WORKSPACES}/${workspace_id}`)
    for (let round = 0; round < ROUNDS; round++) {
      const spaces = [await estate.client.space()]
      const answers = await Promise.all(paths.map((path) => json("PATCH", path, { spaces })))
      expect(answers.map(([status]) => status).sort()).toEqual([200, 409])
      const held = [await of(one.workspace_id), await of(two.workspace_id)].flatMap((each) => each.spaces)
      expect(held.filter(({ space_id }: { space_id: string }) => space_id === spaces[0])).toHaveLength(1)
    }
  })

  test("The list finds a workspace by a part of its name or id", async () => {
    const word = `z${estate.random.int(1e9)}`
    const { workspace_id: named } = await makeWorkspace(estate, { name: `Some ${word.toUpperCase()}` })
    const { workspace_id: slugged } = await makeWorkspace(estate, { workspace_id: `in-${word}`, name: "Zz" })
    await json("PATCH", `${WORKSPACES}/${slugged}`, { archived: true })
    const found = async (query: string) => {
      const [, list] = await json("GET", `${WORKSPACES}?${query}`)
      return [list.total, list.items.map(({ workspace_id }: { workspace_id: string }) => workspace_id)]
    }
    expect(await found(`q=${word}`)).toEqual([2, [named, slugged]])
    expect(await found(`q=${word}&archived=active`)).toEqual([1, [named]])
    expect(await found(`q=${word}&limit=1&offset=1`)).toEqual([2, [slugged]])
  })
})

describe("Members of a workspace", () => {
  test("Members are added once, with a role, and removed", async () => {
    const { workspace_id: id } = await makeWorkspace(estate)
    const path = `${WORKSPACES}/${id}/members`
    const [ada, ben] = [await makePerson(world), await makePerson(world)]
    expect(rolesIn((await json("POST", path, { user_id: ada, role: "admin" }))[1])).toEqual({ [ada]: "admin" })
    expect(rolesIn((await json("POST", path, { user_id: ben }))[1])).toEqual({ [ada]: "admin", [ben]: "member" })
    for (const role of ["admin", "owner"]) {
      expect(await json("POST", path, { user_id: ada, role })).toMatchObject([409, { code: "ALREADY_MEMBER" }])
    }
    expect(rolesIn(await of(id))).toEqual({ [ada]: "admin", [ben]: "member" })
    for (const wrong of [{}, { user_id: 987654321 }, { user_id: "ada" }, { user_id: ada, role: "lead" }]) {
      expect((await json("POST", path, wrong))[0], JSON.stringify(wrong)).toBe(422)
    }
    expect(rolesIn((await json("DELETE", `${path}/${ada}`))[1])).toEqual({ [ben]: "member" })
    expect(await json("DELETE", `${path}/${ada}`)).toMatchObject([404, { code: "NOT_FOUND" }])
    expect((await of(id)).version).toBe(4)
    expect(await workspaceActions(estate, id)).toEqual(
      ["create", "member_add", "member_add", "member_remove"].map((action) => `workspace.${action}`),
    )
  })

  test("The last owner of a workspace is the last member who can leave", async () => {
    const [ada, ben, cy] = [await makePerson(world), await makePerson(world), await makePerson(world)]
    const { workspace_id: id } = await makeWorkspace(estate, {
      members: [
        { user_id: ada, role: "owner" },
        { user_id: ben, role: "admin" },
      ],
    })
    const path = `${WORKSPACES}/${id}/members`
    expect(await json("DELETE", `${path}/${ada}`)).toMatchObject([409, { code: "LAST_OWNER" }])
    await json("POST", path, { user_id: cy, role: "owner" })
    expect((await json("DELETE", `${path}/${ada}`))[0]).toBe(200)
    expect(await json("DELETE", `${path}/${cy}`)).toMatchObject([409, { code: "LAST_OWNER" }])
    expect((await json("DELETE", `${path}/${ben}`))[0]).toBe(200)
    expect(rolesIn((await json("DELETE", `${path}/${cy}`))[1])).toEqual({})
  })

  test(`Of two admins who add the same member concurrently, exactly one succeeds, ${ROUNDS} times`, async () => {
    const other = await signInAdmin(world)
    const { workspace_id: id } = await makeWorkspace(estate)
    const path = `${WORKSPACES}/${id}/members`
    for (let round = 0; round < ROUNDS; round++) {
      const body = { user_id: await makePerson(world), role: "member" }
      const answers = await Promise.all([estate.admin, other].map((admin) => admin.json("POST", path, body)))
      const [won, lost] = answers.sort(([one], [two]) => one - two)
      expect([won?.[0], lost?.[0], lost?.[1].code]).toEqual([200, 409, "ALREADY_MEMBER"])
    }
    const workspace = await of(id)
    expect([workspace.members.length, workspace.version]).toEqual([ROUNDS, ROUNDS + 1])
    expect((await workspaceActions(estate, id)).filter((action) => action === "workspace.member_add")).toHaveLength(
      ROUNDS,
    )
  })

  test.each([
    ["a member", "member", "open", true],
    ["an admin", "admin", "open", true],
    ["an owner", "owner", "open", true],
    ["an admin whose team is archived", "admin", "archived", false],
    ["an admin who is not in the team", "admin", "another", false],
    ["an admin of a workspace without a team", "admin", "none", false],
  ] as const)(
    "The answer and an email say whether %s who is removed keeps access through the team",
    async (_whose, role, team, keeps) => {
      const [left, owner] = [await makePerson(world, "Left"), await makePerson(world, "Owner")]
      const email = `left-${left}@people.test`
      await world.sql("update users set email = $2 where user_id = $1", [left, email])
      const of = team === "another" ? owner : left
      const { team_id } = await makeTeam(estate, { name: "Support", members: [{ user_id: of, role: "member" }] })
      const members = [
        { user_id: left, role },
        { user_id: owner, role: "owner" as const },
      ]
      const { workspace_id: id } = await makeWorkspace(estate, {
        members,
        team_id: team === "none" ? null : team_id,
      })
      const space = await estate.client.space()
      expect((await json("PATCH", `${WORKSPACES}/${id}`, { spaces: [space] }))[0]).toBe(200)
      if (team === "archived")
        expect((await json("PUT", `/api/admin/teams/${team_id}`, { archived: true }))[0]).toBe(200)
      const browser = await world.signIn(left)
      const sees = async () => (await browser.json("GET", `/api/account/spaces/${space}`))[0]
      expect(await sees()).toBe(200)
      const [status, answer] = await json("DELETE", `${WORKSPACES}/${id}/members/${left}`)
      expect([status, answer.keeps_access_by_team]).toEqual([200, keeps])
      expect(await sees(), "the answer is true").toBe(keeps ? 200 : 404)
      await world.settled()
      expect(emailsTo(emails, email)).toEqual([
        {
          kind: "workspace_left",
          data: {
            workspace_id: id,
            name: answer.name,
            keeps_access_by_team: keeps,
            team: keeps ? "Support" : null,
            at: world.clock.now().toISOString(),
          },
        },
      ])
    },
  )

  test(`When two admins remove the last two owners concurrently, one stays, ${ROUNDS} times`, async () => {
    const other = await signInAdmin(world)
    const [ada, ben, cy] = [await makePerson(world), await makePerson(world), await makePerson(world)]
    for (let round = 0; round < ROUNDS; round++) {
      const { workspace_id: id } = await makeWorkspace(estate, {
        members: [{ user_id: ada, role: "owner" }, { user_id: ben, role: "owner" }, { user_id: cy }],
      })
      const answers = await Promise.all([
        estate.admin.json("DELETE", `${WORKSPACES}/${id}/members/${ada}`),
        other.json("DELETE", `${WORKSPACES}/${id}/members/${ben}`),
      ])
      expect(answers.map(([status]) => status).sort()).toEqual([200, 409])
      expect(Object.values(rolesIn(await of(id))).sort()).toEqual(["member", "owner"])
    }
  })
})
