import { expect } from "vitest"
import { id, nothing, type Plant, set } from "./plants.ts"

/** Holds that are never released, and counters that disagree with the turns. */
export const HOLD_PLANTS: Record<string, Plant> = {
  "a leaked hold: the wallet holds more than its turns": {
    plant: ({ user }) => set("wallets", "held_credit_micros = held_credit_micros + 11", `user_id = ${user}`),
    finds: ({ user }) => [{ ...nothing, kind: "held", user, expected: 5_000_000, found: 5_000_011, repaired: true }],
    repaired: true,
  },
  "a hold that the wallet does not know": {
    // An account with shards keeps its held credit in them.
    plant: ({ user }) =>
      `${set("wallets", "held_credit_micros = held_credit_micros - 13", `user_id = ${user} and shards = 0`)};
       ${set("wallet_shards", "held_credit_micros = held_credit_micros - 13", `user_id = ${user} and shard = 0 and exists (select from wallets w where w.user_id = ${user} and w.shards > 0)`)}`,
    finds: ({ user }) => [{ ...nothing, kind: "held", user, expected: 5_000_000, found: 4_999_987, repaired: true }],
    repaired: true,
  },
  "an orphaned hold: a queued turn that no worker will look at": {
    plant: ({ turn }) => `delete from open_turns where ${id(turn.queued)}`,
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "orphaned_turn",
        user,
        turn: turn.queued.turn_id,
        expected: 2_500_000,
        found: 2_500_000,
        repaired: true,
      },
    ],
    repaired: true,
  },
  "an orphaned hold: a running turn that no worker will look at": {
    plant: ({ turn }) =>
      `delete from open_turns where ${id(turn.open)}; ${set("turns", "lease_until = null", id(turn.open))}`,
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "orphaned_turn",
        user,
        turn: turn.open.turn_id,
        expected: 2_500_000,
        found: 2_500_000,
        repaired: true,
      },
    ],
    repaired: true,
  },
  "an orphaned hold: a turn whose next look is infinitely late": {
    plant: ({ turn }) => set("open_turns", "wake_at = 'infinity'", id(turn.open)),
    finds: ({ user, turn }) => [
      {
        ...nothing,
        kind: "orphaned_turn",
        user,
        turn: turn.open.turn_id,
        expected: 2_500_000,
        found: 2_500_000,
        repaired: true,
      },
    ],
    repaired: true,
  },
  "an orphaned hold: a hold on a turn that has ended": {
    plant: ({ turn }) => set("turns", "held_credit_micros = 21", id(turn.done)),
    finds: ({ user, turn }) => [
      { ...nothing, kind: "hold_on_ended_turn", user, turn: turn.done.turn_id, expected: 0, found: 21 },
    ],
  },
  "an open turn whose hold differs from the amount that it will release": {
    plant: ({ turn }) => set("turns", "held_credit_micros = 21", id(turn.open)),
    finds: ({ user, turn }) => [
      { ...nothing, kind: "hold_differs", user, turn: turn.open.turn_id, expected: 2_500_000, found: 21 },
    ],
  },
  "a drifted counter: spent": {
    plant: ({ key }) =>
      set("spend_counters", "spent_credit_micros = spent_credit_micros + 4", `subject = '${key}' and period = 'day'`),
    finds: ({ user, key }) => [
      {
        ...nothing,
        kind: "counter_spent",
        user,
        counter: `key day ${key}`,
        expected: expect.any(Number),
        found: expect.any(Number),
        repaired: true,
      },
    ],
    repaired: true,
  },
  "a drifted counter: reserved, of a window": {
    plant: ({ key }) =>
      set(
        "spend_counters",
        "reserved_credit_micros = reserved_credit_micros + 4",
        `subject = '${key}' and period = 'window'`,
      ),
    finds: ({ user, key }) => [
      {
        ...nothing,
        kind: "counter_reserved",
        user,
        counter: `key window ${key}`,
        expected: 5_000_000,
        found: 5_000_004,
        repaired: true,
      },
    ],
    repaired: true,
  },
  "a drifted counter: of an end user's month": {
    plant: ({ user }) =>
      set(
        "spend_counters",
        "reserved_credit_micros = 0",
        `user_id = ${user} and subject = 'customer-5' and period = 'month'`,
      ),
    finds: ({ user }) => [
      {
        ...nothing,
        kind: "counter_reserved",
        user,
        counter: "end_user month customer-5",
        expected: 5_000_000,
        found: 0,
        repaired: true,
      },
    ],
    repaired: true,
  },
  "a lost counter": {
    plant: ({ user }) =>
      `delete from spend_counters where user_id = ${user} and subject = 'customer-2' and period = 'day'`,
    finds: ({ user }) => [
      {
        ...nothing,
        kind: "counter_missing",
        user,
        counter: "end_user day customer-2",
        expected: null,
        found: 0,
        repaired: true,
      },
    ],
    repaired: true,
  },
}
