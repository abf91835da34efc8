import * as z from "zod"
import {
  externalKeySchema,
  listApiKeys,
  PUT_API_KEY_ERRORS,
  putApiKey,
  SHOWN_OF_KEY,
  unsetApiKey,
  updateApiKeySchema,
} from "../../environment/api-keys.ts"
import type { App } from "../../http/app.ts"
import { idParam, listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const tag = "admin"
const params = z.object({ key_id: idParam.meta({ description: "`file.KEY`.", example: "engines.OPENAI_API_KEY" }) })

export function mountApiKeys(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/api-keys",
      id: "listExternalApiKeys",
      tag,
      summary: "List external API keys",
      description:
        "The service's own keys at the model providers: all keys that engines know and all keys that were set, with the usage of the calls " +
        `that each key served. A value is never shown, only its last ${SHOWN_OF_KEY} characters.`,
      answer: { status: 200, description: "All external keys.", schema: listOf(externalKeySchema) },
      errors: [],
    },
    async (c) => wholeList(await listApiKeys(c.get("ctx"), sessionOf(c))),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/api-keys/{key_id}",
      id: "updateExternalApiKey",
      tag,
      summary: "Set an external API key",
      description:
        "Sets one key of an environment file, or adds it. The next model call uses it. An unknown file is " +
        "NOT_FOUND. The key from the worker's variables is never sent to a `*_BASE_URL` that you set here, so set the key of that server too.",
      versioned: "checked",
      params,
      body: updateApiKeySchema,
      answer: { status: 200, description: "The current key.", schema: externalKeySchema },
      errors: PUT_API_KEY_ERRORS,
    },
    async (c, { params, body: { value }, ifVersion }) =>
      putApiKey(c.get("ctx"), sessionOf(c), { keyId: params.key_id, value, ifVersion }),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/api-keys/{key_id}",
      id: "unsetExternalApiKey",
      tag,
      summary: "Unset an external API key",
      description:
        "Deletes the stored value. The next model call uses the environment variable of the worker, if it exists. Otherwise calls to the " +
        "key's `providers` fail, unless a provider account serves them. A second request returns the same response.",
      versioned: "checked",
      params,
      answer: { status: 200, description: "The key, without a value.", schema: externalKeySchema },
      errors: PUT_API_KEY_ERRORS,
    },
    async (c, { params, ifVersion }) => unsetApiKey(c.get("ctx"), sessionOf(c), { keyId: params.key_id, ifVersion }),
  )
}
