/**
 * The first and the last statements of a procedure that acts for a caller: `{{caller.opens}}` and `{{caller.closes}}`.
 * Between them, `caller` may act. The argument `row` is for a procedure that returns a table: it answers one row, also
 * to a caller that may not act.
 */
export const CALLER_SQL: Record<string, (form: string) => string> = {
  opens: (form) => `caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true then
${leave(form)}
  end if;`,
  closes: (form) => close("caller", form),
}

/** The same for an admin, whose caller is `admin.caller`: `{{admin.opens row}}` and `{{admin.closes row}}`. */
export const ADMIN_SQL: Record<string, (form: string) => string> = {
  opens: (form) => `admin := turnpike.find_admin(p_request);
  actor := admin.caller;
  refused := admin.refused;
  if refused is not null then
${leave(form)}
  end if;`,
  closes: (form) => close("admin.caller", form),
}

const leave = (form: string) => (form === "row" ? "    return next;\n    return;" : "    return;")

/** The end records the use of the caller's key or session. */
const close = (caller: string, form: string) =>
  `perform turnpike.note_use(${caller}, p_request.moment);${form === "row" ? "\n  return next;" : ""}`
