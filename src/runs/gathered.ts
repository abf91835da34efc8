import { TurnpikeError } from "../base/errors.ts"
import { Gather } from "../base/gather.ts"
import { DatabaseError } from "../platform/db.ts"
import { RUNNER_POLICY } from "../turns/policies.ts"

/**
 * Sends the writes of a runner's turns in groups, one statement per group. An item that is locked (`isBusy`), or
 * whose group failed, is sent alone afterwards (`sendOne`), so it delays no
 * other item. `send` answers in the order of the items.
 */
export function gathered<Item extends object, Answer>(
  send: (items: Item[]) => Promise<(Answer | undefined)[]>,
  isBusy: (answer: Answer) => boolean,
  sendOne = send,
): Pick<Gather<Item, Answer>, "add"> {
  // If the database did not answer a group, its items are sent alone when they are repeated.
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

/** Sends one item alone. */
export async function alone<Item, Answer>(
  item: Item,
  send: (items: Item[]) => Promise<(Answer | undefined)[]>,
): Promise<Answer> {
  const [answer] = await send([item])
  if (answer === undefined) throw new Error("The statement returned no answer for its only item.")
  return answer
}
