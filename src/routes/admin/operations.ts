import type { App } from "../../http/app.ts"
import { mountAudit } from "./audit.ts"
import { mountBooks } from "./books.ts"
import { mountOverview } from "./overview.ts"
import { mountSettings } from "./settings.ts"
import { mountSubscriptions } from "./subscriptions.ts"
import { mountSystem } from "./system.ts"
import { mountUsers } from "./users.ts"

/** What admins do, and only they: each verb asks for the role in its own statement. */
export function mountAdmin(app: App) {
  mountSystem(app)
  mountBooks(app)
  mountSettings(app)
  mountUsers(app)
  mountSubscriptions(app)
  mountAudit(app)
  mountOverview(app)
}
