import { beforeAll, it } from 'vitest'
import { KillScenario } from '#test-support/chaos/kill-scenario.ts'
import { buildProgram } from '#test-support/program.ts'

/** Enough to kill while running and while starting, and each service once. Many rounds: killing.long.ts. */
const ROUNDS_TOGETHER = 2
const ROUNDS_APART = 3
const TIMEOUT_MS = 600_000

beforeAll(buildProgram, 600_000)

it(
  'keeps every acknowledged change once when the process is killed',
  () => new KillScenario().runTogether(ROUNDS_TOGETHER),
  TIMEOUT_MS,
)

it(
  'keeps every acknowledged change once when services are killed in turn',
  () => new KillScenario().runApart(ROUNDS_APART),
  TIMEOUT_MS,
)
