import type { App } from "../../http/app.ts"
import { mountAudit } from "./audit.ts"
import { mountBooks } from "./books.ts"
import { mountCatalog } from "./catalog.ts"
import { mountOverview } from "./overview.ts"
import { mountSettings, mountSettings } from "./settings.ts"
import { mountAllSpaces } from "./spaces.ts"
import { mountSubscriptions } from "./subscriptions.ts"
import { mountSystem, mountSystem } from "./system.ts"
import { mountTasks } from "./tasks.ts"
import { mountTeams } from "./teams.ts"
import { mountUsers } from "./users.ts"
import { mountWorkspaces } from "./workspaces.ts"

/** What admins do, and only they: each verb asks for the role in its own statement. */
export function mountAdmin(app: App) {
  mountSystem(app)
  mountBooks(app)
  mountSettings(app)
  mountTeams(app)
  mountWorkspaces(app)
  mountCatalog(app)
  mountAllSpaces(app)
  mountTasks(app)
  mountUsers(app)
  mountSubscriptions(app)
  mountAudit(app)
  mountOverview(app)
}
