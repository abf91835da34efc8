import { type ReactNode, Suspense, useEffect, useState } from "react"
import type { AccountSetup } from "../api/operations.ts"
import { AddCredit } from "../turns/credit-notice.tsx"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Money } from "../ui/values.tsx"
import { FirstTurnStep } from "./first-turn-step.tsx"
import { RefusedRequests } from "./refused-requests.tsx"
import { isMember, needsGuide, type SetupStep, stepsOf } from "./setup-steps.ts"
import { ChecklistStep } from "./step.tsx"
import { WebhookStep } from "./webhook-step.tsx"

const NewKeyDialog = lazyPart(() =>
  import("../integrations/new-key-dialog.tsx").then((module) => ({ default: module.NewKeyDialog })),
)

interface FirstStepsProps {
  setup: AccountSetup
  /** Undefined in the test data. */
  availableUsd: number | undefined
  test: true | undefined
  onHide: () => void
}

/**
 * Guides an account to a working integration. The first open task is unfolded, until the user unfolds another. If the
 * account needed no guide when the page was opened, it is one line that the user can unfold.
 */
export function FirstSteps({ setup, availableUsd, test, onHide }: FirstStepsProps) {
  const steps = stepsOf({ setup, availableUsd })
  const current = steps.find(({ done }) => !done)?.id
  const [folded, setFolded] = useState(!needsGuide({ setup, availableUsd }))
  const [chosen, setChosen] = useState<SetupStep | "none" | null>(null)
  const open = chosen ?? current
  // A turn that arrives while the page is open stays in view.
  const [turnAtFirst] = useState(setup.key_turn?.turn_id)
  const isNewTurn = setup.key_turn !== null && setup.key_turn.turn_id !== turnAtFirst
  useEffect(() => {
    if (isNewTurn) setChosen("turn")
  }, [isNewTurn])
  const contents: Record<SetupStep, [title: string, content: () => ReactNode]> = {
    credit: ["Get credit", () => <CreditStep availableUsd={availableUsd} url={setup.top_up_url} />],
    try: [`Try ${setup.shared_space?.title ?? "the shared space"}`, () => <TryStep setup={setup} test={test} />],
    key: ["Create an API key", () => <KeyStep setup={setup} test={test} onMade={() => setChosen(null)} />],
    turn: ["Send a turn from your code", () => <FirstTurnStep setup={setup} test={test} />],
    // The step is done as soon as the test event is answered. The answer stays in view.
    webhook: [
      "Receive events with a webhook",
      () => <WebhookStep setup={setup} test={test} onTest={() => setChosen("webhook")} />,
    ],
    tool: ["Give the agent a tool", () => <ToolStep setup={setup} test={test} />],
  }
  return (
    <Section
      title="First steps"
      action={
        <span className="inline-flex items-center gap-3 text-muted">
          {steps.filter(({ done }) => done).length} of {steps.length} done
          <Button kind="quiet" onClick={onHide}>
            Hide
          </Button>
        </span>
      }
    >
      <RefusedRequests setup={setup} />
      {folded ? (
        <p className="flex flex-wrap items-center gap-x-3 text-muted">
          {current && `Next: ${contents[current][0]}.`}
          <Button kind="quiet" onClick={() => setFolded(false)}>
            Show all steps
          </Button>
        </p>
      ) : (
        <ol className="flex flex-col rounded-md border border-line px-4">
          {steps.map(({ id, done }, index) => (
            <ChecklistStep
              key={id}
              number={index + 1}
              title={contents[id][0]}
              done={done}
              open={open === id}
              onOpen={() => setChosen(open === id ? "none" : id)}
            >
              {contents[id][1]()}
            </ChecklistStep>
          ))}
        </ol>
      )}
    </Section>
  )
}

function CreditStep({ availableUsd, url }: { availableUsd: number | undefined; url: string | null }) {
  if (availableUsd !== undefined && availableUsd > 0) {
    return (
      <p className="text-muted">
        <Money usd={availableUsd} /> is available.
      </p>
    )
  }
  return (
    <>
      <p>
        This account has no available credit, so live turns are refused with 402. <AddCredit url={url} />
      </p>
      <p className="text-muted">
        Without credit, you can build everything with a test key: it runs the rehearsal model and costs nothing.
      </p>
      <div>
        <ButtonLink to="/home" search={{ test: true } as never}>
          Start with a test key
        </ButtonLink>
      </div>
    </>
  )
}

function TryStep({ setup: { shared_space }, test }: { setup: AccountSetup; test: true | undefined }) {
  return (
    <>
      <p className="text-muted">
        This space is shared with you. You use it in the playground, and its owner pays. An API key of yours cannot
        reach it: a key reaches only spaces that you own.
      </p>
      <div>
        <ButtonLink kind="primary" to="/playground" search={{ test, space: shared_space?.space_id } as never}>
          Open in playground
        </ButtonLink>
      </div>
    </>
  )
}

interface KeyStepProps {
  setup: AccountSetup
  test: true | undefined
  onMade: () => void
}

function KeyStep({ setup, test, onMade }: KeyStepProps) {
  const [making, setMaking] = useState(false)
  return (
    <>
      <p className="text-muted">
        {setup.has_key
          ? "The account has a key. The value of a key is shown only when it is created."
          : `Your server sends turns with this key. Its value is shown only once.${isMember(setup) ? " It reaches spaces of your own, which your turns pay for." : ""}`}
      </p>
      <div>
        <Button kind={setup.has_key ? "plain" : "primary"} icon="plus" onClick={() => setMaking(true)}>
          {setup.has_key ? "Create another key" : "Create a key"}
        </Button>
      </div>
      <Suspense>
        {making && (
          <NewKeyDialog
            scope={setup.own_space ? "all" : "created"}
            test={test}
            onClose={() => {
              setMaking(false)
              onMade()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

function ToolStep({ setup: { own_space }, test }: { setup: AccountSetup; test: true | undefined }) {
  return (
    <>
      <p className="text-muted">
        A tool is a request to your own API that the agent can send. You fill in a form and try it before a turn uses
        it.
      </p>
      <div>
        {own_space ? (
          <ButtonLink
            kind="primary"
            to="/spaces/$spaceId"
            params={{ spaceId: own_space.space_id }}
            search={{ test, tab: "tools" } as never}
          >
            Add a tool to {own_space.title}
          </ButtonLink>
        ) : (
          <TextLink to="/spaces" search={{ test }}>
            Create a space first
          </TextLink>
        )}
      </div>
    </>
  )
}
