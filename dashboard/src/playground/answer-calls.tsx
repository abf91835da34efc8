import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { Turn } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { keepSentTurn, SENT_READS } from "../turns/sent-turns.ts"
import { Button } from "../ui/button.tsx"
import { Json } from "../ui/code-block.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, Form, TextArea } from "../ui/field.tsx"
import { useFilters } from "../ui/filter-bar.tsx"

interface Typed {
  text: string
  failed: boolean
}

const NOTHING: Typed = { text: "", failed: false }

/** The calls with which a turn has ended, and a form for their results. The next turn gives them to the model. */
export function AnswerCalls({ turn }: { turn: Turn }) {
  const { turn_id, space, conversation, model, response_format, end_user_ref, calls } = turn
  const { test } = useSearch({ from: "/app/playground" })
  const change = useFilters()
  const tested = { test: test && ("true" as const) }
  const draft = useDraft(`results.${turn_id}`, { quiet: true })
  const [typed, setTyped] = draft.useField<Record<string, Typed>>("results", {})
  const send = useChange("createChatTurn", { changes: SENT_READS, draft })
  const [isSent, setIsSent] = useState(false)
  const set = (id: string, part: Partial<Typed>) =>
    setTyped((now) => ({ ...now, [id]: { ...(now[id] ?? NOTHING), ...part } }))
  const submit = () =>
    send.mutate(
      {
        query: tested,
        body: {
          ...{ space, conversation, model },
          ...(end_user_ref && { end_user_ref }),
          ...(response_format && { response_format }),
          results: calls.map(({ id }) => {
            const { text, failed } = typed[id] ?? NOTHING
            return failed ? { id, error: text } : { id, output: text }
          }),
        },
        onStream: (response) => keepSentTurn(response, tested),
      },
      {
        onSuccess: (next) => {
          setIsSent(true)
          draft.clear()
          change({ turn: next.turn_id })
        },
      },
    )
  return (
    <Form
      label="Results of the calls"
      onSubmit={submit}
      actions={
        <Button kind="primary" type="submit" busy={send.isPending} disabled={isSent}>
          {calls.length === 1 ? "Send the result" : `Send ${calls.length} results`}
        </Button>
      }
    >
      {calls.map(({ id, name, input }, at) => {
        const { text, failed } = typed[id] ?? NOTHING
        return (
          <section key={id} aria-label={`Call ${at + 1} of ${name}`} className="flex min-w-0 flex-col gap-2">
            <code className="break-all">{name}</code>
            <Json value={input} label={`Input of call ${at + 1}`} />
            <TextArea
              label={`${failed ? "Error" : "Result"} of call ${at + 1}`}
              name={`results.${at}.${failed ? "error" : "output"}`}
              error={send.error}
              rows={3}
              value={text}
              onChange={({ target }) => set(id, { text: target.value })}
            />
            <Checkbox
              label="The call failed"
              checked={failed}
              onChange={({ target }) => set(id, { failed: target.checked })}
            />
          </section>
        )
      })}
      {send.error && <ErrorState error={send.error} />}
    </Form>
  )
}
