import { describe } from 'vitest'
import { rulesHold } from '#test-support/rules-properties.ts'

// The properties of engine.test.ts, a hundred times as often.
describe('any programme and any observations, for long', { timeout: 3_600_000 }, () => rulesHold(100_000))
