import * as z from "zod"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  listMappings,
  mappingSchema,
  mappingUpsertSchema,
  putMapping,
  removeMapping,
} from "../../infrastructure/mappings.ts"

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
      description: "The mappings of spaces to the containers in which their agents run, oldest first.",
      query: z.strictObject({
        space: idParam.optional().meta({ description: "Only mappings of this space." }),
        container: idParam.optional().meta({ description: "Only mappings to this container." }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of mappings.", schema: listOf(mappingSchema) },
      errors: [],
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
        "Creates or changes the mapping of this container and space. A space can have several mappings. The container is a Streamable HTTP " +
        "MCP server of the operator. Turns of the space get its tools as `container__…`, from the next turn that a worker claims. Owners " +
        "cannot see its URL and headers.",
      versioned: "checked",
      body: mappingUpsertSchema,
      answer: { status: 200, description: "The current mapping.", schema: mappingSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { body, ifVersion }) => putMapping(c.get("ctx"), sessionOf(c), body, ifVersion),
  )

  app.operation(
    {
      method: "delete",
      path: `${path}/{space}/{container}`,
      id: "removeContainerMapping",
      tag,
      summary: "Remove a container mapping",
      description:
        "Removes the mapping of this space and container, with its headers. Turns that a worker claims later do not get the tools of the " +
        "container. Its past use stays in bills and reports.",
      versioned: "checked",
      params: z.object({
        space: idParam.meta({ description: "The slug of the space.", example: "spc_01k8m3v9q2x7" }),
        container: idParam.meta({ example: "sandbox" }),
      }),
      answer: { status: 200, description: "The removed mapping.", schema: mappingSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, ifVersion }) => removeMapping(c.get("ctx"), sessionOf(c), { ...params, ifVersion }),
  )
}
