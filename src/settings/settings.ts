import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValue } from "./registry.ts"

export const settingSchema = z
  .object({
    key: z.enum(SETTING_KEYS).meta({ example: "trial_days" }),
    value: z.unknown().meta({ description: "The current value.", example: 14 }),
    default: z.unknown().meta({ description: "The value until an operator sets one.", example: 14 }),
    description: z.string(),
    schema: z.record(z.string(), z.unknown()).meta({
      description: "The JSON Schema of the value.",
      example: { type: "integer", minimum: 0, maximum: 3650 },
    }),
    version: z.int().meta({ description: "Increases with each change. 0 if the setting was never set." }),
    updated_at: z.iso.datetime().nullable(),
    updated_by: changedBySchema("The admin who last set it; null if it was never set, or was set by the command line."),
  })
  .meta({ id: "Setting" })

type Setting = z.infer<typeof settingSchema>

/** SettingUpdate of docs/contract.md. */
export const settingUpdateSchema = z
  .strictObject({
    key: z.enum(SETTING_KEYS).meta({ example: "trial_days" }),
    value: z.unknown().meta({ description: "The complete new value.", example: 14 }),
  })
  .meta({ id: "SettingUpdate" })

type SettingRow = Answers["setting_answer"]

function serializeSetting(key: SettingKey, row: SettingRow | null | undefined): Setting {
  const { schema, default: usual, description } = SETTINGS[key]
  const { $schema: _schema, ...shape } = z.toJSONSchema(schema, { io: "input" })
  return {
    key,
    value: row ? row.value : usual,
    default: usual,
    description,
    schema: shape,
    version: row?.version ?? 0,
    updated_at: row ? toInstant(row.updated_at) : null,
    updated_by: serializeChangedBy(row),
  }
}

/** All settings, each with the admin who last changed it. */
export async function listSettings(ctx: Context, credential: SessionCredential): Promise<Setting[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("settings as s")
        .innerJoin("caller", (join) => join.onTrue())
        .leftJoin("users as u", "u.user_id", "s.updated_by")
        .select(["s.key", "s.value", "s.version", "s.updated_at", "s.updated_by", "u.name as updated_by_name"]),
    { role: "admin" },
  )
  const byKey = new Map(rows.map((row) => [row.key, row]))
  return SETTING_KEYS.map((key) => serializeSetting(key, byKey.get(key)))
}

export const PUT_SETTING_ERRORS = ["PLAN_IN_USE", "SECOND_FACTOR_NOT_SET_UP"] as const

/** Sets a setting, from the next request on. VALIDATION_FAILED, PLAN_IN_USE, SECOND_FACTOR_NOT_SET_UP. */
export async function putSetting(
  ctx: Context,
  credential: SessionCredential,
  { key, value, ifVersion }: { key: SettingKey; value: unknown; ifVersion: number | null },
): Promise<Setting> {
  const parsed = SETTINGS[key].schema.safeParse(value)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({
      location: "body" as const,
      path: ["value", ...path].map((part) => (typeof part === "number" ? part : String(part))),
      type: "value_error",
      message,
    }))
    throw new TurnpikeError("VALIDATION_FAILED", `value: ${faults[0]?.message}`, { param: "value", faults })
  }
  return editAs(ctx, credential, "put_setting", {
    args: { key, value: parsed.data as object, if_version: ifVersion },
    refusals: {
      no_factor: [
        "SECOND_FACTOR_NOT_SET_UP",
        "Set up a second factor for yourself first. Otherwise this setting would remove your admin rights.",
      ],
      plan_in_use: [
        "PLAN_IN_USE",
        "Active subscriptions use a plan that you are removing. Deactivate them, or move them to another plan, first.",
      ],
    },
    serialize: (row: SettingRow | null) => serializeSetting(key, row),
  })
}

/** The current value of a setting, for verbs and sweeps. */
export async function readSetting<Key extends SettingKey>(
  ctx: Pick<Context, "db">,
  key: Key,
): Promise<SettingValue<Key>> {
  const row = await ctx.db.selectFrom("settings").select("value").where("key", "=", key).executeTakeFirst()
  return (row ? row.value : SETTINGS[key].default) as SettingValue<Key>
}
