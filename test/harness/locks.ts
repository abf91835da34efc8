import type { World } from "./world.ts"

type Database = Pick<World, "sql">

/**
 * Locks the rows of a query (`select from wallets where … for update`) in a transaction of its own, and returns what lets them go.
 * `change`: a statement that it makes first; `last`: one that it makes when it lets go. After a minute it fails: a test that waits for
 * what must not wait for these rows fails, and does not hang.
 */
export async function holdRows(
  world: Database,
  query: string,
  { change = "null", last = "null" }: { change?: string; last?: string } = {},
): Promise<() => Promise<void>> {
  const name = `held_${crypto.randomUUID().replaceAll("-", "")}`
  await world.sql(`create table ${name} (over boolean)`)
  const held = world.sql(`do $$ begin
    ${change};
    perform from (${query}) rows;
    for tries in 1 .. 6000 loop
      exit when exists (select from ${name});
      perform pg_sleep(0.01);
    end loop;
    if not exists (select from ${name}) then raise 'these rows were not let go within a minute'; end if;
    ${last};
  end $$`)
  held.catch(() => {})
  const sleeping =
    "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and query like $1"
  while ((await world.sql(sleeping, [`%exists (select from ${name})%`])).length === 0);
  return async () => {
    await world.sql(`insert into ${name} values (true)`)
    await held
  }
}

/** Resolves when so many statements of this database wait for a lock. */
export async function untilBlocked(world: Database, count = 1): Promise<void> {
  const blocked = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await world.sql(blocked)).length < count);
}

/**
 * Holds every statement that does this to a table (`before insert on ledger`), at its first row, until the returned function is called.
 * `untilBlocked` tells when it has come there.
 */
export async function holdWrites(world: Database, writes: string): Promise<() => Promise<void>> {
  const name = `gate_${crypto.randomUUID().replaceAll("-", "")}`
  const key = `hashtextextended('${name}', 0)`
  const letGo = await holdRows(world, `select from pg_advisory_xact_lock(${key})`)
  await world.sql(`create function ${name}() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${key}); return new; end $$`)
  // Before the triggers of foreign keys, by its name.
  await world.sql(`create trigger "A_${name}" ${writes} for each row execute function ${name}()`)
  return async () => {
    await letGo()
    await world.sql(`drop function ${name} cascade`)
  }
}
