import { testRollups } from "../harness/rollup-sequences.ts"

testRollups(2)
