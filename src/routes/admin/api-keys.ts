import * as z from "zod"
import {
  externalKeySchema,
  listApiKeys,
  putApiKey,
  SHOWN_OF_KEY,
  updateApiKeySchema,
} from "../../environment/api-keys.ts"
import type { App } from "../../http/app.ts"
import { idParam, listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const tag = "admin"

export function mountApiKeys(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/api-keys",
      id: "listExternalApiKeys",
      tag,
      summary: "List external API keys",
      description:
        "The service's own keys at the providers of models: all that engines know and all that were set, with what the calls " +
        `that each served have used. A value is never shown, only its last ${SHOWN_OF_KEY} characters.`,
      answer: { status: 200, description: "All of them.", schema: listOf(externalKeySchema) },
      errors: ["ADMIN_REQUIRED"],
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
        "Sets one key of an environment file, also one that was not there. The next model call uses it. An unknown file is " +
        "NOT_FOUND. A `*_BASE_URL` is not sent the key of the worker's variables: set that server's key too.",
      versioned: "checked",
      params: z.object({ key_id: idParam.meta({ description: "`file.KEY`.", example: "engines.OPENAI_API_KEY" }) }),
      body: updateApiKeySchema,
      answer: { status: 200, description: "The key as it is now.", schema: externalKeySchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "CONFLICT"],
    },
    async (c, { params, body: { value }, ifVersion }) =>
      putApiKey(c.get("ctx"), sessionOf(c), { keyId: params.key_id, value, ifVersion }),
  )
}
