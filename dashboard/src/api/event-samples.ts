// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

/** An example of each type of event, as a webhook receives it. */
export const EVENT_SAMPLES: Record<string, unknown> = {
  "turn.queued": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "turn.queued",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": 1,
    "data": {
      "turn": {
        "turn_id": "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "space": "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "end_user_ref": "customer-42",
        "conversation": "conv_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "state": "queued",
        "status_reason": null,
        "text": "Where is my order?",
        "result": null,
        "truncated": false,
        "error": null,
        "files": [],
        "outputs": [],
        "billed_cost_usd": 0,
        "held_usd": 0.1,
        "usage": {
          "model_calls": 0,
          "tool_calls": 0,
          "tokens_input": 0,
          "tokens_cached": 0,
          "tokens_output": 0
        },
        "model": "rehearsal/standard",
        "metadata": {
          "order": "A-1"
        },
        "test": false,
        "created_at": "2026-01-15T09:30:00.000Z",
        "started_at": null,
        "finished_at": null
      }
    }
  },
  "turn.running": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "turn.running",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": 2,
    "data": {
      "turn": {
        "turn_id": "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "space": "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "end_user_ref": "customer-42",
        "conversation": "conv_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "state": "running",
        "status_reason": null,
        "text": "Where is my order?",
        "result": null,
        "truncated": false,
        "error": null,
        "files": [],
        "outputs": [],
        "billed_cost_usd": 0,
        "held_usd": 0.1,
        "usage": {
          "model_calls": 0,
          "tool_calls": 0,
          "tokens_input": 0,
          "tokens_cached": 0,
          "tokens_output": 0
        },
        "model": "rehearsal/standard",
        "metadata": {
          "order": "A-1"
        },
        "test": false,
        "created_at": "2026-01-15T09:30:00.000Z",
        "started_at": "2026-01-15T09:30:00.412Z",
        "finished_at": null
      }
    }
  },
  "turn.done": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "turn.done",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": 7,
    "data": {
      "turn": {
        "turn_id": "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "space": "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "end_user_ref": "customer-42",
        "conversation": "conv_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "state": "done",
        "status_reason": null,
        "text": "Where is my order?",
        "result": "It left this morning.",
        "truncated": false,
        "error": null,
        "files": [],
        "outputs": [],
        "billed_cost_usd": 0.0041,
        "held_usd": 0,
        "usage": {
          "model_calls": 1,
          "tool_calls": 0,
          "tokens_input": 812,
          "tokens_cached": 640,
          "tokens_output": 64
        },
        "model": "rehearsal/standard",
        "metadata": {
          "order": "A-1"
        },
        "test": false,
        "created_at": "2026-01-15T09:30:00.000Z",
        "started_at": "2026-01-15T09:30:00.412Z",
        "finished_at": "2026-01-15T09:30:02.871Z"
      }
    }
  },
  "turn.failed": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "turn.failed",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": 7,
    "data": {
      "turn": {
        "turn_id": "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "space": "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "end_user_ref": "customer-42",
        "conversation": "conv_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "state": "failed",
        "status_reason": "MODEL_UNAVAILABLE",
        "text": "Where is my order?",
        "result": null,
        "truncated": false,
        "error": {
          "code": "MODEL_UNAVAILABLE",
          "message": "The model did not respond, even after retries."
        },
        "files": [],
        "outputs": [],
        "billed_cost_usd": 0.0041,
        "held_usd": 0,
        "usage": {
          "model_calls": 1,
          "tool_calls": 0,
          "tokens_input": 812,
          "tokens_cached": 640,
          "tokens_output": 64
        },
        "model": "rehearsal/standard",
        "metadata": {
          "order": "A-1"
        },
        "test": false,
        "created_at": "2026-01-15T09:30:00.000Z",
        "started_at": "2026-01-15T09:30:00.412Z",
        "finished_at": "2026-01-15T09:30:02.871Z"
      }
    }
  },
  "turn.cancelled": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "turn.cancelled",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": 4,
    "data": {
      "turn": {
        "turn_id": "turn_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "space": "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "end_user_ref": "customer-42",
        "conversation": "conv_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "state": "cancelled",
        "status_reason": "client",
        "text": "Where is my order?",
        "result": null,
        "truncated": false,
        "error": null,
        "files": [],
        "outputs": [],
        "billed_cost_usd": 0.0041,
        "held_usd": 0,
        "usage": {
          "model_calls": 1,
          "tool_calls": 0,
          "tokens_input": 812,
          "tokens_cached": 640,
          "tokens_output": 64
        },
        "model": "rehearsal/standard",
        "metadata": {
          "order": "A-1"
        },
        "test": false,
        "created_at": "2026-01-15T09:30:00.000Z",
        "started_at": "2026-01-15T09:30:00.412Z",
        "finished_at": "2026-01-15T09:30:02.871Z"
      }
    }
  },
  "balance.low": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "balance.low",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "balance_usd": 0.9871,
      "held_usd": 0.25,
      "available_usd": 0.7371,
      "threshold_usd": 1
    }
  },
  "balance.depleted": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "balance.depleted",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "balance_usd": 0.25,
      "held_usd": 0.25,
      "available_usd": 0,
      "threshold_usd": 0
    }
  },
  "cap.reached": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "cap.reached",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "cap": "end_user_daily",
      "source": "account",
      "percent": 80,
      "limit_usd": 0.5,
      "spent_usd": 0.4127,
      "reserved_usd": 0.25,
      "resets_at": "2026-01-16T00:00:00.000Z",
      "key_id": null,
      "end_user_ref": "customer-42",
      "space": null
    }
  },
  "endpoint.disabled": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "endpoint.disabled",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "webhook_id": "whk_01jd3k9m2x4t8r5w6y7z0a1b2c",
      "url": "https://example.com/webhooks/old",
      "reason": "gone"
    }
  },
  "account.signed_in": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "account.signed_in",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "session_id": "ses_01jd3k9m2x4t8r5w6y7z0a1b2c",
      "address": "203.0.113.7",
      "user_agent": "Mozilla/5.0"
    }
  },
  "account.locked": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "account.locked",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "address": "203.0.113.7"
    }
  },
  "account.factor_changed": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "account.factor_changed",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "factor": "second_factor",
      "change": "set"
    }
  },
  "key.created": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "key.created",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "key_id": "key_01jd3k9m2x4t8r5w6y7z0a1b2c",
      "name": "Server",
      "scope": "all",
      "test": false,
      "hint": "x7Qa",
      "rotated": false
    }
  },
  "space.shared": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "space.shared",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "spaces": [
        {
          "space": "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
          "title": "Support desk"
        }
      ],
      "space_count": 1,
      "people": [
        {
          "user_id": 43,
          "name": "Grace"
        }
      ],
      "people_count": 1
    }
  },
  "ping": {
    "id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "type": "ping",
    "created_at": "2026-01-15T09:30:00.000Z",
    "seq": null,
    "data": {
      "webhook_id": "whk_01jd3k9m2x4t8r5w6y7z0a1b2c"
    }
  }
}
