import type { App } from "../../http/app.ts"

/** What usage costs, what is billed, and how balances develop (contract section 4.5). */
export function mountMoneyAnalytics(_app: App) {}
