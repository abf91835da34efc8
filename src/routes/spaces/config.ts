import * as z from "zod"
import { needsSpaceRole } from "../../actor/shares.ts"
import { manifestSchema } from "../../agent-config/manifest.ts"
import { secretName } from "../../agent-config/names.ts"
import { putSecretSchema, secretSchema } from "../../agent-config/secret.ts"
import type { App } from "../../http/app.ts"
import { createdQuery, idParam, numberCursor, pageOf, pageQuery, wholeParam } from "../../http/query.ts"
import { getSpace } from "../../spaces/get-space.ts"
import {
  configVersionSchema,
  getConfigVersion,
  listConfigVersions,
  wholeConfigVersionSchema,
} from "../../spaces/list-versions.ts"
import { PUT_MANIFEST_ERRORS, putManifest } from "../../spaces/patch-space.ts"
import {
  listSecrets,
  PUT_SECRET_ERRORS,
  putSecret,
  REMOVE_SECRET_ERRORS,
  removeSecret,
} from "../../spaces/put-secret.ts"
import { bareQuery, type Mounting, wholeListAt } from "../mounting.ts"

const tag = "Configuration"
/** Higher than every version number, so that the list starts with the newest version. */
const NEWEST = 2_147_483_647
const spaceParams = z.object({ space_id: idParam })
const secretParams = z.object({ space_id: idParam, name: secretName })

export const deletedSchema = z
  .object({ name: z.string().meta({ example: "lookup_order" }), deleted: z.literal(true) })
  .meta({ id: "Deleted" })

/** Manifest, secrets and versions of a space's configuration. Mounted for keys and for a signed-in user. */
export function mountSpaceConfig(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const query = bareQuery(mounting)
  const secrets = wholeListAt(mounting, secretSchema)

  app.operation(
    {
      method: "get",
      path: `${prefix}/spaces/{space_id}/manifest`,
      id: "getManifest",
      tagged: {},
      tag,
      summary: "Read a space's manifest",
      params: spaceParams,
      query,
      answer: { status: 200, description: "The manifest.", schema: manifestSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => (await getSpace(c.get("ctx"), c.get("credential"), params.space_id)).manifest,
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/spaces/{space_id}/manifest`,
      id: "putManifest",
      tagged: {},
      tag,
      summary: "Replace a space's manifest",
      description: "Running turns keep the configuration with which they started.",
      params: spaceParams,
      query,
      body: manifestSchema,
      answer: { status: 200, description: "The new manifest.", schema: manifestSchema },
      errors: PUT_MANIFEST_ERRORS,
      spaceRole: needsSpaceRole("admin"),
    },
    async (c, { params, body }) => putManifest(c.get("ctx"), c.get("credential"), params.space_id, body),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/spaces/{space_id}/secrets`,
      id: "listSecrets",
      tag,
      summary: "List a space's secrets",
      description: "Returns names and dates. Values are never returned.",
      params: spaceParams,
      query,
      answer: { status: 200, description: "The secrets, by name.", schema: secrets.schema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => secrets.of(await listSecrets(c.get("ctx"), c.get("credential"), params.space_id)),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/spaces/{space_id}/secrets/{name}`,
      id: "putSecret",
      tag,
      summary: "Set a secret",
      description:
        "Tools and MCP servers use the secret as `{{secrets.NAME}}`. A running turn uses the old value until its " +
        "next callback.",
      params: secretParams,
      query,
      body: putSecretSchema,
      answer: { status: 200, description: "The secret, without its value.", schema: secretSchema },
      errors: PUT_SECRET_ERRORS,
      spaceRole: needsSpaceRole("admin"),
    },
    async (c, { params, body }) =>
      putSecret(c.get("ctx"), c.get("credential"), params.space_id, { name: params.name, value: body.value }),
  )

  app.operation(
    {
      method: "delete",
      path: `${prefix}/spaces/{space_id}/secrets/{name}`,
      id: "deleteSecret",
      tag,
      summary: "Delete a secret",
      params: secretParams,
      query,
      answer: { status: 200, description: "The secret was deleted.", schema: deletedSchema },
      errors: REMOVE_SECRET_ERRORS,
    },
    async (c, { params }) => {
      await removeSecret(c.get("ctx"), c.get("credential"), params.space_id, params.name)
      return { name: params.name, deleted: true as const }
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/spaces/{space_id}/versions`,
      id: "listConfigVersions",
      tag,
      summary: "List the versions of a space's configuration",
      description:
        "Newest first. A turn's `turn.running` event contains the version that it uses. The newest 1000 are kept, but only ten if the account " +
        "has reached its limit of `config_bytes`. Versions that open turns use, and all newer ones, are always kept.",
      params: spaceParams,
      query: z.strictObject({
        ...mounting.query,
        limit: pageQuery.limit,
        cursor: numberCursor(1, NEWEST),
        ...createdQuery,
      }),
      answer: { status: 200, description: "A page of versions.", schema: pageOf(configVersionSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { limit, cursor, ...created } }) => {
      const options = { spaceId: params.space_id, before: cursor ?? NEWEST, limit, ...created }
      const versions = await listConfigVersions(c.get("ctx"), c.get("credential"), options)
      const data = versions.slice(0, limit)
      const has_more = versions.length > limit
      return { data, has_more, next_cursor: has_more ? String(data.at(-1)?.version) : null }
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/spaces/{space_id}/versions/{version}`,
      id: "getConfigVersion",
      tag,
      summary: "Read one version of a space's configuration",
      params: z.object({ space_id: idParam, version: wholeParam(1, 2_147_483_647) }),
      query,
      answer: {
        status: 200,
        description: "The whole configuration of that version.",
        schema: wholeConfigVersionSchema,
      },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id: spaceId, version } }) =>
      getConfigVersion(c.get("ctx"), c.get("credential"), { spaceId, version }),
  )
}
