import { TurnpikeError } from "../base/errors.ts"
import { Gather } from "../base/gather.ts"
import { DatabaseError } from "../platform/db.ts"
import { RUNNER_POLICY } from "../turns/policies.ts"

/**
 * Sends what the turns of a runner write together, up to a group in one statement. One that others have locked (`isBusy`), or whose group
 * failed, is sent by itself afterwards (`sendOne`): it holds up no other. `send` answers in the order of the items.
 */
export function gathered<Item extends object, Answer>(
  send: (items: Item[]) => Promise<(Answer | undefined)[]>,
  isBusy: (answer: Answer) => boolean,
  sendOne = send,
): Pick<Gather<Item, Answer>, "add"> {
  // What was sent in a group that the database did not answer is sent by itself when it is repeated.
  const apart = new WeakSet<Item>()
  const sendGroup = async (items: Item[]) => {
    const answers = await send(items).catch((error: unknown) => {
      if (items.length > 1 && error instanceof TurnpikeError) for (const item of items) apart.add(item)
      if ((items.length === 1 && sendOne === send) || !(error instanceof DatabaseError)) throw error
      return []
    })
    return items.map((item, nth) => {
      const answer = answers[nth]
      return answer !== undefined && !isBusy(answer) ? answer : alone(item, sendOne)
    })
  }
  const group = new Gather(sendGroup, { most: RUNNER_POLICY.group, atOnce: RUNNER_POLICY.commits })
  return { add: (item) => (apart.has(item) ? alone(item, sendOne) : group.add(item)) }
}

/** Sends one item by itself. */
export async function alone<Item, Answer>(
  item: Item,
  send: (items: Item[]) => Promise<(Answer | undefined)[]>,
): Promise<Answer> {
  const [answer] = await send([item])
  if (answer === undefined) throw new Error("The statement has answered nothing.")
  return answer
}
