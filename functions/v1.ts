import { createWorker } from "../src/http/app.ts"
import { v1 } from "../src/routes/v1/group.ts"

export default createWorker(v1)
