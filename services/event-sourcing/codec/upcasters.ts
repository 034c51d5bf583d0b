/** Lifts stored data of one version of an event to the next version. Old events are never rewritten; they are lifted when they are read. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>

/**
 * Lifts stored data from its version to the current one.
 *
 * @param upcasters The step from version n to n + 1 is at n - 1.
 * @throws {Error} when the data is from a newer program, or its version never existed.
 */
export function upcast(type: string, data: Record<string, unknown>, version: number, upcasters: readonly Upcaster[]): Record<string, unknown> {
  const current = upcasters.length + 1
  if (version < 1 || version > current) throw new Error(`${type} has version ${version}; this program reads 1 to ${current}`)
  return upcasters.slice(version - 1).reduce((lifted, step) => step(lifted), data)
}
