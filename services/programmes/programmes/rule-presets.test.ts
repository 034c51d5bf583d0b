import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { calendarOf, publication } from '#services/rules/calendar.ts'
import { evaluate, rulesOf, startOf } from '#services/rules/engine.ts'
import { observation } from '#services/rules/observation.ts'
import { printedRule } from '#services/rules/printed-line.ts'
import { programme } from '#services/rules/programme.ts'
import { rulePresets } from './rule-presets.ts'

const text = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8')
const [entry = ''] = /^\{"id":.*$/m.exec(text) ?? []
const calendar = calendarOf([publication.parse(JSON.parse(entry))])

/** The lines of the example below a heading: the rule, then each trade and what the rule says after it. */
function exampleOf(name: string): readonly string[] {
  const [, section = ''] = text.split(`\n### ${name}\n`)
  const [, block = ''] = /```\n(.*?)```/s.exec(section) ?? []
  return block.trimEnd().split('\n')
}

describe.each(rulePresets)('the preset "$name"', ({ name, rule }) => {
  const [written = '', ...lines] = exampleOf(name)

  it('is the rule of docs/rules.md, below the page that it is from', () => {
    expect(JSON.parse(written)).toEqual(rule)
    const [, section = ''] = text.split(`\n### ${name}\n`)
    expect(section.trimStart()).toMatch(/^\[[^\]]+\]\(https:\/\/[^)]+\), /)
  })

  it('gives what its example says, to the letter', () => {
    const terms = programme.parse({
      ...{ name, currency: 'USD', accountSize: '100000.00', day: { zone: 'UTC', startsAt: '00:00' } },
      ...{ breaches: 'proposed', stages: [{ name: 'Phase 1', funded: false, rules: [rule] }] },
    })
    const rules = rulesOf(terms, 0, undefined, calendar)
    let state = startOf(rules)
    const trades = lines.filter((line) => line.startsWith('{'))
    const evaluated = trades.flatMap((trade) => {
      const next = evaluate(rules, state, observation.parse(JSON.parse(trade)))
      state = next.state
      return [trade, ...next.line.rules.map((each) => `-> ${JSON.stringify(printedRule(each))}`)]
    })
    expect(trades.length).toBeGreaterThan(1)
    expect(evaluated).toEqual(lines)
  })
})
