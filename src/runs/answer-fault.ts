import type { ModelAnswer } from "../agent/engine.ts"

/** Ends of an answer with which nobody was answered: the code of a turn that ends so, and its sentence. */
const FAULTS: { [Finish in ModelAnswer["finish"]]?: { code: string; message: string } } = {
  refused: { code: "MODEL_REFUSED", message: "The model refused to answer." },
  filtered: { code: "CONTENT_FILTERED", message: "A content filter of the model's provider cut the answer off." },
  error: { code: "MODEL_ERROR", message: "The model's provider ended the answer with an error." },
}

export const answerFault = (finish: ModelAnswer["finish"]) => FAULTS[finish] ?? null
