import type { App } from "../../http/app.ts"
import { listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  listSettings,
  PUT_SETTING_ERRORS,
  putSetting,
  settingSchema,
  settingUpdateSchema,
} from "../../settings/settings.ts"
import { raised } from "../raised.ts"

const tag = "admin"

export function mountSettings(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/settings",
      id: "listSettings",
      tag,
      summary: "List settings",
      description: "All settings, each with its bounds, its current value, and the user who changed it last.",
      answer: { status: 200, description: "All settings.", schema: listOf(settingSchema) },
      errors: [],
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
      description:
        "Changes one setting. The change applies from the next request on, and is recorded in the audit log.",
      versioned: "checked",
      body: settingUpdateSchema,
      answer: { status: 200, description: "The current setting.", schema: settingSchema },
      errors: PUT_SETTING_ERRORS,
    },
    async (c, { body: { key, value }, ifVersion }) =>
      raised(c, await putSetting(c.get("ctx"), sessionOf(c), { key, value, ifVersion })),
  )
}
