import { z } from 'zod'
import { observationRoutes, type sentObservation } from '#services/trading/observations/observation-api.ts'
import type { ObservedKind } from '#services/trading/stream/observation-vocabulary.ts'
import { send } from '@/api/api.ts'
import { pageQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import { ownerOf } from '@/format/account-name.ts'
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

/** The server checks what a form makes. */
const sent = z.custom<z.input<typeof sentObservation> | null>()

interface Correction {
  readonly account: string
  /** Of the observation. */
  readonly id: string
  /** As it is sent; null takes the observation away. The server checks it. */
  readonly observation: Readonly<Record<string, unknown>> | null
  readonly reason: string
}

export const correctObservation = staffChange({
  send: ({ account, id, observation: to, reason }: Correction) =>
    send(observationRoutes.correctObservation, {
      params: { id: account, observation: id },
      body: { observation: sent.parse(to), reason },
    }),
  done: ({ account }) => ['Observation corrected', 'The rules are evaluated again.', ownerOf(account)],
  failed: () => 'The observation was not corrected',
})
