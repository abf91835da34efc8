import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_MONEY: AdminFixtures = {}
