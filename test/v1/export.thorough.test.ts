import { afterAll, beforeAll, expect, test } from "vitest"
import { readJson } from "../harness/answers.ts"
import { createFileClient } from "../harness/files.ts"
import { canariesOf, liveFully, serveEchoes, spaceOf } from "../harness/full-life.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveEchoes(world)
})
afterAll(() => world.close())

const REF = "Jane/Doe 42%"
const path = `/v1/end-users/${encodeURIComponent(REF)}`

interface Exported {
  end_user: object
  turns: {
    turn_id: string
    text: string
    events: { seq: number }[]
    file_details: { file_id: string; content: string }[]
    images: { base64: string }[]
  }[]
}

async function exportOf(client: TestClient): Promise<{ text: string; document: Exported }> {
  const response = await client.call("GET", `${path}/export`)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-disposition")).toContain("attachment")
  const text = await response.text()
  return { text, document: JSON.parse(text) as Exported }
}

test("The export contains all data of the end user, and none after an erasure", async () => {
  const created = await world.createAccount({ usd: 100 })
  const all = world.createClient(created.userId, (await world.makeKey(created.userId, { scope: "all" })).value)
  const words = canariesOf("exported")
  const space = await spaceOf(created)
  const { turnIds } = await liveFully(world, created, { space, ref: REF, words })
  const bob = canariesOf("somebody-else")
  await liveFully(world, created, { space, ref: "bob", words: bob })
  await all.call("PUT", `${path}/limits`, { daily_usd: 3 })

  const { text, document } = await exportOf(all)
  expect(document.end_user).toEqual((await readJson(all.call("GET", path)))[1])
  expect(document.turns.map(({ turn_id }) => turn_id).sort()).toEqual([...turnIds].sort())
  for (const turn of document.turns) {
    expect(turn).toMatchObject(await created.getTurn(turn.turn_id))
    expect(turn.events.map(({ seq }) => seq)).toEqual(turn.events.map((_, index) => index + 1))
  }
  const files = createFileClient(world, created)
  const contents = await Promise.all(
    document.turns.flatMap(({ file_details }) =>
      file_details.map(async ({ file_id, content }) => {
        expect(content).toBe(`/v1/files/${file_id}/content`)
        return (await files.download(file_id)).text()
      }),
    ),
  )
  const images = document.turns.flatMap((turn) =>
    turn.images.map(({ base64 }) => Buffer.from(base64, "base64").toString()),
  )
  const whole = [text, ...contents, ...images].join("\n")
  // Deleted and uncommitted data is left out, and so are the answers of webhook receivers.
  const { toolName, deletedUpload, lostObject, echoed, ...there } = words
  for (const [place, word] of Object.entries({ ...there, toolName: toolName.replaceAll("-", "_") })) {
    expect(whole.includes(word), place).toBe(true)
  }
  expect(whole).not.toContain("somebody-else")
  expect(whole, "the locations in the bucket").not.toContain("objectKey")

  await all.call("DELETE", path)
  await world.settled()
  const after = await exportOf(all)
  expect(after.text).not.toContain("canary")
  expect(after.document.turns).toHaveLength(turnIds.length)
})

test("The export needs access to the turns and shows only visible data", async () => {
  const created = await world.createAccount({ usd: 100 })
  const all = world.createClient(created.userId, (await world.makeKey(created.userId, { scope: "all" })).value)
  const own = await created.runTurn({ space: await created.space(), end_user_ref: REF })
  await all.runTurn({ space: await all.space(), end_user_ref: REF })
  expect((await exportOf(created)).document.turns.map(({ turn_id }) => turn_id)).toEqual([own.turn_id])
  expect((await exportOf(all)).document.turns).toHaveLength(2)
  const other = await world.createAccount()
  expect((await other.call("GET", `${path}/export`)).status).toBe(404)
  expect((await all.call("GET", "/v1/end-users/nobody/export")).status).toBe(404)
})

/**
 * The number of turns, and the interval between large turns. Together the large turns exceed the
 * size limit of one database answer.
 */
const [TURNS, EACH] = [10_000, 250]

test(`The export of ${TURNS} turns with ${TURNS / EACH} large ones is complete, page by page`, async () => {
  const created = await world.createAccount({ usd: 100 })
  const space = await created.space()
  const { turn_id } = await turnOf(await created.sendTurn({ space, end_user_ref: REF, text: "first" }))
  await world.drain()
  await world.sql(
    `with made as (
       insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
         request_hash, text, model, state, result, hold_credit_micros, held_credit_micros, created_at, started_at, finished_at, price_version)
       select 'turn_z' || lpad(n::text, 6, '0'), user_id, key_id, space_id, conversation_id, position + n, test, end_user_ref,
         'copy ' || n, '', case when n % ${EACH} = 0 then repeat(E'語\\n', 50000) else 'text ' || n end, model, 'done', 'r', 0, 0,
         created_at, started_at, finished_at, price_version
       from turns, generate_series(1, ${TURNS}) n where turn_id = $1 returning turn_id, created_at
     ) insert into turn_events (turn_id, seq, event_id, type, data, created_at)
     select turn_id, 1, 'evt_' || turn_id, 'turn.queued', '{}', created_at from made`,
    [turn_id],
  )
  const { document, text } = await exportOf(created)
  expect(document.turns.map((turn) => turn.turn_id)).toEqual([
    turn_id,
    ...Array.from({ length: TURNS }, (_, index) => `turn_z${String(index + 1).padStart(6, "0")}`),
  ])
  expect(document.turns.filter((turn) => turn.text.length === 100_000)).toHaveLength(TURNS / EACH)
  console.log(`export of ${document.turns.length} turns: ${Math.round(text.length / 1024)} KiB`)
})

test("The export breaks off when a page cannot be read, so that a client does not mistake a part for the whole", async () => {
  const created = await world.createAccount({ usd: 100 })
  await created.runTurn({ space: await created.space(), end_user_ref: REF })
  await world.plan([{ service: "pg", match: "bytes_so_far", call: 1, action: "fail", when: "before" }])
  const response = await created.call("GET", `${path}/export`)
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  await world.clearFaults()
})
