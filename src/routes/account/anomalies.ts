import * as z from "zod"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { ANOMALY_STATES, anomalySchema, listAnomalies, putAnomaly, putAnomalySchema } from "../../spending/anomaly.ts"

const tag = "Account"

/** Days on which an end user, a key or a space spent far above its pattern. */
export function mountAnomalies(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/anomalies",
      id: "listAnomalies",
      tag,
      summary: "List anomalies of spend",
      description:
        "The days on which an end user, a key or a space was billed far above its own pattern, newest first. Each is found within minutes while turns run, " +
        "and told once, by the event `anomaly.found` and by email. A subject without a pattern has none. Test turns do not count.",
      query: z.strictObject({
        state: z.enum(ANOMALY_STATES).optional().meta({ description: "Only anomalies in this state." }),
        end_user_ref: z.string().max(256).optional().meta({ description: "Only of this end user." }),
        key_id: idParam.optional().meta({ description: "Only of this key." }),
        space: idParam.optional().meta({ description: "Only of this space." }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of anomalies.", schema: listOf(anomalySchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...filters } }) => ({
      ...(await listAnomalies(c.get("ctx"), sessionOf(c), { filters, limit, offset })),
      limit,
      offset,
    }),
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/anomalies/{anomaly_id}",
      id: "putAnomaly",
      tag,
      summary: "Dismiss an anomaly",
      description: "A dismissed anomaly needs nothing more. `open` takes that back.",
      params: z.object({ anomaly_id: idParam }),
      body: putAnomalySchema,
      answer: { status: 200, description: "The anomaly.", schema: anomalySchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, body: { state } }) =>
      putAnomaly(c.get("ctx"), sessionOf(c), { anomalyId: params.anomaly_id, state }),
  )
}
