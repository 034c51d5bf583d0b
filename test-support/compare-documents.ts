import { compareInSteps, type Difference } from '#services/event-sourcing/read-models/read-model-comparison.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { allProjections } from '#services/portal/modules.ts'

export interface ComparedDocuments {
  readonly differences: readonly Difference[]
  /** Read models that were behind the log. */
  readonly behind: readonly string[]
}

/**
 * One round over the documents, as the worker makes it, but without rests.
 *
 * @param onStep Called after each step.
 */
export async function compareDocuments(
  parts: Pick<Dependencies, 'eventStore' | 'personKeys' | 'readModelStore' | 'reportAlteredDocument'>,
  onStep: () => Promise<void> = async () => {},
): Promise<ComparedDocuments> {
  const differences: Difference[] = []
  const steps = compareInSteps({
    ...parts,
    registry: eventRegistry,
    store: parts.readModelStore,
    projections: allProjections,
    signal: new AbortController().signal,
    onDifference(difference) {
      differences.push(difference)
      parts.reportAlteredDocument(difference.collection, difference.id)
    },
  })
  for (;;) {
    const step = await steps.next()
    if (step.done) return { differences, behind: step.value }
    await onStep()
  }
}
