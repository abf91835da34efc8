import { neon } from "@neondatabase/serverless"
import { RELEASE } from "../../src/platform/procedures.ts"
import { recordText } from "../../src/platform/records.ts"
import type { World } from "./world.ts"

/** Statements and procedures with the role of a worker, as a lost connection string allows them. */
export function workerRoles(worldNow: () => World) {
  const sqlOf = (worker: string) => neon(worldNow().workerUrls[worker] as string)
  return {
    sqlOf,
    roleOf: (worker: string) => new URL(worldNow().workerUrls[worker] as string).username,
    /** Calls a procedure. */
    async callAsWorker(worker: string, name: string, args: Record<string, unknown>) {
      const names = Object.keys(args)
      const given = names.map((one, at) => `p_${one} => $${at + 1}`).join(", ")
      const values = Object.values(args)
      const [row] = await sqlOf(worker).query(`select to_json(r) as answer from ${RELEASE}.${name}(${given}) r`, values)
      return (row as { answer: Record<string, unknown> }).answer
    },
    /** The first argument of a procedure with a caller: a session's token, or a key's hash in hex. */
    caller(token: string, kind: "session" | "key" = "session") {
      const request = {
        kind,
        token,
        test: false,
        moment: worldNow().clock.now(),
        request_id: null,
        address: null,
        page_user: null,
        page_account: null,
        if_config: null,
        needs: null,
      }
      return { request: recordText("request", request) }
    },
    atNow: () => ({ moment: worldNow().clock.now().toISOString() }),
  }
}
