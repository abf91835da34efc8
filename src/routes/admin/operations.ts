import type { App } from "../../http/app.ts"
import { mountBooks } from "./books.ts"
import { mountCatalog } from "./catalog.ts"
import { mountSettings } from "./settings.ts"
import { mountAllSpaces } from "./spaces.ts"
import { mountSystem } from "./system.ts"
import { mountTasks } from "./tasks.ts"
import { mountTeams } from "./teams.ts"
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
}
