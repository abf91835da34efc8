import type { Context } from "../actor/context.ts"
import { numberedName, safeName } from "../files/safe-name.ts"
import type { ToolTurn } from "./task-tools.ts"

/**
 * The names of one turn's outputs, as far as this worker knows. Several agents may
 * make pictures at the same time.
 */
export class OutputNames {
  private readonly taken = new Set<string>()

  /** Adds the names of the turn's existing files. */
  async look({ db }: Pick<Context, "db">, { turn_id }: Pick<ToolTurn, "turn_id">): Promise<void> {
    const files = db.selectFrom("files").select("name").where("turn_id", "=", turn_id).where("state", "=", "pending")
    for (const { name } of await files.execute()) this.taken.add(name)
  }

  /** Reserves a unique name: the wanted one, or the first free one with a number. */
  take(wanted: string): string {
    const safe = safeName(wanted)
    let name = safe
    for (let number = 2; this.taken.has(name); number++) name = numberedName(safe, number)
    this.taken.add(name)
    return name
  }
}
