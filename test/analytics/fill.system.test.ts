import { afterAll, beforeAll, expect, test } from "vitest"
import { readMigrations } from "../../src/ops/migration-files.ts"
import { migrate } from "../../src/ops/migrations.ts"
import { OLD_SCHEMA, type Server, startServer } from "../harness/databases.ts"
import { differences } from "../harness/rollups.ts"

const TURNS = 3_500

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Client = Awaited<ReturnType<Server["create"]>>["client"]

/** Turns from before: of keys and chats, test turns, without calls, and chats of which no call or not every one is known;
 * 30 are open. In every fourth the calls behind the first are pictures of its step. */
const HISTORY = `
  insert into users (name, created_at) values ('Ada', now());
  insert into wallets (user_id, balance_credit_micros) values (1, 1000000000);
  create temporary table made as select 'turn_' || lpad(n::text, 26, '0') as turn_id, n, n % 5 < 2 as is_chat, n % 7 = 0 and n % 5 >= 2 as test,
    n > ${TURNS} as is_open, case when n % 11 = 0 then 0 else 1 + n % 3 end as calls, now() - (n % 300) * interval '5 hours' as at
    from generate_series(1, ${TURNS + 30}) n;
  insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key, request_hash, text,
      model, state, hold_credit_micros, held_credit_micros, cost_credit_micros, billed_credit_micros, model_calls, tokens_input,
      tokens_cached, tokens_output, created_at, started_at, finished_at)
    select turn_id, 1, case when is_chat then null else 'key_1' end, 1 + n % 9, 'conv_' || n, 1, test, case when is_chat then '' else 'c' end,
      n, '', '', 'rehearsal/standard', case when is_open then 'running' else 'done' end, case when test then 0 else 100 end,
      case when is_open and not test then 100 else 0 end, case when test then 0 else 10 * calls end,
      case when test or is_open or n % 13 = 0 then 0 else 10 * calls end, calls, 100 * calls, 30 * calls, 7 * calls, at, at,
      case when not is_open then at end
    from made;
  insert into usage (turn_id, step, call, user_id, space_id, key_id, end_user_ref, provider, subscription_id, model, role, tokens_input,
      tokens_cached, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at)
    select turn_id, case when n % 4 = 0 then 0 else g end, case when n % 4 = 0 then nullif(g, 0) end, 1, 1 + n % 9, 'key_1', 'c', 'rehearsal', (array[null, '17', 'claude-1'])[1 + n % 3], 'rehearsal/' || g % 2,
      case when g = 0 or n % 4 = 0 then 'orchestrator' else 'subagent' end, 100, 30, 7, 0.25 * g, 1, case when test then 0 else 10 end,
      case when test or is_open or n % 13 = 0 then 0 else 10 end, at, case when not is_open then at end
    from made, generate_series(0, calls - 1) g where not is_chat;
  insert into chat_calls (turn_id, step, call, user_id, space_id, conversation_id, test, provider, subscription_id, model, role, tokens_input,
      tokens_cached, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at)
    select turn_id, case when n % 4 = 0 then 0 else g end, case when n % 4 = 0 then nullif(g, 0) end, 1, 1 + n % 9, 'conv_' || n, false, 'rehearsal', 'claude-2', 'rehearsal/' || g, 'orchestrator', 100, 30, 7, 1, 1, 10, 0, at
    from made, generate_series(0, calls - 2) g where is_chat and n % 5 = 1;
  insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
    select 1, case when key_id is null then 'space_usage' else 'usage' end, -billed_credit_micros, 1000000, turn_id, 'turn', finished_at
    from turns where billed_credit_micros > 0;
  insert into infrastructure_errors (kind, name, code, created_at)
    select (array['container_exec', 'model_call'])[1 + n % 2], 'n', 'c', now() - n * interval '5 hours' from generate_series(1, 100) n;
`

/** Ends the n-th open turn as a worker of the former release does, which knows no settled calls of chats. */
const END = `
  with ended as (select turn_id, key_id is null as is_chat, test from turns where finished_at is null order by turn_id limit 1),
  used as (update usage u set settled_at = now(), billed_credit_micros = cost_credit_micros from ended e where u.turn_id = e.turn_id)
  select turn_id from ended`

async function endOne(client: Client): Promise<void> {
  const { rows } = await client.query<{ turn_id: string }>(END)
  for (const { turn_id } of rows) {
    await client.query(
      `update turns set state = 'done', finished_at = now(), held_credit_micros = 0, billed_credit_micros = cost_credit_micros where turn_id = $1`,
      [turn_id],
    )
    await client.query(
      `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
       select 1, 'usage', -billed_credit_micros, 7, turn_id, 'turn', finished_at from turns where turn_id = $1 and billed_credit_micros > 0`,
      [turn_id],
    )
  }
}

test("what had ended before is queued once, whatever ends meanwhile, and also when the upgrade is broken off", async () => {
  const all = await readMigrations()
  const at = all.findIndex(({ name }) => name.endsWith("_analytics"))
  const { client, url } = await server.create(OLD_SCHEMA)
  await migrate(client, { phase: "after-deploy", migrations: all.slice(0, at) })
  await client.query(HISTORY)
  const worker = await server.connect(url)
  let pauses = 0
  const pause = async () => {
    await endOne(worker)
    await worker.query(
      "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'n', 'c', now())",
    )
    if (++pauses === 2 || pauses === 5) throw new Error("the runner is gone")
  }
  for (let tries = 0; tries < 3; tries++) {
    await migrate(client, { phase: "after-deploy", migrations: all.slice(0, at + 1), pause }).catch((error: Error) => {
      expect(error.message).toBe("the runner is gone")
    })
  }
  expect(pauses).toBeGreaterThan(6)
  // The comparison is of today's rollups.
  await migrate(client, { phase: "after-deploy", migrations: all })
  const world = { sql: async <Row>(text: string) => (await client.query(text)).rows as Row[] }
  expect(await differences(world as Parameters<typeof differences>[0])).toEqual([])
  const { rows } = await client.query(
    "select count(*)::int as queued, count(distinct turn_id)::int as turns, sum(turns)::int as counted from usage_queue",
  )
  const [live] = (
    await client.query("select count(*)::int as turns from turns where finished_at is not null and not test")
  ).rows
  expect(rows[0]).toMatchObject({ turns: live.turns, counted: live.turns })
})
