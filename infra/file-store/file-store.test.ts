import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkKey, checkPrefix } from './file-store.ts'

describe('keys of files', () => {
  it.each(['a', 'certificates/u1/c1.pdf', '0/-/_', 'a..b', 'a.', `${'x'.repeat(200)}/y`])('may be %j', (key) => {
    expect(() => checkKey(key)).not.toThrow()
    expect(() => checkPrefix(`${key}/`)).not.toThrow()
  })

  const misplaced = ['', '/', '..', '../a', 'a/../b', 'a/.b', '/a', 'a/', 'a//b']
  const misspelt = ['A', 'a b', 'a\n', '\na', 'a\0', 'a\\b', 'é', 'x'.repeat(201)]
  it.each([...misplaced, ...misspelt])('may not be %j', (key) => {
    expect(() => checkKey(key)).toThrow(TypeError)
    expect(() => checkPrefix(`${key}/`)).toThrow(TypeError)
  })

  it('never lead out of their folder', () => {
    const anything = fc.oneof(fc.string(), fc.stringMatching(/^[a-c./\\]*$/))
    fc.assert(
      fc.property(anything, (key) => {
        try {
          checkKey(key)
        } catch {
          return
        }
        expect(resolve('/files', key)).toBe(`/files/${key}`)
      }),
      { numRuns: 2_000 },
    )
  })

  it('make prefixes only with a slash at the end', () => {
    for (const prefix of ['a', '', '/', 'a//', '../', 'a/../']) expect(() => checkPrefix(prefix)).toThrow(TypeError)
  })
})
