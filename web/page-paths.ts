import { readdirSync } from 'node:fs'
import type { Plugin } from 'vite'

/** The file beside index.html that the query service reads. */
const FILE = 'page-paths.json'

/** Lists the paths that have a page, by the route files, so that the query service answers 404 for all others. */
export function pagePaths(routes: string): Plugin {
  return {
    name: 'page-paths',
    apply: 'build',
    generateBundle() {
      const paths = readdirSync(routes).map(pathOf)
      this.emitFile({ type: 'asset', fileName: FILE, source: JSON.stringify([...new Set(paths)].toSorted()) })
    },
  }
}

/** '/admin/audit/$id' for 'admin.audit.$id.tsx': a part that begins with '_' is only a frame around pages. */
function pathOf(file: string): string {
  const parts = file.split('.').slice(0, -1)
  return `/${parts.filter((part) => part !== 'index' && !part.startsWith('_')).join('/')}`
}
