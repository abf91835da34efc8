import { createWorker } from "../src/http/app.ts"
import { admin } from "../src/routes/admin/group.ts"

export default createWorker(admin)
