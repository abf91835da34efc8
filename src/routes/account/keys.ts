import * as z from "zod"
import type { App } from "../../http/app.ts"
import { booleanParam, idParam, listOf, listQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { revokeKey, rotateKey, rotateKeySchema, updateKey, updateKeySchema } from "../../keys/change-key.ts"
import { createKey, createKeySchema } from "../../keys/create-key.ts"
import { keySchema, keyWithCapsSchema, newKeySchema, serializeKey } from "../../keys/key-row.ts"
import { getKey, listKeys } from "../../keys/list-keys.ts"
import { serializeCapState } from "../../quotas/cap-state.ts"

const tag = "API keys"
const keyParams = z.object({ key_id: idParam })
const theKey = { status: 200, description: "The key.", schema: keySchema } as const

export function mountKeys(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/account/keys",
      id: "createKey",
      tag,
      summary: "Create an API key",
      description: "The key's value is in this answer only: store it now. Keys are for servers only.",
      body: createKeySchema,
      answer: {
        status: 201,
        description: "The key and its value.",
        schema: newKeySchema,
        headers: { Location: "Its path." },
      },
      errors: ["NOT_FOUND", "LIMIT_REACHED", "QUOTA_EXCEEDED"],
    },
    async (c, { body }) => {
      const { key, value } = await createKey(c.get("ctx"), sessionOf(c), body)
      c.header("Location", `/api/account/keys/${key.key_id}`)
      return { ...serializeKey(key), value }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/keys",
      id: "listKeys",
      tag,
      summary: "List API keys",
      description: "Newest first, including revoked and expired keys.",
      query: z.strictObject({
        test: booleanParam.optional().meta({ description: "`true`: only test keys. `false`: only live keys." }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of keys.", schema: listOf(keySchema) },
      errors: [],
    },
    async (c, { query: { test, limit, offset } }) => {
      const filters = { test, limit, offset }
      const { keys, total } = await listKeys(c.get("ctx"), sessionOf(c), filters)
      return { items: keys.map(serializeKey), total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/keys/{key_id}",
      id: "getKey",
      tag,
      summary: "Read an API key",
      params: keyParams,
      answer: { ...theKey, schema: keyWithCapsSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => {
      const key = await getKey(c.get("ctx"), sessionOf(c), params.key_id)
      return { ...serializeKey(key), cap_states: key.cap_states.map(serializeCapState) }
    },
  )

  app.operation(
    {
      method: "patch",
      path: "/api/account/keys/{key_id}",
      id: "updateKey",
      tag,
      summary: "Rename an API key, set its caps or its expiry",
      description:
        "Fields that you leave out stay as they are. An expired key works again when you give it a later " +
        "expiry. A revoked key never does.",
      params: keyParams,
      body: updateKeySchema,
      answer: theKey,
      errors: ["NOT_FOUND", "KEY_REVOKED", "QUOTA_EXCEEDED"],
    },
    async (c, { params, body }) => serializeKey(await updateKey(c.get("ctx"), sessionOf(c), params.key_id, body)),
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/keys/{key_id}/rotate",
      id: "rotateKey",
      tag,
      summary: "Give an API key a new value",
      description:
        "The key keeps its scope, caps and turns, and gets a new value, which is shown only here. The " +
        "former value works for `overlap_seconds` more. A value from an earlier rotation works as long as that rotation " +
        "said. With `overlap_seconds: 0`, all former values stop working at once. At most ten former values work at a time.",
      params: keyParams,
      body: rotateKeySchema,
      answer: { status: 200, description: "The key and its new value.", schema: newKeySchema },
      errors: ["NOT_FOUND", "KEY_REVOKED", "LIMIT_REACHED", "QUOTA_EXCEEDED"],
    },
    async (c, { params, body }) => {
      const rotation = { keyId: params.key_id, overlapSeconds: body.overlap_seconds }
      const { key, value } = await rotateKey(c.get("ctx"), sessionOf(c), rotation)
      return { ...serializeKey(key), value }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/keys/{key_id}/revoke",
      id: "revokeKey",
      tag,
      summary: "Revoke an API key",
      description:
        "The key is refused from its next request on, for good. Its queued turns are cancelled " +
        "(`key_revoked`), and its running turns stop at their next boundary. Revoking twice gives the same " +
        "answer.",
      params: keyParams,
      answer: theKey,
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeKey(await revokeKey(c.get("ctx"), sessionOf(c), params.key_id)),
  )
}
