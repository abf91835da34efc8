import { activityEntrySchema, type EntryRow, serializeEntry } from "../actor/activity-entry.ts"
import { storedRow } from "../base/casts.ts"

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"

/** A change of the account (src/webhooks/tell-activity.sql). */
export const ACTIVITY_RECORDED = {
  label: "Something in the account was changed",
  when:
    "An entry is new in the account's activity (`GET /api/account/activity`): `data` is the entry, without an address. " +
    "Sign-ins and factors of the account's own user are left out. Only webhooks that name this type get it, within " +
    "about a minute; one for all types does not.",
  data: activityEntrySchema,
  serialize: ({ data }: { data: Record<string, unknown> }) => ({ ...serializeEntry(storedRow<EntryRow>(data)) }),
  example: () => ({
    activity_id: 311,
    action: "key.update",
    subject_type: "key",
    subject_id: `key_${ULID}`,
    by: "owner",
    name: "Ada",
    member_id: null,
    role: null,
    key_id: null,
    before: { daily_usd: 5 },
    after: { daily_usd: 20 },
    request_id: `req_${ULID}`,
    address: null,
    created_at: "2026-01-05T09:00:00.000Z",
  }),
}
