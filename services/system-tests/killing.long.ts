import { beforeAll, it } from 'vitest'
import { KillScenario } from '#test-support/chaos/kill-scenario.ts'
import { buildProgram } from '#test-support/program.ts'

/** `KILL_ROUNDS=6` for less. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 100)
const roundsApart = Math.ceil(rounds / 2)
const timeout = (count: number) => 600_000 + count * 60_000

beforeAll(buildProgram, 600_000)

it(
  `keeps every acknowledged change once over ${rounds} kills`,
  () => new KillScenario().runTogether(rounds),
  timeout(rounds),
)

it(
  `keeps every acknowledged change once over ${roundsApart} kills of services`,
  () => new KillScenario().runApart(roundsApart),
  timeout(roundsApart),
)
