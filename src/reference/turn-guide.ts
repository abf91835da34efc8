import { html, line, type Markup, prose } from "./markup.ts"

const STATES: [string, string][] = [
  ["queued", "Accepted; its price is held. It waits for earlier turns of its conversation."],
  ["running", "The agent works."],
  ["done", "`result` is the reply, `outputs` the files that the agent made."],
  [
    "failed",
    "`error` says why. What is our fault is not billed; else what was done before is, and `result` may hold a part.",
  ],
  ["cancelled", "`status_reason` says why. What was done before is billed."],
]

const FAILURES: [string, string][] = [
  ["TIMEOUT_REACHED", "It took longer than its `timeout_seconds`."],
  ["COST_LIMIT_REACHED", "It reached its `max_cost_usd`, or the end of the balance."],
  [
    "STEP_LIMIT_REACHED",
    "The agent took more model calls than the manifest's `max_steps`, or 256 over all its agents.",
  ],
  ["TRANSCRIPT_LIMIT_REACHED", "What the model and its tools have said is more than a turn can hold."],
  ["MCP_SERVER_UNAVAILABLE", "One of the space's MCP servers did not answer. Check it, or delete it from the space."],
  ["MODEL_REJECTED", "The model's provider refused the request."],
  ["MODEL_UNAVAILABLE", "The provider did not answer, several times. Not billed: send a new turn later."],
  ["ENGINE_LOST", "It was lost several times on our side. Not billed: send a new turn."],
]

const REASONS: [string, string][] = [
  ["client", "You cancelled it."],
  ["expired", "It waited for an hour and nobody could start it."],
  ["key_revoked, space_archived, end_user_erased, account_disabled", "What it depended on has come to its end."],
]

const EVENTS: [string, string][] = [
  [
    "turn.queued, turn.running, turn.done, turn.failed, turn.cancelled",
    "`state`, with `status_reason` or `error_code`.",
  ],
  ["step.started", "A model call begins: `step`, `model`. The same step again: its text begins anew."],
  ["text.delta", "`step`, and the next piece of `text`. Only while somebody reads along."],
  ["step.ended", "`step`, `finish`, `duration_ms` and its tokens."],
  [
    "tool.started, tool.ended",
    "A tool call: `step`, `call` (its place in the step), `name`; at its end `ok`, `duration_ms` and, when it is not, `error`.",
  ],
]

/** What becomes of a turn, and how to see it. */
export function turnGuide(): Markup {
  return html`${table("State", STATES)}
${prose(
  "Turns of one conversation run one at a time, in the order in which they were accepted; others run side by side. Without " +
    "`conversation`, a space and an `end_user_ref` have one of their own: nobody sees another's history.\n\n" +
    "To wait, read the turn with `?wait=30`: the answer comes when it has ended, or after 30 seconds with the state that it is in; " +
    "then ask again. To watch, read its events with `Accept: text/event-stream`.\n\n" +
    "A turn never costs more than its `max_cost_usd`. Without one, 0.25 is held at first, and more when the agent goes on, as " +
    "far as the balance reaches: name one wherever you want a bound.",
)}
<h4>Why a turn failed</h4>
${prose("The code is in `error.code` and in `status_reason`. Codes may be added.")}
${table("Code", FAILURES)}
<h4>Why a turn was cancelled</h4>
${table("status_reason", REASONS)}
<h4>Events of a turn</h4>
${table("Type", EVENTS, "data")}`
}

function table(name: string, rows: [string, string][], meaning = "Meaning"): Markup {
  return html`<div class="scroll"><table><thead><tr><th>${name}</th><th>${meaning}</th></tr></thead><tbody>${rows.map(
    ([words, text]) =>
      html`<tr><td>${words.split(", ").map((word) => html`<code>${word}</code> `)}</td><td>${line(text)}</td></tr>`,
  )}</tbody></table></div>`
}
