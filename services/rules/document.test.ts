import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { programme } from './programme.ts'

it('docs/rules.md shows programmes that are valid', () => {
  const text = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8')
  const programmes = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => programme.parse(JSON.parse(json)))
  expect(programmes.map(({ name }) => name)).toEqual([
    'Two-Step 100K',
    'One-Step 100K',
    'Futures 50K',
    'Behaviour 100K',
  ])
})
