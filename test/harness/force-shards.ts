import { env as bindings } from "cloudflare:workers"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TestNamespace } from "./namespace.ts"

/**
 * Shard counts and holds that new accounts get in turn, however little credit they have. Large
 * holds make every turn read all shards, small holds make that rare, and medium holds make small
 * amounts reach the limit often.
 */
const FORCED: [shards: number, hold: number][] = [
  [64, TURN_POLICY.defaultHold],
  [64, 20_000],
  [64, 100_000_000],
  [4, TURN_POLICY.defaultHold],
  [2, 400_000],
  [1, 1],
]

/** True if this run gives shards to every account. */
export const isSharded = Boolean((bindings as unknown as { TURNPIKE_SHARDS: string }).TURNPIKE_SHARDS)

/**
 * Gives shards to each new wallet, from the FORCED entries in turn. A wallet that loses its shards
 * stays without.
 */
export async function forceShards({ sql }: Pick<TestNamespace, "sql">): Promise<void> {
  const rows = FORCED.map(([shards, hold], n) => `(${n}, ${shards}, ${hold})`).join(", ")
  const pick = `select * from (values ${rows}) f (n, shards, hold) where f.n = new.user_id % ${FORCED.length}`
  await sql(`create function force_shards() returns trigger language plpgsql as $$
    declare forced record;
    begin
      for forced in ${pick} loop
        new.shards := forced.shards;
        new.shard_hold_credit_micros := forced.hold;
        new.folded_credit_micros := 0;
        insert into wallet_shards (user_id, shard, held_credit_micros)
          select new.user_id, s, case s when 0 then new.held_credit_micros else 0 end from generate_series(0, forced.shards - 1) s
          on conflict (user_id, shard) do update set balance_credit_micros = 0, held_credit_micros = excluded.held_credit_micros;
        new.held_credit_micros := 0;
      end loop;
      return new;
    end $$`)
  await sql("create trigger force_shards before insert on wallets for each row execute function force_shards()")
}
