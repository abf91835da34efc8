import { expect } from "vitest"
import { charge, type Facts, id, nothing, type Plant, refundIn, set } from "./plants.ts"

const chatBill = ({ entries, turn }: Facts) =>
  -(entries.find(({ turn_id }) => turn_id === turn.chat.turn_id)?.amount ?? 0)

/**
 * The finding that the web-chat turn's calls do not add up to its record: the cost in the record,
 * and the cost of the calls.
 */
const differentCalls = (facts: Facts, found: number) => ({
  ...nothing,
  kind: "chat_calls",
  user: facts.user,
  turn: facts.turn.chat.turn_id,
  expected: chatBill(facts),
  found,
})

/** Charges, bills and refunds that do not match their turn. */
export const TURN_PLANTS: Record<string, Plant> = {
  "a double charge": {
    plant: (facts) =>
      charge(facts, facts.turn.done.turn_id, facts.charge.amount, `ledger_id = ${facts.charge.ledger_id}`),
    finds: ({ user, charge, turn }) => [
      {
        ...nothing,
        kind: "charged_twice",
        user,
        turn: turn.done.turn_id,
        entry: expect.any(Number),
        expected: -charge.amount,
        found: -2 * charge.amount,
      },
    ],
  },
  "a turn whose bill differs from its charge and its calls": {
    plant: ({ turn }) => set("turns", "billed_credit_micros = billed_credit_micros - 1", id(turn.again)),
    finds: ({ user, turn, key }) => {
      const bill = Math.round(turn.again.billed_cost_usd * 1e7)
      const wrong = { ...nothing, user, turn: turn.again.turn_id, expected: bill - 1, found: bill }
      const spent = (counter: string, found: number) => ({
        ...nothing,
        kind: "counter_spent",
        user,
        counter,
        expected: found - 1,
        found,
        repaired: true,
      })
      const spentOf = (...turns: { billed_cost_usd: number }[]) =>
        Math.round(turns.reduce((sum, { billed_cost_usd }) => sum + billed_cost_usd, 0) * 1e7)
      const all = spentOf(turn.done, turn.again, turn.theirs, turn.refunded)
      return [
        { ...wrong, kind: "charge_amount", entry: expect.any(Number) },
        { ...wrong, kind: "usage_bills" },
        spent("end_user day customer-2", bill),
        spent("end_user month customer-2", bill),
        spent(`key day ${key}`, all),
        spent(`key month ${key}`, all),
        spent(`key window ${key}`, all),
      ]
    },
  },
  "a call of a model with another bill": {
    plant: ({ turn }) =>
      set(
        "usage",
        "cost_credit_micros = cost_credit_micros + 2, billed_credit_micros = billed_credit_micros + 2",
        id(turn.again),
      ),
    finds: ({ user, turn }) => {
      const bill = Math.round(turn.again.billed_cost_usd * 1e7)
      return [{ ...nothing, kind: "usage_bills", user, turn: turn.again.turn_id, expected: bill, found: bill + 2 }]
    },
  },
  "a web-chat turn's record lost": {
    plant: ({ turn }) => `delete from api_turns where ${id(turn.chat)}`,
    finds: ({ user, turn, entries }) => {
      const bill = -(entries.find(({ turn_id }) => turn_id === turn.chat.turn_id)?.amount ?? 0)
      return [{ ...nothing, kind: "usage_bills", user, turn: turn.chat.turn_id, expected: bill, found: 0 }]
    },
  },
  "a call of a web-chat turn that cost more than its record says": {
    plant: ({ turn }) =>
      set(
        "chat_calls",
        "cost_credit_micros = cost_credit_micros + 2, billed_credit_micros = billed_credit_micros + 2",
        id(turn.chat),
      ),
    finds: (facts) => [differentCalls(facts, chatBill(facts) + 2)],
  },
  "a call of a web-chat turn that is not billed": {
    plant: ({ turn }) => set("chat_calls", "billed_credit_micros = 0", id(turn.chat)),
    finds: (facts) => [differentCalls(facts, chatBill(facts))],
  },
  "a call of a web-chat turn lost": {
    plant: ({ turn }) => `delete from chat_calls where ${id(turn.chat)}`,
    finds: (facts) => [differentCalls(facts, 0)],
  },
  "a call of a web-chat turn twice": {
    plant: ({ turn }) =>
      `insert into chat_calls select (c).* from (select jsonb_populate_record(c, '{"step": 9, "cost_credit_micros": 0,
         "billed_credit_micros": 0}') as c from chat_calls c where ${id(turn.chat)}) copy`,
    finds: (facts) => [differentCalls(facts, chatBill(facts))],
  },
  "a charge of a turn that failed because of us": {
    plant: (facts) => charge(facts, facts.turn.ours.turn_id, -9, `ledger_id = ${facts.charge.ledger_id}`),
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "failure_charged",
        user,
        turn: turn.ours.turn_id,
        entry: expect.any(Number),
        expected: 0,
        found: 9,
        repaired: true,
      },
    ],
    repaired: true,
  },
  "a charge of a test turn": {
    plant: (facts) => charge(facts, facts.turn.test.turn_id, -9, `ledger_id = ${facts.charge.ledger_id}`),
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "charge_unexpected",
        user,
        turn: turn.test.turn_id,
        entry: expect.any(Number),
        expected: 0,
        found: 9,
      },
    ],
  },
  "a charge of a turn that was cancelled before it ran": {
    plant: (facts) => charge(facts, facts.turn.cancelled.turn_id, -9, `ledger_id = ${facts.charge.ledger_id}`),
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "charge_unexpected",
        user,
        turn: turn.cancelled.turn_id,
        entry: expect.any(Number),
        expected: 0,
        found: 9,
      },
    ],
  },
  "a charge of a turn that still runs": {
    plant: (facts) => charge(facts, facts.turn.open.turn_id, -9, `ledger_id = ${facts.charge.ledger_id}`),
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "charge_unexpected",
        user,
        turn: turn.open.turn_id,
        entry: expect.any(Number),
        expected: 0,
        found: 9,
      },
    ],
  },
  "a charge of another account's turn": {
    plant: (facts) => charge(facts, facts.other.cancelled, -9, `ledger_id = ${facts.charge.ledger_id}`),
    finds: ({ other }) => {
      const wrong = {
        ...nothing,
        user: other.user,
        turn: other.cancelled,
        entry: expect.any(Number),
        found: 9,
      }
      return [
        { ...wrong, kind: "charge_unexpected", expected: 0 },
        { ...wrong, kind: "charge_of_other_account", expected: null },
      ]
    },
  },
  "a key's turn booked as the web chat's": {
    plant: ({ charge }) => set("ledger", "reason = 'space_usage'", `ledger_id = ${charge.ledger_id}`),
    finds: ({ user, charge, turn }) => [
      {
        ...nothing,
        kind: "charge_of_other_kind",
        user,
        turn: turn.done.turn_id,
        entry: charge.ledger_id,
        expected: null,
        found: -charge.amount,
      },
    ],
  },
  "a charge without a turn": {
    plant: ({ charge }) => set("ledger", "turn_id = null", `ledger_id = ${charge.ledger_id}`),
    finds: ({ user, charge, turn }) => [
      { ...nothing, kind: "charge_without_turn", user, entry: charge.ledger_id, expected: 0, found: -charge.amount },
      { ...nothing, kind: "charge_missing", user, turn: turn.done.turn_id, expected: -charge.amount, found: 0 },
    ],
  },
  "a refund that only the ledger has": {
    plant: ({ turn }) => set("turns", "refunded_credit_micros = null, refunded_at = null", id(turn.refunded)),
    finds: ({ user, entries, turn }) => {
      const { amount, ledger_id } = refundIn(entries, turn)
      return [
        {
          ...nothing,
          kind: "refund_untold",
          user,
          turn: turn.refunded.turn_id,
          entry: ledger_id,
          expected: amount,
          found: 0,
        },
      ]
    },
  },
  "a second refund": {
    plant: (facts) =>
      charge(
        facts,
        facts.turn.refunded.turn_id,
        refundIn(facts.entries, facts.turn).amount,
        `reason = 'admin_action' and ${id(facts.turn.refunded)}`,
      ),
    finds: ({ user, entries, turn }) => {
      const { amount } = refundIn(entries, turn)
      return [
        {
          ...nothing,
          kind: "refunded_twice",
          user,
          turn: turn.refunded.turn_id,
          entry: expect.any(Number),
          expected: amount,
          found: 2 * amount,
        },
      ]
    },
  },
  "a refund of an unbilled turn": {
    plant: (facts) =>
      charge(facts, facts.turn.cancelled.turn_id, 9, `reason = 'admin_action' and ${id(facts.turn.refunded)}`),
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "refund_amount",
        user,
        turn: turn.cancelled.turn_id,
        entry: expect.any(Number),
        expected: 0,
        found: 9,
      },
    ],
  },
}
