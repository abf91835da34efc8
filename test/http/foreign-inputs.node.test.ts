import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

/** Foreign inputs whose right value only another file can show, next to those of `foreign-inputs.test.ts`. */
const SHOWN: [row: string, file: string, name: string][] = [
  ["A2, suspended after three", "providers/compared.test.ts", "and it is suspended after three"],
  ["B1, TimeZone and DateStyle", "platform/foreign-settings.test.ts", "Other settings of a database change no answer"],
  ["B1, new zones", "platform/foreign-settings.test.ts", "Pacific/Chatham"],
  ["B1, an idle connection ends", "local/idle-connections.system.test.ts", "does not end the process"],
  ["B2, forms and file names", "http/body-coding.test.ts", "A form's names are UTF-8"],
  ["B2, a header", "http/body-coding.test.ts", "The end user in a header is text in UTF-8"],
  ["B3, every operation", "auth/other-tab.test.ts", "does nothing for a page of another user"],
  ["B3, in a browser", "dashboard/other-tab.system.test.ts", "Twelve kinds of change on the page of one user"],
  ["B4, both plans", "ops/quota.test.ts", "Ten minutes without the plans of Redis and QStash"],
  ["B4, messages only", "ops/quota.test.ts", "QStash that refuses only messages"],
  ["B4, the way in", "ops/session-command.test.ts", "signs its user in while Redis fails"],
  ["B5, replaced, alongside, at once", "subscriptions/one-active.test.ts", "Ten concurrent requests without replaces"],
  ["B5, a finding", "subscriptions/one-active.test.ts", "The reconciliation finds users with several subscriptions"],
  ["B6, searches", "platform/letters.test.ts", "is found in each list by every spelling"],
  ["B6, emails", "platform/letters.test.ts", "are one email"],
  ["B7, every object", "v1/preconditions.test.ts", "needs the current ETag"],
  ["B7, the command line", "client/apply-space.node.test.ts", "is refused and writes nothing from then on"],
  ["B8, amounts", "http/amounts.test.ts", "A sum of prices as JavaScript adds them is refused as a number"],
  ["22, the address of a closed account", "admin/users.test.ts", "An email that is taken in any letter case"],
  ["small, a removed admin", "admin/workspaces.test.ts", "who is removed keeps access through the team"],
]

test.each(SHOWN)("The case %s is shown by the test in %s", (_row, file, name) => {
  expect(readFileSync(join("test", file), "utf8")).toContain(name)
})
