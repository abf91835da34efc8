import { createWorker } from "../src/http/app.ts"
import { account } from "../src/routes/account/group.ts"

export default createWorker(account)
