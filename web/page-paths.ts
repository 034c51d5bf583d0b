import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The file beside index.html that the query service reads. */
const FILE = 'page-paths.json'

/**
 * Lists the paths that have a page, by the route files, with the code of each: the query service answers 404 for all other
 * paths, and names these files in the page, so that they are requested together.
 */
export function pagePaths(routes: string): Plugin {
  return {
    name: 'page-paths',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const ofEntry = closureOf(chunks, (chunk) => chunk.isEntry)
      const pages = readdirSync(routes)
        .filter((file) => !isFrame(file))
        .map((file) => {
          const parts = routesAbove(file).flatMap((route) => this.getModuleInfo(join(routes, route))?.dynamicallyImportedIds ?? [])
          const loaded = closureOf(chunks, ({ moduleIds }) => parts.some((id) => moduleIds.includes(id)))
          const path = pathOf(file)
          return [path, { session: sessionOf(file), code: [...loaded].filter((name) => !ofEntry.has(name)).map((name) => `/${name}`) }] as const
        })
      this.emitFile({ type: 'asset', fileName: FILE, source: JSON.stringify(Object.fromEntries(pages)) })
    },
  }
}

/** The files of the chunks that match, and of all that they import. */
function closureOf(chunks: readonly Rolldown.OutputChunk[], matches: (chunk: Rolldown.OutputChunk) => boolean): Set<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set<string>()
  const add = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    for (const imported of byName.get(name)?.imports ?? []) add(imported)
  }
  for (const chunk of chunks) if (matches(chunk)) add(chunk.fileName)
  return found
}

/** Frames around pages; their own index is a page. */
const frames = ['__root.tsx', '_trader.tsx', 'admin.tsx']
const isFrame = (file: string) => frames.includes(file)

/** The file of a route and that of its frame: 'admin.tsx' and 'admin.users.tsx'. */
function routesAbove(file: string): string[] {
  return [...frames.filter((frame) => file.startsWith(frame.slice(0, -'tsx'.length))), file]
}

/** Whose session the page needs. */
function sessionOf(file: string): 'trader' | 'admin' | 'none' {
  if (file.startsWith('_trader.')) return 'trader'
  return file.startsWith('admin.') ? 'admin' : 'none'
}

/** '/admin/audit/$id' for 'admin.audit.$id.tsx': a part that begins with '_' is only a frame around pages. */
function pathOf(file: string): string {
  const parts = file.split('.').slice(0, -1)
  return `/${parts.filter((part) => part !== 'index' && !part.startsWith('_')).join('/')}`
}
