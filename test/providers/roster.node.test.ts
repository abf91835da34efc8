import { expect, test } from "vitest"
import { OpenedCredentials } from "../../src/providers/opened.ts"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { type ListedAccount, Roster } from "../../src/providers/roster.ts"
import { createRandom } from "../harness/random.ts"

const { rosterDraws, rosterMs, rosterPauseMs, openedMs } = PROVIDER_POLICY
const START = 1_800_000_000_000
const account = (provider_id: string, weight: number) =>
  ({ provider_id, weight, account_row: "1", credential_row: "2" }) as ListedAccount
const nobodyIsOut = () => false

test("An account is drawn in proportion to its weight, and never while it is left out", () => {
  const chance = createRandom("draws of a roster")
  const weights = [100, 50, 1, 30, 80].map((weight, n) => account(`account-${n}`, weight))
  const roster = new Roster()
  roster.list("openai", weights, START)
  const times = new Map<string, number>()
  const DRAWS = 50_000
  const isOut = (id: string, readAt: number) => id === "account-4" && readAt === START
  for (let n = 0; n < DRAWS; n++) {
    const id =
      roster.draw(() => chance.int(1_000_003) / 1_000_003, isOut, START + 1).get("openai")?.provider_id ?? "none"
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  expect([...times.keys()].sort()).toEqual(["account-0", "account-1", "account-2", "account-3"])
  for (const { provider_id, weight } of weights.slice(0, 4)) {
    const fair = (DRAWS * weight) / 181
    expect(Math.abs((times.get(provider_id) ?? 0) - fair), provider_id).toBeLessThan(4 * Math.sqrt(fair))
  }
})

test("A listing is used until it expires, and no older listing replaces it", () => {
  const roster = new Roster()
  const drawn = (now: number) => roster.draw(() => 0, nobodyIsOut, now).get("openai")?.provider_id
  expect(drawn(START)).toBeUndefined()
  roster.list("openai", [account("newer", 1)], START)
  roster.list("openai", [account("older", 1)], START - 1)
  expect([drawn(START), drawn(START + rosterMs - 1), drawn(START + rosterMs), drawn(START - 1)]).toEqual([
    "newer",
    "newer",
    undefined,
    undefined,
  ])
  expect([
    ...roster.draw(
      () => 0.5,
      () => true,
      START,
    ),
  ]).toEqual([])
})

test("A roster is reloaded after some draws, at most once per interval, and before it expires", () => {
  const roster = new Roster()
  expect(roster.ask(START)).toBeNull()
  for (let n = 0; n < rosterDraws; n++) roster.note(START)
  expect(roster.ask(START)).toEqual([])
  expect(roster.ask(START), "a look without a result does not count").toEqual([])
  roster.noteAsked(START)
  expect(roster.ask(START + rosterPauseMs - 1)).toBeNull()
  roster.list("openai", [account("one", 1)], START)
  expect(roster.ask(START + rosterPauseMs)).toEqual(["openai"])
  expect(roster.ask(START + rosterMs / 2)).toEqual([])
  // An isolate with little work makes no more requests.
  for (let n = 0; n < rosterDraws - 1; n++) roster.note(START + rosterMs)
  expect(roster.ask(START + rosterMs)).toBeNull()
  expect(roster.ask(START + 100 * rosterMs)).toBeNull()
})

test("An opened credential is used for its own account, for a minute", () => {
  const all = new OpenedCredentials()
  const opened = { kind: "api_key", api_key: "secret" } as const
  const keptAt = START + openedMs - 1
  all.find({ provider_id: "one", sealed: "sealed" }, START)
  all.keep({ provider_id: "one", sealed: "sealed" }, opened, keptAt)
  const found = (provider_id: string, sealed: string, now: number) => all.find({ provider_id, sealed }, now)
  expect([found("two", "sealed", keptAt), found("one", "other", keptAt)]).toEqual([undefined, undefined])
  expect(found("one", "sealed", keptAt + openedMs - 1)).toEqual(opened)
  expect(found("one", "sealed", keptAt + openedMs)).toBeUndefined()
})
