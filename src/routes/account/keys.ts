import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { booleanParam, idParam, listOf, listQuery, repeated, searchParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  ROTATE_KEY_ERRORS,
  revokeKey,
  rotateKey,
  rotateKeySchema,
  UPDATE_KEY_ERRORS,
  updateKey,
  updateKeySchema,
} from "../../keys/change-key.ts"
import { CREATE_KEY_ERRORS, createKey, createKeySchema } from "../../keys/create-key.ts"
import { keySchema, keyWithCapsSchema, newKeySchema, serializeKey } from "../../keys/key-row.ts"
import { getKey, listKeys } from "../../keys/list-keys.ts"
import { serializeCapState } from "../../quotas/cap-state.ts"
import { raised } from "../raised.ts"

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
      description: "Only this response contains the key's value: store it now. Use keys only on servers.",
      idempotent: "replayed",
      body: createKeySchema,
      answer: {
        status: 201,
        description: "The key and its value.",
        schema: newKeySchema,
        headers: { Location: "The key's path." },
      },
      errors: CREATE_KEY_ERRORS,
    },
    async (c, { body, once }) => {
      const { key, value } = madeOf(c, await createKey(c.get("ctx"), sessionOf(c), body, once))
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
        q: searchParam.meta({
          description: "A part of the name, or a prefix of the id. Case of the name does not matter.",
        }),
        key: repeated.optional().meta({ description: "Only these keys. Repeat the parameter for several." }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of keys.", schema: listOf(keySchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...search } }) => {
      const { keys, total } = await listKeys(c.get("ctx"), sessionOf(c), { search, limit, offset })
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
      return { ...serializeKey(key), cap_states: key.cap_states.map(serializeCapState), rate_states: key.rate_states }
    },
  )

  app.operation(
    {
      method: "patch",
      path: "/api/account/keys/{key_id}",
      id: "updateKey",
      tag,
      summary: "Change an API key's name, caps or expiry",
      description:
        "Fields that you leave out keep their values. An expired key works again if you set a later " +
        "expiry. A revoked key never works again.",
      params: keyParams,
      body: updateKeySchema,
      answer: theKey,
      errors: UPDATE_KEY_ERRORS,
    },
    async (c, { params, body }) =>
      serializeKey(raised(c, await updateKey(c.get("ctx"), sessionOf(c), params.key_id, body))),
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/keys/{key_id}/rotate",
      id: "rotateKey",
      tag,
      summary: "Rotate an API key",
      description:
        "Gives the key a new value, which only this response shows. The key keeps its scope, caps and turns. The " +
        "old value works for another `overlap_seconds`. Values of earlier rotations expire as those rotations set. " +
        "With `overlap_seconds: 0`, all old values stop working at once. At most ten old values can work at a time.",
      idempotent: "replayed",
      params: keyParams,
      body: rotateKeySchema,
      answer: { status: 200, description: "The key and its new value.", schema: newKeySchema },
      errors: ROTATE_KEY_ERRORS,
    },
    async (c, { params, body, once }) => {
      const rotation = { keyId: params.key_id, overlapSeconds: body.overlap_seconds }
      const { key, value } = madeOf(c, await rotateKey(c.get("ctx"), sessionOf(c), rotation, once))
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
        "The key is rejected from its next request on, and this cannot be undone. Its queued turns are cancelled " +
        "(`key_revoked`), and its running turns stop before their next step. A second revoke returns the same " +
        "response.",
      params: keyParams,
      answer: theKey,
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeKey(await revokeKey(c.get("ctx"), sessionOf(c), params.key_id)),
  )
}
