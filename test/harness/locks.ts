import type { World } from "./world.ts"

type Database = Pick<World, "sql">

/**
 * Locks the rows of a query (`select from wallets where … for update`) in its own transaction.
 * Returns the function that unlocks them. `change` runs first and `last` runs before the commit. It
 * fails after five minutes, so that a test fails instead of hanging.
 */
export async function holdRows(
  world: Database,
  query: string,
  { change = "null", last = "null" }: { change?: string; last?: string } = {},
): Promise<() => Promise<void>> {
  const name = `held_${crypto.randomUUID().replaceAll("-", "")}`
  await world.sql(`create table ${name} (over boolean)`)
  const held = world.sql(`do $$ begin
    perform set_config('lock_timeout', '0', true);
    ${change};
    perform from (${query}) rows;
    for tries in 1 .. 30000 loop
      exit when exists (select from ${name});
      perform pg_sleep(0.01);
    end loop;
    if not exists (select from ${name}) then raise 'these rows were not let go within five minutes'; end if;
    ${last};
  end $$`)
  let failed = false
  held.catch(() => {
    failed = true
  })
  const sleeping =
    "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and query like $1"
  while (!failed && (await world.sql(sleeping, [`%exists (select from ${name})%`])).length === 0);
  if (failed) await held
  return async () => {
    await world.sql(`insert into ${name} values (true)`)
    await held
  }
}

/** Disables the lock timeout in a new world, so that statements wait for as long as a test holds a lock. */
export async function waitForLocks(world: Database): Promise<void> {
  await world.sql(`do $$ begin execute format('alter database %I set lock_timeout = 0', current_database()); end $$`)
  // A session keeps the settings that it started with.
  await world.sql(
    "select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
}

/**
 * Resolves once this many statements of the database wait for a lock, or once `request`, which may
 * not need a lock, is answered.
 */
export async function untilBlocked(world: Database, count = 1, request?: Promise<unknown>): Promise<void> {
  const blocked = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  let isAnswered = false
  const answered = () => {
    isAnswered = true
  }
  request?.then(answered, answered)
  while (!isAnswered && (await world.sql(blocked)).length < count);
}

/**
 * Resolves once this many calls with this text in their label arrived since the plan was set, or
 * once `request` is answered.
 */
export async function untilCalled(
  world: Pick<World, "calls">,
  { match = "", count = 1, request }: { match?: string; count?: number; request?: Promise<unknown> },
): Promise<void> {
  let isAnswered = false
  const answered = () => {
    isAnswered = true
  }
  request?.then(answered, answered)
  while (!isAnswered && (await world.calls()).filter(({ label }) => label.includes(match)).length < count);
}

/**
 * Blocks every write of this kind (`before insert on ledger`) at its first row until the returned
 * function is called. `untilBlocked` reports that a write is waiting. `atCommit` blocks at the
 * commit instead, with all locks held (`after insert on open_turns`).
 */
export async function holdWrites(
  world: Database,
  writes: string,
  { atCommit = false } = {},
): Promise<() => Promise<void>> {
  const name = `gate_${crypto.randomUUID().replaceAll("-", "")}`
  const key = `hashtextextended('${name}', 0)`
  const letGo = await holdRows(world, `select from pg_advisory_xact_lock(${key})`)
  await world.sql(`create function ${name}() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${key}); return new; end $$`)
  // Triggers fire in the order of their names, so this one precedes the triggers of foreign keys.
  const [kind, when] = atCommit ? ["constraint trigger", "deferrable initially deferred"] : ["trigger", ""]
  await world.sql(`create ${kind} "A_${name}" ${writes} ${when} for each row execute function ${name}()`)
  return async () => {
    await letGo()
    await world.sql(`drop function ${name} cascade`)
  }
}
