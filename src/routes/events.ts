import * as z from "zod"
import type { App } from "../http/app.ts"
import { createdQuery, idParam, pageOf, pageQuery } from "../http/query.ts"
import { serializeEvent } from "../webhooks/event-payload.ts"
import { EVENT_NAMES } from "../webhooks/event-types.ts"
import { getEvent, listEvents } from "../webhooks/list-events.ts"
import { eventSchema } from "../webhooks/schemas.ts"
import { bareQuery, type Mounting } from "./mounting.ts"

/** The events feed. Mounted for keys and for a signed-in owner. */
export function mountEvents(app: App, mounting: Mounting) {
  const { prefix } = mounting

  app.operation(
    {
      method: "get",
      path: `${prefix}/events`,
      id: "listEvents",
      tag: "Events",
      summary: "List events",
      description:
        "All events of the account, newest first, including those that no webhook received. To catch up, read " +
        "with `order=asc`, oldest first. Then every page has a `next_cursor`, even the last one. Continue " +
        "with it later, and you get every new event exactly once. Use a cursor only with the filters of " +
        "the page that returned it.",
      query: z.strictObject({
        ...mounting.query,
        ...pageQuery,
        order: z.enum(["asc", "desc"]).default("desc"),
        type: z.enum(EVENT_NAMES).optional(),
        turn: idParam.optional(),
        ...createdQuery,
      }),
      answer: { status: 200, description: "A page of events.", schema: pageOf(eventSchema) },
      errors: [],
    },
    async (c, { query: { limit, cursor, ...filters } }) => {
      const page = await listEvents(c.get("ctx"), c.get("credential"), { filters, limit, cursor })
      return { ...page, data: page.data.map(serializeEvent) }
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/events/{event_id}`,
      id: "getEvent",
      tag: "Events",
      summary: "Read an event",
      params: z.object({ event_id: idParam }),
      query: bareQuery(mounting),
      answer: { status: 200, description: "The event.", schema: eventSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeEvent(await getEvent(c.get("ctx"), c.get("credential"), params.event_id)),
  )
}
