import type { Plugin, Rollup } from 'vite'

/**
 * What each page will ask for first: its code, and what it reads. The query service writes that into the page as links, so
 * that a browser asks for everything at once instead of finding out one after the other, first the code, then who is
 * signed in, then what the page shows.
 */

/** The file beside index.html that the query service reads. */
const FILE = 'first-requests.json'

/** What is read by each page as it is without search parameters. A path that is not here is left as it is. */
const reads: Readonly<Record<string, readonly string[]>> = {
  '/': ['/api/user', '/api/user/account', '/api/user/account/history'],
  '/settings': ['/api/user'],
  '/payouts': ['/api/user', '/api/user/account', '/api/user/payouts'],
  '/certificates': ['/api/user', '/api/user/certificates'],
  '/account-sizes': ['/api/user', '/api/offers'],
  '/auth': [],
  '/admin/dashboard': ['/api/admin/auth', '/api/admin/stats'],
  '/admin/users': ['/api/admin/auth', '/api/admin/stats', '/api/admin/users?limit=25'],
  '/admin/payouts': ['/api/admin/auth', '/api/admin/stats', '/api/admin/payouts?limit=25'],
}

/** Finds out the code of each page and writes it down for the query service. */
export function firstRequests(): Plugin {
  return {
    name: 'first-requests',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const chunkOf = new Map(chunks.flatMap((chunk) => chunk.moduleIds.map((id) => [id, chunk] as const)))
      const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
      const loadedAnyway = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => withImports(chunk, named)))
      const importsOf = (id: string) => this.getModuleInfo(id)?.importedIds ?? []
      const loadedBy = (id: string) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? []

      const modulesOf = (path: string, readsSomething: boolean): string[] => {
        const routes = routeFilesOf(path).flatMap((file) => [...chunkOf.keys()].filter((id) => id.endsWith(`/web/src/routes/${file}`)))
        if (routes.length === 0) this.error(`No route file belongs to ${path}`)
        const pages = routes.flatMap(loadedBy)
        // The schemas that parse its answers come beside them.
        const schemas = readsSomething
          ? [...reachable([...routes, ...pages], importsOf)].flatMap(loadedBy).filter((id) => id.includes('/web/src/contract/'))
          : []
        const files = [...pages, ...schemas].flatMap((id) => {
          const chunk = chunkOf.get(id)
          return chunk ? withImports(chunk, named) : []
        })
        return [...new Set(files)].filter((file) => !loadedAnyway.has(file)).map((file) => `/${file}`)
      }
      const pages = Object.entries(reads).map(([path, asked]) => [path, { modules: modulesOf(path, asked.length > 0), reads: asked }] as const)
      this.emitFile({ type: 'asset', fileName: FILE, source: JSON.stringify(Object.fromEntries(pages)) })
    },
  }
}

/** The files of a page and of the frames around it: '_trader.payouts.tsx' is inside '_trader.tsx'. */
function routeFilesOf(path: string): string[] {
  const name = path.slice(1).replaceAll('/', '.')
  if (name.startsWith('admin.')) return ['admin.tsx', `${name}.tsx`]
  return name === 'auth' ? ['auth.tsx'] : ['_trader.tsx', `_trader.${name || 'index'}.tsx`]
}

function withImports(chunk: Rollup.OutputChunk, named: ReadonlyMap<string, Rollup.OutputChunk>): string[] {
  return [...reachable([chunk.fileName], (file) => named.get(file)?.imports ?? [])]
}

/** All that is reached from these by one step after the other. */
function reachable(from: readonly string[], next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(from)
  for (const id of reached) for (const other of next(id)) reached.add(other)
  return reached
}
