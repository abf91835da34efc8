import * as z from "zod"
import type { App } from "../../http/app.ts"
import { createdQuery, idParam, pageOf, pageQuery } from "../../http/query.ts"
import { serializeEvent } from "../../webhooks/event-payload.ts"
import { getEvent, listEvents } from "../../webhooks/list-events.ts"
import { EVENT_TYPES, eventSchema } from "../../webhooks/schemas.ts"

/** The feed that webhooks tell of: /v1/events. */
export function mountEvents(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/events",
      id: "listEvents",
      tag: "Events",
      summary: "List events",
      description:
        "Every event that a webhook could have told of, with or without one. Newest first; with `order=asc` oldest first, to " +
        "catch up: each such page has a `next_cursor`, at the end of the feed too, and whoever comes back with it misses " +
        "nothing and sees nothing twice. A cursor belongs to the filters it was given for.",
      query: z.strictObject({
        ...pageQuery,
        order: z.enum(["asc", "desc"]).default("desc"),
        type: z.enum([...EVENT_TYPES, "ping"]).optional(),
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
      path: "/v1/events/{event_id}",
      id: "getEvent",
      tag: "Events",
      summary: "Read an event",
      params: z.object({ event_id: idParam }),
      answer: { status: 200, description: "The event.", schema: eventSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeEvent(await getEvent(c.get("ctx"), c.get("credential"), params.event_id)),
  )
}
