import { type EventRow, eventRowOf, serializeEvent } from "../../src/webhooks/event-payload.ts"
import { declarationOf } from "../../src/webhooks/event-types.ts"
import type { TestNamespace } from "./namespace.ts"

/** Throws if the data of a stored event does not fit the schema of its type. It looks at the newest of each type. */
export async function expectEventsFit({ sql }: Pick<TestNamespace, "sql">): Promise<void> {
  const newest = await sql<{ told: Parameters<typeof eventRowOf>[0] }>(
    `select jsonb_build_object('event', e, 'turn', t, 'slug', s.slug) as told
       from (select n.*, row_number() over (partition by n.type order by n.event_id desc) as place from events n) n
       join events e on e.event_id = n.event_id
       left join turns t on t.turn_id = e.turn_id left join spaces s on s.space_id = t.space_id
      where n.place <= 3`,
  )
  const faults = newest.flatMap(({ told }) => faultsOf(eventRowOf(told)))
  if (faults.length > 0) throw new Error(`Events do not fit the schema of their type: ${faults.join("; ")}`)
}

function faultsOf(row: EventRow): string[] {
  const { data, type } = serializeEvent(row)
  const { success, error } = declarationOf(type).data.strict().safeParse(data)
  return success ? [] : error.issues.map(({ path, message }) => `${type} ${path.join(".")}: ${message}`)
}
