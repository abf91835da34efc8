/** Where chance comes from that a test may want to hold: a number from 0 to below 1. */
export const systemRandom = (): number => Math.random()
