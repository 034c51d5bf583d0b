import { expect, it } from 'vitest'
import { BadCursor } from '../../infra/read-model-store/read-model-store.ts'
import { mergedPage, type PageSource } from './merged-page.ts'

/** A paginated source, like the read model store: its cursor is where the next page begins. */
function source(numbers: readonly number[], leaveOut?: (number: number) => boolean): PageSource<number> {
  return {
    async find({ limit, cursor = '0' }) {
      const from = Number(cursor)
      const next = from + limit < numbers.length ? String(from + limit) : undefined
      return { documents: numbers.slice(from, from + limit), next }
    },
    ...(leaveOut && { exclude: leaveOut }),
  }
}

const isBefore = (one: number, other: number) => one < other

async function walk(sources: readonly PageSource<number>[], limit: number): Promise<number[][]> {
  const pages: number[][] = []
  let cursor: string | undefined
  do {
    const page = await mergedPage({ sources, isBefore, limit, cursor })
    pages.push([...page.documents])
    cursor = page.next
  } while (cursor !== undefined)
  return pages
}

const evens = [2, 4, 6, 8, 10, 12, 14]
const some = [1, 4, 5, 8, 9, 20, 21]
const all = [1, 2, 4, 5, 6, 8, 9, 10, 12, 14, 20, 21]

it.each([1, 2, 3, 4, 5, 7, 12, 50])('returns each document once and in order, in pages of %i', async (limit) => {
  const pages = await walk([source(evens), source(some, (number) => evens.includes(number))], limit)
  expect(pages.flat()).toEqual(all)
  expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true)
  expect(pages.at(-1)?.length, 'no empty page at the end').toBeGreaterThan(0)
})

it('works with empty sources', async () => {
  expect(await walk([source([]), source(some)], 3)).toEqual([[1, 4, 5], [8, 9, 20], [21]])
  expect(await walk([source(evens), source(evens, () => true)], 4)).toEqual([
    [2, 4, 6, 8],
    [10, 12, 14],
  ])
  expect(await walk([source([]), source([])], 4)).toEqual([[]])
})

it.each(['nonsense', '', Buffer.from('[1,2]').toString('base64url'), Buffer.from('["0"]').toString('base64url')])(
  'refuses an invalid cursor: %j',
  async (cursor) => {
    await expect(mergedPage({ sources: [source(evens), source(some)], isBefore, limit: 2, cursor })).rejects.toThrow(BadCursor)
  },
)
