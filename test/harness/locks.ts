import type { World } from "./world.ts"

/**
 * Locks the rows of a query (`select from wallets where … for update`) in a transaction of its own, and returns what lets them go.
 * After 5 s they go by themselves: what must not wait for them is then late, and not hanging. `change`: a statement that it makes first.
 */
export async function holdRows(
  world: Pick<World, "sql">,
  query: string,
  { change = "" }: { change?: string } = {},
): Promise<() => Promise<void>> {
  const name = `held_${crypto.randomUUID().replaceAll("-", "")}`
  await world.sql(`create table ${name} (over boolean)`)
  const held = world.sql(`do $$ begin
    ${change || "null"};
    perform from (${query}) rows;
    for tries in 1 .. 500 loop
      exit when exists (select from ${name});
      perform pg_sleep(0.01);
    end loop;
  end $$`)
  const sleeping =
    "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and query like $1"
  while ((await world.sql(sleeping, [`%exists (select from ${name})%`])).length === 0);
  return async () => {
    await world.sql(`insert into ${name} values (true)`)
    await held
  }
}
