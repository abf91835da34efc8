import * as z from "zod"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { listMappings, mappingSchema, mappingUpsertSchema, putMapping } from "../../infrastructure/mappings.ts"

const tag = "admin"
const path = "/api/admin/system/containers/mappings"

export function mountContainers(app: App) {
  app.operation(
    {
      method: "get",
      path,
      id: "listContainerMappings",
      tag,
      summary: "List container mappings",
      description: "Which spaces' agents execute in which containers; the oldest mapping first.",
      query: z.strictObject({
        space: idParam.optional().meta({ description: "Only those of this space." }),
        container: idParam.optional().meta({ description: "Only those to this container." }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of mappings.", schema: listOf(mappingSchema) },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { limit, offset, ...filters } }) => ({
      ...(await listMappings(c.get("ctx"), sessionOf(c), { filters, limit, offset })),
      limit,
      offset,
    }),
  )

  app.operation(
    {
      method: "put",
      path,
      id: "putContainerMapping",
      tag,
      summary: "Map a space to a container",
      description:
        "Makes or changes the mapping of this container and space; several can be there. The container is a Streamable HTTP MCP " +
        "server of the operator's: the space's turns have its tools as `container__…`, from the next one that a worker takes. Its " +
        "URL and headers are shown to no customer.",
      versioned: "checked",
      body: mappingUpsertSchema,
      answer: { status: 200, description: "The mapping as it is now.", schema: mappingSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
    },
    async (c, { body, ifVersion }) => putMapping(c.get("ctx"), sessionOf(c), body, ifVersion),
  )
}
