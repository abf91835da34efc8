import type { Context } from "../actor/context.ts"
import { numberedName, safeName } from "../files/safe-name.ts"
import type { ToolTurn } from "./task-tools.ts"

/** The names that outputs of one turn have, as far as its worker knows: pictures are made side by side, by several agents. */
export class OutputNames {
  private readonly taken = new Set<string>()

  /** Adds those of the files that the turn has already. */
  async look({ db }: Pick<Context, "db">, { turn_id }: Pick<ToolTurn, "turn_id">): Promise<void> {
    const files = db.selectFrom("files").select("name").where("turn_id", "=", turn_id).where("state", "=", "pending")
    for (const { name } of await files.execute()) this.taken.add(name)
  }

  /** A name that no other picture gets: the wanted one, or the first that is free with a number. */
  take(wanted: string): string {
    const safe = safeName(wanted)
    let name = safe
    for (let number = 2; this.taken.has(name); number++) name = numberedName(safe, number)
    this.taken.add(name)
    return name
  }
}
