import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("The event log can be redacted and nothing else", async () => {
  const created = await world.createAccount()
  const text = '[call write_file {"name": "a.txt", "content": "x"}]\ndone'
  const { turn_id } = await created.runTurn({ space: await created.space(), text })
  const open = await turnOf(await created.sendTurn({ space: await created.space() }))
  await world.sql(
    `insert into turn_events (turn_id, seq, event_id, type, data, created_at) values ($1, 99, 'evt_' || $1, 'text.delta', '{"text": "x"}', now())`,
    [open.turn_id],
  )
  await world.sql(
    `insert into turn_steps select (jsonb_populate_record(p, jsonb_build_object('turn_id', $2::text, 'step', 99))).* from turn_steps p
     where p.turn_id = $1 and p.step = 0`,
    [turn_id, open.turn_id],
  )
  const event = "where turn_id = $1 and seq = (select min(seq) from turn_events where turn_id = $1)"
  const step = "where turn_id = $1 and step = (select max(step) from turn_steps where turn_id = $1)"
  const drafts = (change: string) => `(select json_agg(${change} order by n) from jsonb_array_elements(events::jsonb)
    with ordinality d (draft, n))`
  const withoutData = drafts("jsonb_set(draft, '{3}', '{}')")
  for (const [statement, id] of [
    [`update turn_events set data = data || '{"more": 1}' ${event}`, turn_id],
    [`update turn_events set data = '{"state": "done"}' ${event}`, turn_id],
    [`update turn_events set seq = 99 ${event}`, turn_id],
    [`update turn_events set type = 'x', data = '{}' ${event}`, turn_id],
    [`update turn_events set created_at = now() ${event}`, turn_id],
    [`update turn_events set data = '{}' ${event}`, open.turn_id],
    [`delete from turn_events ${event}`, turn_id],
    [`update turn_steps set events = '[]' ${step}`, turn_id],
    [`update turn_steps set events = (events::jsonb - 0)::json ${step}`, turn_id],
    [`update turn_steps set events = (events::jsonb || events::jsonb)::json ${step}`, turn_id],
    [`update turn_steps set events = ${drafts(`jsonb_set(draft, '{3,more}', '1')`)} ${step}`, turn_id],
    [`update turn_steps set events = ${drafts(`jsonb_set(draft, '{1}', '"x"')`)} ${step}`, turn_id],
    [`update turn_steps set events = ${drafts(`jsonb_set(draft, '{2}', '1')`)} ${step}`, turn_id],
    [`update turn_steps set first_event_seq = 99 ${step}`, turn_id],
    [`update turn_steps set events = ${withoutData} ${step}`, open.turn_id],
    [`delete from turn_steps ${step}`, turn_id],
    ["update events set data = '{}' where turn_id = $1", turn_id],
    ["delete from events where turn_id = $1", turn_id],
  ] as const) {
    await expect(world.sql(statement, [id]), statement).rejects.toThrow(/append-only/)
  }
  await world.sql(`update turn_events set data = '{}' ${event}`, [turn_id])
  await world.sql(`update turn_steps set events = ${withoutData} ${step}`, [turn_id])
  await world.drain()
})
