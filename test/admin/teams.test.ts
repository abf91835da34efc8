import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makePerson, makeTeam } from "../harness/admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import { createWorld, type World } from "../harness/world.ts"

const TEAMS = "/api/admin/teams"

let world: World
let estate: AdminEstate
beforeAll(async () => {
  world = await createWorld()
  estate = await createAdminEstate(world, "teams")
})
afterAll(() => world.close())

const json = (...request: Parameters<AdminEstate["admin"]["json"]>) => estate.admin.json(...request)

describe("A team", () => {
  test("A team is made with members and leads, and a read returns the same team", async () => {
    const [ada, ben] = [await makePerson(world, "Ada"), await makePerson(world, "Ben")]
    const response = await estate.admin.call("POST", TEAMS, {
      name: " Support ",
      description: "Days",
      members: [{ user_id: ada, role: "lead" }, { user_id: ben }],
    })
    const made = (await response.json()) as { team_id: number; version: number }
    expect([response.status, response.headers.get("etag")]).toEqual([200, '"1"'])
    const now = world.clock.now().toISOString()
    expect(made).toEqual({
      team_id: expect.any(Number),
      name: "Support",
      description: "Days",
      members: [
        { user_id: ada, name: "Ada", email: null, role: "lead", since: now },
        { user_id: ben, name: "Ben", email: null, role: "member", since: now },
      ],
      archived: false,
      version: 1,
      created_at: now,
      updated_at: now,
      updated_by: { user_id: estate.admin.userId, name: expect.anything() },
    })
    const read = await estate.admin.call("GET", `${TEAMS}/${made.team_id}`)
    expect([read.status, read.headers.get("etag"), await read.json()]).toEqual([200, '"1"', made])
  })

  test("An edit changes the fields that are sent: null clears, members replace the list, and archiving can be undone", async () => {
    const [ada, ben, cy] = [await makePerson(world), await makePerson(world), await makePerson(world)]
    const members = [{ user_id: ada, role: "lead" }, { user_id: ben }]
    const { team_id } = await makeTeam(estate, { name: "First", description: "Days", members })
    const path = `${TEAMS}/${team_id}`
    const came = world.clock.now().toISOString()
    await world.advance(1000)
    const rolesOf = (team: { members: { user_id: number; role: string }[] }) =>
      Object.fromEntries(team.members.map(({ user_id, role }) => [user_id, role]))

    const [, renamed] = await json("PUT", path, { name: "Second" })
    expect(renamed).toMatchObject({ name: "Second", description: "Days", version: 2, archived: false })
    expect(rolesOf(renamed)).toEqual({ [ada]: "lead", [ben]: "member" })

    const [, replaced] = await json("PUT", path, { members: [{ user_id: ada }, { user_id: cy, role: "lead" }] })
    expect([rolesOf(replaced), replaced.version]).toEqual([{ [ada]: "member", [cy]: "lead" }, 3])
    const since = Object.fromEntries(
      replaced.members.map((one: { user_id: number; since: string }) => [one.user_id, one.since]),
    )
    expect(since).toEqual({ [ada]: came, [cy]: world.clock.now().toISOString() })

    expect((await json("PUT", path, { description: null }))[1]).toMatchObject({
      name: "Second",
      description: null,
      version: 4,
    })
    expect((await json("PUT", path, { archived: true }))[1]).toMatchObject({ archived: true, version: 5 })
    expect((await json("PUT", path, { archived: false, members: [] }))[1]).toMatchObject({
      archived: false,
      members: [],
      version: 6,
    })
    expect((await json("PUT", path, { archived: false, members: [], name: "Second" }))[1], "no change").toMatchObject({
      version: 6,
    })
    const entries = await world.sql(
      "select action, before, after from audit_log where subject_type = 'team' and subject_id = $1 order by audit_id",
      [String(team_id)],
    )
    expect(entries.map(({ action }) => action)).toEqual(["team.create", ...Array(5).fill("team.update")])
    expect(entries[2]).toMatchObject({
      before: { members: { [ada]: "lead", [ben]: "member" } },
      after: { members: { [ada]: "member", [cy]: "lead" } },
    })
  })

  test("A team accepts only existing users, each once", async () => {
    const { team_id } = await makeTeam(estate, { name: "Strict" })
    const before = await json("GET", `${TEAMS}/${team_id}`)
    const ada = await makePerson(world)
    for (const [method, path, body] of [
      ["POST", TEAMS, { name: "Other" }],
      ["PUT", `${TEAMS}/${team_id}`, { name: "Other" }],
    ] as const) {
      const [status, refused] = await json(method, path, {
        ...body,
        members: [{ user_id: ada }, { user_id: 987654321 }],
      })
      expect([status, refused.detail[0]]).toMatchObject([
        422,
        { loc: ["body", "members"], msg: expect.stringContaining("987654321") },
      ])
      const twice = { ...body, members: [{ user_id: ada }, { user_id: ada, role: "lead" }] }
      expect((await json(method, path, twice))[0]).toBe(422)
      expect((await json(method, path, { ...body, members: [{ user_id: ada, role: "owner" }] }))[0]).toBe(422)
      expect((await json(method, path, { ...body, name: "  " }))[0]).toBe(422)
      expect((await json(method, path, { ...body, colour: "red" }))[0]).toBe(422)
    }
    expect((await json("POST", TEAMS, { description: "no name" }))[0]).toBe(422)
    expect(await json("GET", `${TEAMS}/${team_id}`)).toEqual(before)
    for (const id of [999_999_999, 99_999_999_999]) {
      expect(await json("GET", `${TEAMS}/${id}`)).toMatchObject([404, { code: "NOT_FOUND" }])
      expect(await json("PUT", `${TEAMS}/${id}`, { name: "x" })).toMatchObject([404, { code: "NOT_FOUND" }])
    }
    expect((await json("GET", `${TEAMS}/one`))[0]).toBe(422)
  })

  test("The list sorts by name, is complete without a query, finds parts of a name, and has pages", async () => {
    const word = `q${estate.random.int(1e9)}`
    const ids: number[] = []
    for (const name of [`b 100%_${word}`, `A ${word}`, `c ${word.toUpperCase()}`, `b 100%_${word}`]) {
      ids.push((await makeTeam(estate, { name })).team_id)
    }
    await json("PUT", `${TEAMS}/${ids[2]}`, { archived: true })
    const found = async (query: string) => {
      const [status, list] = await json("GET", `${TEAMS}?${query}`)
      expect(status).toBe(200)
      return [list.total, list.items.map(({ team_id }: { team_id: number }) => ids.indexOf(team_id))]
    }
    expect(await found(`q=${word.toUpperCase()}`)).toEqual([4, [1, 0, 3, 2]])
    expect(await found(`q=${word}&limit=2&offset=1`)).toEqual([4, [0, 3]])
    expect(await found(`q=${word}&archived=archived`)).toEqual([1, [2]])
    expect(await found(`q=${word}&archived=active`)).toEqual([3, [1, 0, 3]])
    expect(await found(`q=${encodeURIComponent(`100%_${word}`)}`)).toEqual([2, [0, 3]])
    expect(await found(`q=${encodeURIComponent(`100__${word}`)}`)).toEqual([0, []])
    const [, all] = await json("GET", TEAMS)
    expect(all.items).toHaveLength(all.total)
    for (const wrong of ["limit=10001", "limit=0", "offset=-1", "archived=maybe", "colour=red"]) {
      expect((await json("GET", `${TEAMS}?${wrong}`))[0], wrong).toBe(422)
    }
  })

  test("Of two concurrent edits of one version, one succeeds", async () => {
    for (let round = 0; round < 20; round++) {
      const { team_id } = await makeTeam(estate)
      const edits = ["one", "two"].map((name) => json("PUT", `${TEAMS}/${team_id}`, { name }, { "if-match": '"1"' }))
      const statuses = (await Promise.all(edits)).map(([status]) => status).sort()
      expect(statuses).toEqual([200, 412])
      expect((await json("GET", `${TEAMS}/${team_id}`))[1].version).toBe(2)
    }
  })
})
