import { z } from 'zod'

/** What a browser loads at first for a page, as the build of the web app lists it (web/page-paths.ts). */
const PageLoad = z.object({
  /** Whose session the page needs. */
  session: z.enum(['trader', 'admin', 'none']),
  /** The files of its code, beyond those that every page names. */
  code: z.array(z.string()),
})
export type PageLoad = z.infer<typeof PageLoad>

/** By path: '/admin/audit/$id'. */
const PageLoads = z.record(z.string(), PageLoad)

/** The pages of the web app by path, in the order in which paths are looked up, from the list of its build. */
export function parsePages(list = '{}'): [path: string, load: PageLoad][] {
  return Object.entries(PageLoads.parse(JSON.parse(list)))
}

/** Finds what belongs to the page at a path, among entries by page path. */
export function pageFinder<Page>(pages: readonly (readonly [path: string, page: Page])[]): (path: string) => Page | undefined {
  const patterns = pages.map(([path, page]) => {
    const pattern = path.replaceAll(/[.*+?^{}()|[\]\\]/g, '\\$&').replaceAll(/\$\w+/g, '[^/]+')
    return { pattern: new RegExp(`^${pattern}$`), isExact: !path.includes('$'), page }
  })
  const inOrder = patterns.toSorted((one, other) => Number(other.isExact) - Number(one.isExact))
  return (path) => inOrder.find(({ pattern }) => pattern.test(path))?.page
}
