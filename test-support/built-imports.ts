import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

/** The files of a built folder that are loaded with this one: itself, and what it imports, without `import()`. */
export function loadedWith(folder: string, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const { staticImports, staticExports } = parseSync(file, readFileSync(join(folder, file), 'utf8')).module
  for (const { moduleRequest } of [...staticImports, ...staticExports.flatMap(({ entries }) => entries)])
    if (moduleRequest?.value.startsWith('./')) loadedWith(folder, moduleRequest.value.slice(2), found)
  return found
}
