import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Decision, WaitingTurn } from "../api/operations.ts"
import { queryOf, readAgain, useChange } from "../api/query.ts"
import { DecisionRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { Json } from "../ui/code-block.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea } from "../ui/field.tsx"
import { readJson } from "../ui/json-text.ts"
import { plainJson } from "../ui/plain.ts"
import { Status } from "../ui/status.tsx"
import { toast } from "../ui/toast.tsx"
import { earlierWords, isTooLate, WAIT_READS } from "./wait-words.ts"

export interface WaitProps {
  of: WaitingTurn
  test: true | undefined
}

type Call = WaitingTurn["waiting"]["calls"][number]

/** A call that a turn waits for, with the decision about it if it needs one. */
export function CallOfWait({ of, call, test }: WaitProps & { call: Call }) {
  const needsDecision = call.for === "approval"
  return (
    <section aria-label={`Call ${call.call} of ${call.tool}`} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <code className="break-all">{call.tool}</code>
        <span className="text-muted text-xs">call {call.call}</span>
        <Status word={needsDecision ? "waits for a decision" : "waits for its result"} tone="warn" />
      </div>
      {needsDecision && of.role !== "member" ? (
        <DecisionOfCall of={of} call={call} test={test} />
      ) : (
        <>
          <Json value={call.input} label={`Input of call ${call.call}`} />
          {needsDecision && <p className="text-muted">Only the owner and the admins of the space decide about it.</p>}
        </>
      )}
    </section>
  )
}

/** Reads an input that a user typed. `fault`: why it is no JSON object. */
function readInput(text: string): { input?: Record<string, unknown>; fault?: string } {
  const { value, error } = readJson(text)
  if (error) return { fault: error }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { input: value as Record<string, unknown> }
    : { fault: "The input must be a JSON object." }
}

function DecisionOfCall({ of, call: { call, tool, input }, test }: WaitProps & { call: Call }) {
  const client = useQueryClient()
  const decide = useChange("decideCall", { changes: WAIT_READS })
  const [mode, setMode] = useState<"ask" | "edit" | "deny">("ask")
  const [text, setText] = useState(() => plainJson(input))
  const [message, setMessage] = useState("")
  const typed = readInput(text)
  // The decision removes this part from the page, so it must not depend on callbacks of `mutate`.
  const send = async (body: Decision) => {
    try {
      await decide.mutateAsync({ path: { turn_id: of.turn_id, call }, query: { test: test && "true" }, body })
      toast(`The call of ${tool} is ${body.decision === "allow" ? "allowed" : "denied"}.`)
    } catch (error) {
      if (!isTooLate(error)) return
      const user = client.getQueryData(queryOf("getCurrentUser").queryKey)
      toast(earlierWords(tool, error, user?.user_id), { bad: true })
      await readAgain(client, WAIT_READS)
    }
  }
  const change = (next: typeof mode) => {
    decide.reset()
    setMode(next)
  }
  const back = <Button onClick={() => change("ask")}>Cancel</Button>
  const { error } = decide
  const isAtField = mode === "edit" && error?.faultOf("input") !== undefined
  const failure = error && !isTooLate(error) && !isAtField && <ErrorState error={error} />
  if (mode === "edit") {
    return (
      <Form
        label={`Edit the input of ${tool}`}
        onSubmit={() => void (typed.input && send({ decision: "allow", input: typed.input }))}
        actions={
          <>
            <Button kind="primary" type="submit" busy={decide.isPending} disabled={typed.input === undefined}>
              Allow with this input
            </Button>
            {back}
          </>
        }
      >
        <TextArea
          mono
          rows={8}
          label="Input"
          name="input"
          hint="JSON that fits the tool's input schema."
          value={text}
          error={typed.fault ?? error}
          onChange={({ target }) => setText(target.value)}
        />
        {failure}
      </Form>
    )
  }
  return (
    <>
      <Json value={input} label={`Input of call ${call}`} />
      {mode === "deny" ? (
        <Form
          label={`Deny the call of ${tool}`}
          onSubmit={() => void send({ decision: "deny", message: message.trim() || undefined })}
          actions={
            <>
              <Button kind="danger" type="submit" busy={decide.isPending}>
                Deny the call
              </Button>
              {back}
            </>
          }
        >
          <TextArea
            rows={2}
            label="Message (optional)"
            name="message"
            hint="The agent reads it."
            maxLength={DecisionRules.message.maxLength}
            value={message}
            error={error}
            onChange={({ target }) => setMessage(target.value)}
          />
          {failure}
        </Form>
      ) : (
        <>
          <div className="flex flex-wrap gap-2">
            <Button
              does="decideCall"
              kind="primary"
              busy={decide.isPending}
              onClick={() => void send({ decision: "allow" })}
            >
              Allow
            </Button>
            <Button does="decideCall" onClick={() => change("edit")}>
              Edit the input
            </Button>
            <Button does="decideCall" kind="danger" onClick={() => change("deny")}>
              Deny
            </Button>
          </div>
          {failure}
        </>
      )}
    </>
  )
}
