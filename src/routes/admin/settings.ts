import type { App } from "../../http/app.ts"
import { listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { listSettings, putSetting, settingSchema, settingUpdateSchema } from "../../settings/settings.ts"

const tag = "admin"

export function mountSettings(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/settings",
      id: "listSettings",
      tag,
      summary: "List settings",
      description: "Every setting there is, with its bounds, what counts now, and who changed it last.",
      answer: { status: 200, description: "All of them.", schema: listOf(settingSchema) },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c) => wholeList(await listSettings(c.get("ctx"), sessionOf(c))),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/settings",
      id: "updateSetting",
      tag,
      summary: "Change a setting",
      description: "Sets one setting. The change binds the next request, and is in the audit log.",
      versioned: "checked",
      body: settingUpdateSchema,
      answer: { status: 200, description: "The setting as it is now.", schema: settingSchema },
      errors: ["ADMIN_REQUIRED", "PLAN_IN_USE", "SECOND_FACTOR_NOT_SET_UP"],
    },
    async (c, { body: { key, value }, ifVersion }) => putSetting(c.get("ctx"), sessionOf(c), { key, value, ifVersion }),
  )
}
