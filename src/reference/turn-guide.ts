import { html, line, type Markup, prose } from "./markup.ts"

const STATES: [string, string][] = [
  ["queued", "Accepted; its price is held. It waits for earlier turns of its conversation."],
  ["running", "The agent works."],
  ["done", "`result` is the reply, `outputs` the files that the agent made."],
  [
    "failed",
    "`error` says why. The model calls until then are billed, and `result` may hold a part; nothing is when we lost the turn.",
  ],
  ["cancelled", "`status_reason` says why. What was done before is billed."],
]

const FAILURES: [string, string][] = [
  ["TIMEOUT_REACHED", "It took longer than its `timeout_seconds`."],
  ["COST_LIMIT_REACHED", "It reached its `max_cost_usd`, the end of the balance, or a cap; the message says which."],
  [
    "STEP_LIMIT_REACHED",
    "The agent took more model calls than the manifest's `max_steps`, or 256 over all its agents.",
  ],
  ["TRANSCRIPT_LIMIT_REACHED", "What the model and its tools have said is more than a turn can hold."],
  ["MCP_SERVER_UNAVAILABLE", "One of the space's MCP servers did not answer. Check it, or delete it from the space."],
  ["MODEL_REJECTED", "The model's provider refused the request."],
  ["MODEL_UNAVAILABLE", "The provider did not answer, several times in a row. Send a new turn later."],
  ["ENGINE_LOST", "It was lost several times on our side. Nothing of it is billed: send a new turn."],
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
  [
    "step.ended",
    "`step`, `finish`, `duration_ms` and its tokens. `finish` is `aborted` when the call was cut off: the agent's next step goes on with its text.",
  ],
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
    "far as the balance and its [caps](#caps) reach: name one wherever you want a bound.",
)}
<h4>What is billed</h4>
${prose(
  "Each model call by itself, within what is held for the turn: every call that gave you something is billed, whatever the turn comes to, " +
    "since its text, its tool calls and its sub-agents' work are there to be read. Nothing of a turn is billed when we lost its result " +
    "(`ENGINE_LOST`), and no call that brought nothing.\n\n" +
    "A call that is cut off (by the turn's time limit, a cancel, or a provider that breaks off or is silent for a minute) is billed for " +
    "what had come by then, and its text is part of `result`: by the provider's count, or, where none came, by an estimate of four bytes a " +
    "token of the prompt and of what was streamed. After a provider's break the agent goes on from there. A code that a script or a model " +
    "chooses, such as `[fail INTERNAL]`, is an error of your own.",
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
