/** A text, or where an object begins or ends. */
const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/g

/**
 * The first name that stands twice in one object of a valid JSON text, and its line. `JSON.parse` would keep the last of
 * the values without a word; of a rule or an observation nobody could say which one holds.
 */
export function repeatedName(json: string): { readonly name: string; readonly line: number } | null {
  const open: Set<string>[] = []
  for (const { 0: token, 1: text = '', 2: isName, index } of json.matchAll(TOKENS)) {
    const names = open.at(-1)
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (isName !== undefined && names) {
      // Escapes write the same name in another way.
      const name = text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
      if (names.has(name)) return { name, line: json.slice(0, index).split('\n').length }
      names.add(name)
    }
  }
  return null
}
