import { createWorker } from "../src/http/app.ts"
import { all } from "../src/routes/all.ts"

export default createWorker(all)
