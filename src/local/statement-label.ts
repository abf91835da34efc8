const PROCEDURE = /\bturnpike_[0-9a-f]+"?\."?(\w+)"?\s*\(/
/** PostgreSQL's statistics have parameters in place of literals. */
const VALUE = /'[^']*'|\$\d+|\b\d+\b/g
const LABEL_LENGTH = 40

/** A statement's name in a table: the procedure that it calls, in any release, or its beginning. */
export function statementLabel(text: string): string {
  return PROCEDURE.exec(text)?.[1] ?? text.replace(VALUE, "?").replace(/\s+/g, " ").trim().slice(0, LABEL_LENGTH)
}
