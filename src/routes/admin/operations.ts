import type { App } from "../../http/app.ts"
import { mountApiKeys } from "./api-keys.ts"
import { mountBooks } from "./books.ts"
import { mountContainers } from "./containers.ts"
import { mountSettings } from "./settings.ts"
import { mountSystem } from "./system.ts"

/** What admins do, and only they: each verb asks for the role in its own statement. */
export function mountAdmin(app: App) {
  mountSystem(app)
  mountBooks(app)
  mountSettings(app)
  mountApiKeys(app)
  mountContainers(app)
}
