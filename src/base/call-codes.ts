/** Codes of turns that wait, and of operations on the calls that they wait for. */
export const CALL_CODES = {
  CALL_DECIDED: {
    status: 409,
    retryable: false,
    cause: "Another decision about the call was made before. The first decision counts.",
    cure: "Read the turn's event `call.decided`, which says who decided what.",
  },
  CALL_ANSWERED: {
    status: 409,
    retryable: false,
    cause: "Another result of the call came before. The first result counts.",
    cure: "Send each result once. The same result again gets the response of the first one.",
  },
  CALL_NOT_WAITING: {
    status: 409,
    retryable: false,
    cause: "The call does not wait for this: it was made, denied, answered, or taken by another worker.",
    cure: "Read the turn. `waiting.calls` names the calls that wait.",
  },
  CALLS_NOT_OPEN: {
    status: 409,
    retryable: false,
    cause:
      "The turn gives results, but the last turn of the conversation has no open calls: they were answered, another turn came after them, " +
      "or they were deleted.",
    cure: "Send results once, with the next turn of the same conversation. Otherwise send a text: the model reads that calls were not answered.",
  },
  TURN_WAITING: {
    status: 422,
    retryable: false,
    cause:
      "The turn of a chat completion waits for a limit, a decision or a result, so there is no reply yet. It continues by itself " +
      "when it has that.",
    cure:
      "Read `details`: it has the turn and what it waits for. Send the same request again to get the reply, with the same " +
      "Idempotency-Key if it had one, or read the turn.",
  },
} as const
