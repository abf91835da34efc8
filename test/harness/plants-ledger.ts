import { expect } from "vitest"
import { type Entry, entryAt, nothing, type Plant, refundIn, set } from "./plants.ts"

/** Balances and ledger rows that were changed or lost. */
export const LEDGER_PLANTS: Record<string, Plant> = {
  "a changed balance": {
    plant: ({ user }) => set("wallets", "balance_credit_micros = balance_credit_micros + 7", `user_id = ${user}`),
    finds: ({ user, entries }) => {
      const { total } = entryAt(entries, -1)
      return [{ ...nothing, kind: "balance", user, expected: total, found: total + 7 }]
    },
  },
  "a ledger row with another amount": {
    plant: ({ entries }) =>
      set("ledger", "amount_credit_micros = amount_credit_micros + 3", `ledger_id = ${entryAt(entries, 0).ledger_id}`),
    finds: ({ user, entries }) => {
      const { ledger_id, total } = entryAt(entries, 0)
      return [{ ...nothing, kind: "running_total", user, entry: ledger_id, expected: total + 3, found: total }]
    },
  },
  "a charge with another amount": {
    plant: ({ charge }) =>
      set("ledger", "amount_credit_micros = amount_credit_micros - 3", `ledger_id = ${charge.ledger_id}`),
    finds: ({ user, charge, turn }) => [
      {
        ...nothing,
        kind: "running_total",
        user,
        turn: turn.done.turn_id,
        entry: charge.ledger_id,
        expected: charge.total - 3,
        found: charge.total,
      },
      {
        ...nothing,
        kind: "charge_amount",
        user,
        turn: turn.done.turn_id,
        entry: charge.ledger_id,
        expected: -charge.amount,
        found: 3 - charge.amount,
      },
    ],
  },
  "a ledger row with another running total": {
    plant: ({ entries }) =>
      set(
        "ledger",
        "balance_after_credit_micros = balance_after_credit_micros + 5",
        `ledger_id = ${entryAt(entries, 1).ledger_id}`,
      ),
    finds: ({ user, entries }) => {
      const { ledger_id, total, turn_id } = entryAt(entries, 1)
      return [
        { ...nothing, kind: "running_total", user, turn: turn_id, entry: ledger_id, expected: total, found: total + 5 },
      ]
    },
  },
  "the first ledger row lost": {
    plant: ({ entries }) => `delete from ledger where ledger_id = ${entryAt(entries, 0).ledger_id}`,
    finds: ({ user, entries }) => {
      const { ledger_id, total, amount, turn_id } = entryAt(entries, 1)
      return [
        { ...nothing, kind: "running_total", user, turn: turn_id, entry: ledger_id, expected: amount, found: total },
      ]
    },
  },
  "a ledger row in the middle lost: a charge": {
    plant: ({ charge }) => `delete from ledger where ledger_id = ${charge.ledger_id}`,
    finds: ({ user, entries, charge, turn }) => {
      const next = entryAt(entries, entries.indexOf(charge) + 1)
      const expected = next.total - charge.amount
      return [
        {
          ...nothing,
          kind: "running_total",
          user,
          turn: next.turn_id,
          entry: next.ledger_id,
          expected,
          found: next.total,
        },
        { ...nothing, kind: "charge_missing", user, turn: turn.done.turn_id, expected: -charge.amount, found: 0 },
      ]
    },
  },
  "the last ledger row lost": {
    plant: ({ entries }) => `delete from ledger where ledger_id = ${entryAt(entries, -1).ledger_id}`,
    finds: ({ user, entries }) => {
      const [before, last] = [entryAt(entries, -2), entryAt(entries, -1)]
      return [
        { ...nothing, kind: "balance", user, expected: before.total, found: last.total },
        { ...nothing, kind: "charge_missing", user, turn: last.turn_id, expected: -last.amount, found: 0 },
      ]
    },
  },
  "the whole ledger lost": {
    plant: ({ user }) =>
      `delete from ledger where user_id = ${user} and turn_id is null; delete from ledger where user_id = ${user} and reason <> 'usage'`,
    finds: ({ user, entries, turn }) => {
      const kept = entries.filter(
        ({ turn_id, amount }) => turn_id !== null && amount < 0 && turn_id !== turn.chat.turn_id,
      )
      const first = entryAt(kept, 0)
      const chat = entries.find(({ turn_id }) => turn_id === turn.chat.turn_id) as Entry
      const broken = kept.flatMap((entry, at) => {
        const expected = (kept[at - 1]?.total ?? 0) + entry.amount
        return expected === entry.total
          ? []
          : [
              {
                ...nothing,
                kind: "running_total",
                user,
                turn: entry.turn_id,
                entry: entry.ledger_id,
                expected,
                found: entry.total,
              },
            ]
      })
      expect(broken[0]).toMatchObject({ entry: first.ledger_id })
      const last = entryAt(kept, -1)
      const balance = { ...nothing, kind: "balance", user, expected: last.total, found: entryAt(entries, -1).total }
      return [
        ...(last.total === entryAt(entries, -1).total ? [] : [balance]),
        ...broken,
        { ...nothing, kind: "charge_missing", user, turn: turn.chat.turn_id, expected: -chat.amount, found: 0 },
        {
          ...nothing,
          kind: "refund_untold",
          user,
          turn: turn.refunded.turn_id,
          expected: 0,
          found: refundIn(entries, turn).amount,
        },
      ]
    },
  },
}
