import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** docs/security.md claims what tests show: those tests exist, and nothing is left out. */

const root = join(import.meta.dirname, '../../..')
const docs = join(root, 'docs')
const document = readFileSync(join(docs, 'security.md'), 'utf8')

/** `1.2.1–3, 1.3.1` or `H1–H3` as a list. */
function expanded(ranges: string): string[] {
  return ranges.split(', ').flatMap((range) => {
    const [, prefix = '', from = '', to = from] = /^(.*?)(\d+)(?:–\D*(\d+))?$/.exec(range) ?? []
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, number) => `${prefix}${Number(from) + number}`)
  })
}

const requirements = [
  ...document.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| (met|n\/a|not met) \| ([^|]+) \|$/gm),
].map(([, number = '', , , verdict = '', reason = '']) => ({ number, verdict, reason }))
const chapters = [
  ...document.matchAll(/^\| \[(\d+) [^\]]+\]\(#[\w-]+\) \| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm),
].map(([, chapter = '', ranges = '', ...counts]) => ({
  chapter,
  numbers: expanded(ranges),
  counts: counts.map(Number),
}))
const namedTests = [...document.matchAll(/`([\w/.-]+)` "([^"|]+)"/g)].map(([, file = '', title = '']) => ({
  file,
  title,
}))

/** The file of a test that is named below its folder, or from the root, and without its ending. */
function sourceOf(file: string): string | undefined {
  const found = ['services', 'infra', 'web', 'test-support', '.']
    .flatMap((folder) =>
      ['.test.ts', '.test.tsx', '.long.ts', '.ts'].map((ending) => join(root, folder, file + ending)),
    )
    .find(existsSync)
  return found && readFileSync(found, 'utf8')
}

/** The anchors of a document's headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe('docs/security.md', () => {
  it('has every requirement of its list once, each with a verdict', () => {
    const listed = chapters.flatMap(({ numbers }) => numbers)
    expect(listed.length).toBe(253)
    expect(new Set(listed).size).toBe(listed.length)
    expect(requirements.map(({ number }) => number)).toEqual(listed)
  })

  it('counts them right', () => {
    for (const { chapter, numbers, counts } of chapters) {
      const verdicts = requirements.filter(({ number }) => numbers.includes(number)).map(({ verdict }) => verdict)
      const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length
      expect([chapter, ...counts]).toEqual([chapter, numbers.length, count('met'), count('n/a'), count('not met')])
    }
  })

  it('shows what is met by a test or by documentation', () => {
    const unshown = requirements.filter(({ verdict, reason }) => verdict === 'met' && !/`[\w/.-]+` "|\]\(/.test(reason))
    expect(unshown.map(({ number }) => number)).toEqual([])
  })

  it('names only tests that exist', () => {
    expect(namedTests.length).toBeGreaterThan(200)
    const missing = namedTests.filter(
      ({ file, title }) => !["'", '"', '`'].some((quote) => sourceOf(file)?.includes(`${quote}${title}${quote}`)),
    )
    expect(missing).toEqual([])
  })

  it('has every finding of the two reviews', () => {
    const tables = [...document.matchAll(/^The .*review.* \(([^)]*)\):\n\n((?:\|.*\n)+)/gm)]
    expect(tables.length).toBe(2)
    for (const [, ranges = '', table = ''] of tables) {
      const rows = [...table.matchAll(/^\| ([A-Z]\d+(?:–O7)?) \| [^|]+ \| \S[^|]* \| [^|]+ \|$/gm)].flatMap(
        ([, number = '']) => expanded(number),
      )
      expect(rows).toEqual(expanded(ranges))
    }
  })

  it('links to what exists', () => {
    for (const [, file = '', anchor] of document.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = file === '' ? document : existsSync(join(docs, file)) && readFileSync(join(docs, file), 'utf8')
      expect([file, anchor, target !== false && (anchor === undefined || anchorsOf(target).includes(anchor))]).toEqual([
        file,
        anchor,
        true,
      ])
    }
  })
})
