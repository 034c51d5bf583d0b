import type { Operation } from './history.ts'

/** What happens at a moment; known only then. */
interface Step {
  readonly at: number
  operations(): Iterable<Operation>
}

export type Agenda = ReturnType<typeof createAgenda>

/** What is to happen, in the order of time. A step may add further ones, at its own moment or later. */
export function createAgenda() {
  const steps: Step[] = []
  return {
    /** Of the same moment, the first that was added comes first. */
    add(at: number, operations: Step['operations']): void {
      steps.splice(steps.findLastIndex((step) => step.at <= at) + 1, 0, { at, operations })
    },
    /** What happens up to a moment. Each operation is performed before the next is asked for. */
    *until(moment: number): Iterable<Operation> {
      for (;;) {
        const [step] = steps
        if (!step || step.at > moment) return
        steps.shift()
        yield* step.operations()
      }
    },
  }
}
