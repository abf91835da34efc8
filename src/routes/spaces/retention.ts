import * as z from "zod"
import { needsSpaceRole } from "../../actor/shares.ts"
import type { App } from "../../http/app.ts"
import { idParam } from "../../http/query.ts"
import {
  getRetention,
  PUT_RETENTION_ERRORS,
  putRetention,
  putRetentionSchema,
  retentionSchema,
} from "../../retention/space-retention.ts"
import { bareQuery, type Mounting } from "../mounting.ts"

const tag = "Configuration"
const params = z.object({ space_id: idParam })

/** How long the data of a space's turns is kept. Mounted for keys and for a signed-in user. */
export function mountRetention(app: App, mounting: Mounting) {
  const path = `${mounting.prefix}/spaces/{space_id}/retention`
  const query = bareQuery(mounting)

  app.operation(
    {
      method: "get",
      path,
      id: "getRetention",
      tagged: {},
      tag,
      summary: "Read how long a space's data is kept",
      params,
      query,
      answer: { status: 200, description: "The days of the space and of the service.", schema: retentionSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => getRetention(c.get("ctx"), c.get("credential"), params.space_id),
  )

  app.operation(
    {
      method: "put",
      path,
      id: "putRetention",
      tagged: {},
      tag,
      summary: "Set how long a space's data is kept",
      description:
        "Replaces all days of the space. Data that is older is deleted within an hour, and cannot be restored. Bills, token counts, " +
        "states and times of turns are always kept. A turn whose texts were deleted is no part of its conversation any more.",
      params,
      query,
      body: putRetentionSchema,
      answer: { status: 200, description: "The days of the space and of the service.", schema: retentionSchema },
      errors: PUT_RETENTION_ERRORS,
      spaceRole: needsSpaceRole("admin"),
    },
    async (c, { params, body }) => putRetention(c.get("ctx"), c.get("credential"), params.space_id, body),
  )
}
