import { createWorker } from "../src/http/app.ts"
import { callbacks } from "../src/routes/callbacks/group.ts"

export default createWorker(callbacks)
