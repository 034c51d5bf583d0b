import { expect, it } from 'vitest'
import { actor } from './actor.ts'

it.each([
  { kind: 'trader', id: 'ada00000' },
  { kind: 'admin', id: 'a1', label: 'Dana' },
  { kind: 'system', label: 'worker' },
])('an actor is a $kind', (known) => expect(actor.parse(known)).toEqual(known))

it.each([{ kind: 'robot', id: 'r1' }, { kind: 'trader' }, { kind: 'admin', id: 'a1' }, { kind: 'system' }])(
  'no actor is %o',
  (unknown) => expect(actor.safeParse(unknown).success).toBe(false),
)
