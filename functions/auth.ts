import { createWorker } from "../src/http/app.ts"
import { auth } from "../src/routes/auth/group.ts"

export default createWorker(auth)
