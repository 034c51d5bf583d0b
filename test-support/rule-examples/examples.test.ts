import { describe, expect, it } from 'vitest'
import { linesOf } from '#test-support/rules.ts'
import figures from '#test-support/rules-examples.json' with { type: 'json' }
import { consistencyExamples } from './consistency-examples.ts'
import { dailyLossExamples } from './daily-loss-examples.ts'
import { maximumLossExamples } from './maximum-loss-examples.ts'
import { notExpressed, payoutExamples } from './payout-examples.ts'

const examples = [...dailyLossExamples, ...maximumLossExamples, ...consistencyExamples, ...payoutExamples]
const published = new Map(figures.map((example) => [example.id, example]))

describe('examples by firms and public engines', () => {
  it('are all here, or argued', () => {
    expect(published.size).toBe(137)
    const covered = new Set([...examples.map(({ id }) => id), ...Object.keys(notExpressed)])
    expect([...published.keys()].filter((id) => !covered.has(id))).toEqual([])
    expect([...covered].filter((id) => !published.has(id))).toEqual([])
    expect(examples.filter(({ id }) => id in notExpressed)).toEqual([])
    expect(Object.entries(notExpressed).filter(([, reason]) => reason.trim() === '')).toEqual([])
  })

  it.each(examples.map((example) => [`${example.id} ${published.get(example.id)?.firm ?? ''}`, example] as const))(
    '%s',
    (_, { terms, when, last, each }) => {
      const lines = linesOf(terms, ...when)
      const expected = each ?? (last ? [last] : [])
      const looked = lines.slice(-expected.length).map((line, index) => {
        const listed = expected[index]?.rules?.length ?? line.rules.length
        return { ...line, rules: line.rules.slice(0, listed) }
      })
      expect(looked).toMatchObject(expected)
    },
  )
})
