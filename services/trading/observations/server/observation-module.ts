import type { TradingParts } from '#services/trading/parts.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import { observationSubject } from '../observation-subject.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, accountId, observationId, observationIdOf } from '#services/framework/ids.ts'
import { AccountObservation, futureFault, type observationRoutes } from '../observation-api.ts'
import { correctObservation } from '#services/trading/stream/observation.ts'
import { recordFeed } from './feed.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { accountWith } from '#services/trading/accounts/server/account-of-document.ts'
import { stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { stampResponse } from '#services/framework/decision-stamp.ts'
import type { StageFound } from '#services/trading/accounts/server/stages.ts'
import type { KnownObservation } from '#services/trading/stream/known-observations.ts'
import { writtenObservation } from '#services/rules/observation.ts'

export const observationModule: Module<typeof observationSubject, TradingParts> = {
  subject: observationSubject,
  commands: observationCommands,
  queries: observationQueries,
  // Observations of a person stay with the balances, as decisions do.
  erase: null,
}

/** Records what programs observe, and corrects it. */
function observationCommands(parts: TradingParts['commands']): Commands<typeof observationRoutes> {
  const { repositories, react, now } = parts
  return {
    recordFeed: async ({ body: { rows }, context }) => {
      const { body, position } = await recordFeed(parts, rows, context)
      return { body, ...(position && { position }) }
    },

    correctObservation: async ({ params, body: { observation, reason }, context }) => {
      const account = params.id
      const number = existingNumber(account, params.observation)
      const fault = observation && futureFault(observation, now())
      if (fault) throw new Refused('invalid', fault, 'observation')
      const result = await repositories
        .of(accountStreams)
        .decide(account, context, (state) => correctObservation(state, number, observation, reason))
      return done(await react(result))
    },
  }
}

/** The number in an observation's id. @throws {Refused} not-found, for none of this account */
function existingNumber(account: AccountId, id: string): number {
  const { data } = observationId.safeParse(id)
  const number = Number(data?.slice(data.lastIndexOf('-o') + 2))
  if (!data || observationIdOf(account, number) !== data) throw new Refused('not-found', 'Observation not found')
  return number
}

/** Staff read the observations of an account. */
function observationQueries(parts: TradingParts['queries']): Queries<typeof observationRoutes> {
  return {
    observations: {
      needs: [users, stageEvents],
      handle: async ({
        params,
        query: { kind, from = -Infinity, to = Infinity, limit, cursor },
        request,
        response,
      }) => {
        const id = accountId.parse((await accountWith(parts, params.id)).id)
        const found = await parts.stages.of(id)
        const isWanted = ({ now }: KnownObservation) =>
          now !== null && (kind === undefined || now.kind === kind) && now.at.ms >= from && now.at.ms <= to
        const known = [...(found?.stage.known.list ?? [])].filter(isWanted).toSorted(newestFirst)
        const start = cursor === undefined ? 0 : known.findIndex((one) => newestFirst(one, placeIn(cursor)) > 0)
        const page = start === -1 ? [] : known.slice(start, start + limit)
        const last = page.at(-1)
        const next = last && start + limit < known.length ? cursorAfter(last) : undefined
        setPaginationHeaders(request, response, { next }, exactTotal(known.length))
        return { body: found ? page.map((each) => observationResponse(id, found, each)) : [] }
      },
    },
  }
}

type Place = Pick<KnownObservation, 'number'> & { readonly now: { readonly at: { readonly ms: number } } | null }

/** What was observed last is first, whenever it was recorded; of one instant what was recorded last. */
function newestFirst(one: Place, other: Place): number {
  return (other.now?.at.ms ?? 0) - (one.now?.at.ms ?? 0) || other.number - one.number
}

/** A place, not the observation that was there: it may be corrected between two pages. */
function cursorAfter({ number, now }: Place): string {
  return `${now?.at.ms ?? 0}-${number}`
}

/** The beginning, for a text that is no cursor. */
function placeIn(cursor: string): Place {
  const [ms = Infinity, number = Infinity] = cursor.split('-').map((part) => Number(part) || Infinity)
  return { number, now: { at: { ms } } }
}

function observationResponse(
  account: AccountId,
  { events }: StageFound,
  { number, now }: KnownObservation,
): AccountObservation {
  const recording = events.recordings.findLast(({ first }) => first <= number)
  const correction = events.corrections.get(number)
  return AccountObservation.parse({
    id: observationIdOf(account, number),
    event: events.observations.get(number - 1),
    observation: now && writtenObservation(now),
    source: recording && { ...stampResponse(recording, 'admin'), kind: recording.source, import: recording.importId },
    corrected: correction
      ? {
          ...stampResponse(correction, 'admin'),
          ...{ reason: correction.reason, kind: correction.source, import: correction.importId },
        }
      : null,
  })
}
