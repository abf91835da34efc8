import { App } from "../../src/http/app.ts"
import type { Operation } from "../../src/http/operation.ts"
import { admin as group } from "../../src/routes/admin/group.ts"
import { ADMIN_ANALYTICS } from "./admin-analytics.ts"
import { ADMIN_MONEY } from "./admin-analytics-money.ts"
import { ADMIN_GROUPS } from "./admin-groups.ts"
import { ADMIN_LOGINS } from "./admin-logins.ts"
import { ADMIN_PEOPLE } from "./admin-people.ts"
import { ADMIN_PLACES } from "./admin-places.ts"
import { ADMIN_PROVIDERS } from "./admin-providers.ts"
import { ADMIN_SYSTEM } from "./admin-system.ts"
import { type Admin, signInAdmin } from "./books.ts"
import { createRandom, type Random } from "./random.ts"
import type { TestClient, World } from "./world.ts"

/** What a fixture may build on: an admin, and an account with credit. */
export interface AdminEstate {
  world: World
  admin: Admin
  client: TestClient
  random: Random
}

/** A request that succeeds. Write the word "canary" into every secret that it sends. */
export interface AdminRequest {
  params?: Record<string, string | number>
  query?: string
  body?: object
  headers?: Record<string, string>
}

/** By operation id: makes what the request needs, anew each time, so that a write has an effect. */
export type AdminFixtures = Record<string, (estate: AdminEstate) => Promise<AdminRequest>>

const FIXTURES: AdminFixtures = {
  ...ADMIN_PEOPLE,
  ...ADMIN_PLACES,
  ...ADMIN_GROUPS,
  ...ADMIN_SYSTEM,
  ...ADMIN_LOGINS,
  ...ADMIN_PROVIDERS,
  ...ADMIN_ANALYTICS,
  ...ADMIN_MONEY,
}

/** Every operation of admins, from the table that the worker routes by. */
export const adminOperations: readonly Operation[] = (() => {
  const app = new App()
  group.mount(app)
  return app.operations
})()

export async function adminEstate(world: World, name: string): Promise<AdminEstate> {
  return { world, admin: await signInAdmin(world), client: await world.createAccount(), random: createRandom(name) }
}

/** A request of an operation that succeeds. */
export async function requestOf(estate: AdminEstate, operation: Operation) {
  const fixture = FIXTURES[operation.id]
  if (!fixture) throw new Error(`say in test/harness/admin-*.ts how ${operation.id} is called`)
  const { params = {}, query = "", body, headers = {} } = await fixture(estate)
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, key: string) => encodeURIComponent(String(params[key])))
  return { method: operation.method.toUpperCase(), path: path + query, body, headers }
}
