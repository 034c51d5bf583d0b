import { evaluateAll, evaluateAllKinds, printAll } from './rules.ts'

/** Prints how many observations a second are evaluated, and how many of their lines are printed, in some rounds. */

const ROUNDS = 5
/** In the first rounds Node still compiles the code. */
const WARM_UP = 3

const evaluate = Array.from({ length: WARM_UP + ROUNDS }, () => evaluateAll()).slice(WARM_UP)
const all = Array.from({ length: WARM_UP + ROUNDS }, evaluateAllKinds).slice(WARM_UP)
const print = Array.from({ length: WARM_UP + ROUNDS }, printAll).slice(WARM_UP)
process.stdout.write(JSON.stringify({ evaluate, all, print }))
