import { z } from 'zod'

const PagePaths = z.array(z.string())

/** Whether the web app has a page at this path, by the list its build writes (web/page-paths.ts): '/admin/audit/$id'. */
export function pageMatcher(list = '[]'): (path: string) => boolean {
  const patterns = PagePaths.parse(JSON.parse(list)).map((path) => path.replaceAll(/[.*+?^{}()|[\]\\]/g, '\\$&').replaceAll(/\$\w+/g, '[^/]+'))
  const pages = new RegExp(`^(?:${patterns.join('|')})$`)
  return (path) => pages.test(path)
}
