import type { World } from "./world.ts"

type Database = Pick<World, "sql">

/**
 * Locks the rows of a query (`select from wallets where … for update`) in a transaction of its own, and returns what lets them go.
 * `change`: a statement that it makes first; `last`: one that it makes when it lets go. After five minutes it fails: a test that waits
 * for what must not wait for these rows fails, and does not hang.
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

/** Lets the statements of a new world wait for locks as long as a test holds them: by default they give up after a time. */
export async function waitForLocks(world: Database): Promise<void> {
  await world.sql(`do $$ begin execute format('alter database %I set lock_timeout = 0', current_database()); end $$`)
  // A session keeps what it began with.
  await world.sql(
    "select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
}

/** Resolves when so many statements of this database wait for a lock, or when `request`, which need not wait for one, is answered. */
export async function untilBlocked(world: Database, count = 1, request?: Promise<unknown>): Promise<void> {
  const blocked = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  let isAnswered = false
  const answered = () => {
    isAnswered = true
  }
  request?.then(answered, answered)
  while (!isAnswered && (await world.sql(blocked)).length < count);
}

/** Resolves when so many calls with this in their label have come since the plan was set, or when `request` is answered. */
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
 * Holds every statement that does this to a table (`before insert on ledger`), at its first row, until the returned function is called.
 * `untilBlocked` tells when it has come there. `atCommit`: at its end, with all its locks (`after insert on open_turns`).
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
  // Before the triggers of foreign keys, by its name.
  const [kind, when] = atCommit ? ["constraint trigger", "deferrable initially deferred"] : ["trigger", ""]
  await world.sql(`create ${kind} "A_${name}" ${writes} ${when} for each row execute function ${name}()`)
  return async () => {
    await letGo()
    await world.sql(`drop function ${name} cascade`)
  }
}
