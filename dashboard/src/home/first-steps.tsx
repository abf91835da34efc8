import { type ReactNode, Suspense, useState } from "react"
import type { Turn } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { useLiveTurn } from "../turns/live-turn.ts"
import { firstTurnAsCurl } from "../turns/turn-code.ts"
import { TurnState } from "../turns/turn-table.tsx"
import { isOpenTurn } from "../turns/turn-words.ts"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { Icon } from "../ui/icon.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"

const NewKeyDialog = lazyPart(() =>
  import("../integrations/new-key-dialog.tsx").then((module) => ({ default: module.NewKeyDialog })),
)

interface FirstStepsProps {
  /** The account's first turn; undefined before it is sent. */
  turn: Turn | undefined
  test: true | undefined
}

/** Guides a new account to its first finished turn: create a key, send a turn, follow it. */
export function FirstSteps({ turn, test }: FirstStepsProps) {
  const keys = useRead("listKeys", { query: { test: test ? "true" : "false", limit: 100 } })
  const spaces = useRead("listSpaces", { query: { test: test && "true", limit: 1 } })
  const [making, setMaking] = useState(false)
  const usable = keys.data?.items.filter(({ revoked_at }) => revoked_at === null) ?? []
  const space = spaces.data?.items[0]
  return (
    <Section title="First steps">
      <ol className="flex flex-col gap-5">
        <Step number={1} title="Create an API key" done={usable.length > 0}>
          <p className="text-muted">
            {usable.length > 0
              ? `Existing keys: ${usable.length}. A value is shown only when its key is created.`
              : "Your server sends turns with this key. Its value is shown only once."}
          </p>
          <div>
            <Button kind={usable.length > 0 ? "plain" : "primary"} icon="plus" onClick={() => setMaking(true)}>
              {usable.length > 0 ? "Create another key" : "Create a key"}
            </Button>
          </div>
        </Step>
        <Step number={2} title="Send a turn" done={turn !== undefined}>
          <p className="text-muted">
            {space
              ? `Run this in a shell with the key in TURNPIKE_API_KEY. The turn runs in your space ${space.title}, so the key needs access to that space.`
              : "Run this in a shell with the key in TURNPIKE_API_KEY. It creates a space for an agent, and sends a turn to it."}
          </p>
          <CodeBlock code={firstTurnAsCurl(space?.space_id)} label="The first turn as curl" />
        </Step>
        <Step number={3} title="Follow the turn" done={turn?.state === "done"}>
          {turn ? (
            <WatchedTurn turn={turn} test={test} />
          ) : (
            <p role="status" className="flex items-center gap-2 text-muted">
              <Icon name="waiting" />
              Waiting for your first turn. It appears here.
            </p>
          )}
        </Step>
      </ol>
      <Suspense>
        {making && <NewKeyDialog scope={space ? "all" : "created"} test={test} onClose={() => setMaking(false)} />}
      </Suspense>
    </Section>
  )
}

interface StepProps {
  number: number
  title: string
  done: boolean
  children: ReactNode
}

const Step = ({ number, title, done, children }: StepProps) => (
  <li className="flex gap-3">
    <span
      className={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs ${done ? "bg-ok-soft text-ok" : "bg-accent-soft text-accent"}`}
    >
      {done ? <Icon name="check" /> : number}
    </span>
    <div className="flex min-w-0 grow flex-col gap-2">
      <h3 className="leading-6">
        {title}
        {done && <span className="sr-only"> (done)</span>}
      </h3>
      {children}
    </div>
  </li>
)

/** Shows the state of the first turn and streams its text. */
function WatchedTurn({ turn, test }: { turn: Turn; test: true | undefined }) {
  const live = useLiveTurn(turn.turn_id, { open: isOpenTurn(turn.state), test })
  const text = turn.result ?? turn.error?.message ?? live.findLast((step) => step.text)?.text ?? "…"
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <TurnState turn={turn} />
        <TextLink to="/turns/$turnId" params={{ turnId: turn.turn_id }}>
          Steps and bill
        </TextLink>
      </div>
      <p aria-live="polite" className="whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-3">
        {text}
      </p>
    </div>
  )
}
