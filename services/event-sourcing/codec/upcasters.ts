/** Takes the stored data of one version of an event to the next version's. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>

/**
 * For each event type whose shape has changed: the step from version n to n + 1, for each n. Old events are never
 * rewritten; they are lifted when they are read. Recorded samples of every version stand in `samples/`.
 */
export const upcasters: Readonly<Record<string, Readonly<Record<number, Upcaster>>>> = {
  // Nobody was asked why before.
  AccountStatusChanged: { 1: (data) => ({ ...data, reason: null, evidence: null, corrects: null }) },
  RiskLimitsChanged: { 1: (data) => ({ ...data, reason: null }) },
}

/** Lifts stored data from its version to the current one. @throws {Error} when a step is missing or the data is from a newer program. */
export function upcast(
  type: string,
  data: Record<string, unknown>,
  version: number,
  current: number,
  steps?: Readonly<Record<number, Upcaster>>,
): Record<string, unknown> {
  if (version > current) throw new Error(`${type} has version ${version}; this program reads up to ${current}`)
  let lifted = data
  for (let from = version; from < current; from++) {
    const step = (steps ?? upcasters[type])?.[from]
    if (!step) throw new Error(`${type} has no upcaster from version ${from}`)
    lifted = step(lifted)
  }
  return lifted
}
