import { sql } from "kysely"

/** The earlier turn that waits, if a queued turn cannot start because of it. `t` is a row of `turns`. */
export const waitsBehind = sql<string | null>`(select b.turn_id from open_turns b
  where b.conversation_id = t.conversation_id and b.wake_at < 'infinity' and b.state = 'waiting' and t.state = 'queued')`
