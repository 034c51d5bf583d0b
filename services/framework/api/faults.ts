import type { z } from 'zod'

/** The first message of each place that a zod error names, in their order: 'stages[0].rules[1].limit'. */
export function faultsOf({ issues }: z.core.$ZodError): Map<string, string> {
  const faults = new Map<string, string>()
  const add = (path: readonly PropertyKey[], message: string): void => {
    const place = placeOf(path)
    if (!faults.has(place)) faults.set(place, message)
  }
  for (const issue of issues) {
    // Zod's own messages say 'Invalid input: expected object, received string'.
    if (issue.code !== 'unrecognized_keys') add(issue.path, issue.message.replace(/^Invalid input: /, ''))
    else for (const key of issue.keys) add([...issue.path, key], 'expected no such field')
  }
  return faults
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}
