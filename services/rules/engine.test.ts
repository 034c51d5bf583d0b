import { describe, expect, it } from 'vitest'
import { rulesHold } from '#test-support/rules-properties.ts'
import { maximumLoss, rulesOfStage } from '#test-support/rules.ts'
import { startOf } from './engine.ts'

describe('any programme and any observations', () => rulesHold(1_000))

it('starts with plain data', () => {
  const start = startOf(rulesOfStage({ rules: [maximumLoss()] }))
  expect(JSON.parse(JSON.stringify(start))).toEqual(start)
})
