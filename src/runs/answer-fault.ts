import type { ModelAnswer } from "../agent/engine.ts"

/** The finishes of an answer that make a turn fail, each with the turn's error code and message. */
const FAULTS: { [Finish in ModelAnswer["finish"]]?: { code: string; message: string } } = {
  refused: { code: "MODEL_REFUSED", message: "The model refused to answer." },
  filtered: { code: "CONTENT_FILTERED", message: "A content filter of the model's provider cut the answer off." },
  empty: {
    code: "EMPTY_ANSWER",
    message: "The model ended its answer without any text, even after a second request.",
  },
  error: { code: "MODEL_ERROR", message: "The model's provider ended the answer with an error." },
}

export const answerFault = (finish: ModelAnswer["finish"]) => FAULTS[finish] ?? null
