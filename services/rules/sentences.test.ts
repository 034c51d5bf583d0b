import { describe, expect, it } from 'vitest'
import { programmeSchema, type RuleTerms } from './programme.ts'
import {
  type Blank,
  fundedSentences,
  generalSentences,
  optionInEditor,
  optionOf,
  partsOf,
  payoutSentences,
  ruleSentences,
  type Sentence,
  valueAt,
} from './sentences.ts'
import { ruleKindLabels } from './rule-kind-labels.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function schemaOf(value: unknown): Schema {
  if (!isSchema(value)) throw new Error('Expected a schema')
  return value
}
const stages = schemaOf(schemaOf(programmeSchema()).properties?.['stages']?.items).oneOf ?? []
const rules = schemaOf(stages[0]?.properties?.['rules']?.items).oneOf ?? []

const named = (text: string) =>
  partsOf(text).flatMap((part) => (typeof part === 'string' || part.name.startsWith('=') ? [] : [part.name]))

/** The blanks that a sentence leads to, with those that its options show. */
function reachedIn({ text, blanks }: Sentence, ofOption: (blank: Blank) => readonly string[]): Set<string> {
  const reached = new Set<string>()
  const add = (name: string): void => {
    if (reached.has(name)) return
    reached.add(name)
    const blank = blanks[name]
    if (!blank) throw new Error(`No blank ${name}`)
    ofOption(blank).flatMap(named).forEach(add)
  }
  named(text).forEach(add)
  return reached
}

const inEditor = (blank: Blank) =>
  blank.kind === 'choice' ? blank.options.map((option) => optionInEditor(option).rest) : []
const inWords = (blank: Blank) => (blank.kind === 'choice' ? blank.options.map(({ words }) => words) : [])

describe.each([
  ...rules.map((schema) => {
    const kind = schema.properties?.['kind']?.const
    const found = Object.entries(ruleSentences).find(([name]) => name === kind)
    return [String(kind), found?.[1], schema] as const
  }),
  ['payouts', mergedOf(Object.values(payoutSentences)), stages.find(isFunded)?.properties?.['payouts']] as const,
])('the sentence of %s', (_, sentence, schema) => {
  it('has a blank for every parameter', () => {
    const places = Object.values(sentence?.blanks ?? {}).map(({ at }) => at.split('.')[0])
    const parameters = Object.keys(schemaOf(schema).properties ?? {}).filter((name) => name !== 'kind')
    expect([...new Set(places)].toSorted()).toEqual(parameters.toSorted())
  })

  it('shows all its blanks in the editor', () => {
    if (!sentence) throw new Error('There is a sentence')
    expect([...reachedIn(sentence, inEditor)].toSorted()).toEqual(Object.keys(sentence.blanks).toSorted())
    for (const name of reachedIn(sentence, inWords)) expect(Object.keys(sentence.blanks)).toContain(name)
  })

  it('offers each word that a choice may have, and knows it again', () => {
    for (const blank of Object.values(sentence?.blanks ?? {})) {
      if (blank.kind !== 'choice') continue
      for (const option of blank.options) {
        expect(optionInEditor(option).label).not.toBe('')
        expect(optionOf({ ...blank, at: 'value' }, { value: option.value })).toBe(option)
      }
      const words = wordsOf(schemaOf(schemaOf(schema).properties?.[blank.at.split('.')[0] ?? '']))
      const offered = blank.options.map(({ value }) => value)
      if (!blank.at.includes('.')) for (const word of words) expect(offered).toContain(word)
    }
  })
})

it('has a field for every promise of a funded stage', () => {
  const { blanks } = fundedSentences.promises
  const schema = schemaOf(schemaOf(stages.find(isFunded)).properties?.['promises'])
  const places = Object.values<Blank>(blanks).map(({ at }) => at)
  expect(places).toEqual(['promises', ...Object.keys(schema.properties ?? {}).map((name) => `promises.${name}`)])
  for (const { minimum, maximum } of Object.values(schema.properties ?? {}))
    expect([blanks.sent.least, blanks.sent.most]).toEqual([minimum, maximum])
  for (const option of blanks.promises.options) {
    expect(optionOf(blanks.promises, { promises: option.value })).toBe(option)
  }
  expect([...reachedIn(fundedSentences.promises, inEditor)]).toEqual(['promises', 'decided', 'sent'])
})

it('begins a rule with terms of its kind', () => {
  for (const [kind, { initial }] of Object.entries(ruleSentences)) {
    const terms: RuleTerms = initial
    expect(terms.kind).toBe(kind)
    expect(ruleKindLabels[kind]).toBeTruthy()
  }
})

it('has what applies to all stages', () => {
  expect(
    Object.values(generalSentences).flatMap(({ blanks }) => Object.values<Blank>(blanks).map(({ at }) => at)),
  ).toEqual(['day.startsAt', 'day.zone', 'breaches', 'passes', 'payoutsEnabled'])
  expect(valueAt({ day: { zone: 'UTC' } }, 'day.zone')).toBe('UTC')
})

function isFunded({ properties }: Schema): boolean {
  return properties?.['funded']?.const === true
}

/** Blanks of several sentences have other names where they share one. */
function mergedOf(sentences: readonly Sentence[]): Sentence {
  const blanks = sentences.flatMap((sentence, n) =>
    Object.entries(sentence.blanks).map(([name, blank]) => [`${n} ${name}`, renamed(blank, n)] as const),
  )
  return { text: sentences.map(({ text }, n) => renamedText(text, n)).join(''), blanks: Object.fromEntries(blanks) }
}

function renamed(blank: Blank, n: number): Blank {
  if (blank.kind !== 'choice') return blank
  const options = blank.options.map(({ words, rest, ...option }) => ({
    ...option,
    words: renamedText(words, n),
    ...(rest !== undefined && { rest: renamedText(rest, n) }),
  }))
  return { ...blank, options }
}

function renamedText(text: string, n: number): string {
  return partsOf(text)
    .map((part) => (typeof part === 'string' ? part : `{${n} ${part.name}}`))
    .join('')
}

/** The words that a schema lists, without those of objects. */
function wordsOf({ enum: words = [], anyOf = [] }: Schema): readonly unknown[] {
  return [...words, ...anyOf.flatMap(wordsOf)]
}
