import { observationRoutes } from '#services/trading/observations/observation-api.ts'
import type { ObservedKind } from '#services/trading/stream/observation-vocabulary.ts'
import { pageQuery } from '@/api/route-query.ts'
import { endOfDay, ROWS, startOfDay } from '@/lists/list-query.ts'

interface Wanted {
  readonly kind: ObservedKind | undefined
  /** Days in the chosen zone, such as '2026-11-26'. */
  readonly since: string | undefined
  readonly until: string | undefined
  readonly cursor: string | undefined
}

/** A page of what was observed of an account. */
export const observationsQuery = (id: string, { kind, since, until, cursor }: Wanted) =>
  pageQuery(observationRoutes.observations, {
    params: { id },
    query: { kind, from: startOfDay(since), to: endOfDay(until), limit: ROWS, cursor },
    subjects: ['observations', 'accounts'],
  })
