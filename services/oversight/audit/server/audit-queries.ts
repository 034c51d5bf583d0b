import { setImmediate } from 'node:timers/promises'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { isSecret, withSecrets } from '../account-state.ts'
import { containsWords } from './entry-search.ts'
import { difference } from '../state-difference.ts'
import { entryAt as entryIn, type TimelineEntry, type EntryFilter, matchesFilter } from './timeline-entries.ts'
import type { AccountTimeline, AccountTimelines } from './account-timeline.ts'
import { actorFormatterForTraders, formatActorInFull, type ActorFormatter } from '../audit-entry.ts'
import type {
  auditRoutes,
  AuditAccountFound,
  AuditMoments,
  AuditState,
  AuditValue,
  EventsQuery,
  Moment,
} from '../audit-api.ts'
import type { AuditChange } from '../audit-event-api.ts'
import { z } from 'zod'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { firm } from '#services/trading/traders/firm-read-model.ts'
import { firmFigures } from '#services/trading/traders/server/firm-figures.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { isStaffOnly } from '#services/oversight/event-catalogue.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { currentAccount } from '#services/trading/accounts/current-account.ts'
import { accountId, type UserId, userId } from '#services/framework/ids.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { accountExport, type ExportedAccount } from '#services/proof/account-export.ts'
import { sendCsv } from '#services/framework/http/csv.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { sendDownload } from '#services/framework/http/send-download.ts'
import type { OversightParts } from '#services/oversight/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { exactTotal, totalOf } from '#services/framework/http/list-total.ts'
import { countUsers, findUsers } from '#services/trading/traders/server/user-list.ts'
import { rowsOf } from '#services/identity/staff/server/list-download.ts'
import { auditCsvColumns, auditCsvRows } from './audit-csv.ts'
import { ownTimeline, timelineOf } from './timelines.ts'
import type { Request, Response } from 'express'

/** Browsers' clocks may be this far ahead, in ms. */
const MAX_CLOCK_SKEW = 60_000

/** Events read and sent at once, however long the timeline is. */
const ROWS = 500

/**
 * The audit reads of staff, and those of traders about themselves. All but the search comes from the log.
 */
export function auditQueries(timelines: AccountTimelines, parts: OversightParts['queries']) {
  const { readModels, now, secrets, repositories, throttle, transparencyLog } = parts
  const forTraders = actorFormatterForTraders(secrets)

  /**
   * Returns the part of their own timeline that traders see: no sign-ins of staff and first approvals, also not as
   * moments.
   */
  const ownVisibleTimeline = async (id: UserId, account?: string): Promise<AccountTimeline> => {
    const timeline = await ownTimeline(timelines, id, account)
    const allEntries = timeline.ownEntries.filter(({ type }) => !isStaffOnly(type))
    return { ...timeline, allEntries, at: (moment) => entryIn(allEntries, moment) }
  }

  const entryAt = (timeline: AccountTimeline, moment: Moment, field: string): TimelineEntry => {
    if ('time' in moment && moment.time > now() + MAX_CLOCK_SKEW)
      throw new HttpError(400, fieldFailure(field, 'This moment is still to come'))
    const entry = timeline.at(moment)
    if (!entry)
      throw new HttpError(404, {
        message: 'number' in moment ? `This account has no event ${moment.number}` : 'This account did not exist yet',
      })
    return entry
  }

  /** Finds deleted users by id, also by an account's: no read model has them, and the search does not cover ids. */
  const foundById = async (id: string): Promise<AuditAccountFound | undefined> => {
    const { data } = z.union([userId, accountId]).safeParse(id)
    const timeline = data && (await timelines.of(data))
    if (!timeline) return undefined
    const { user, accounts } = await latest(timeline)
    if (!user) return undefined
    const { fullName, email, banned, deleted, createdAt } = user
    const status =
      currentAccount(accounts.map(({ account: { open, status, phase } }) => ({ open, status, phase })))?.status ??
      'pending'
    return { userId: timeline.userId, fullName, email, status, banned, deleted, createdAt }
  }

  const latest = async (timeline: AccountTimeline): Promise<AuditState> => {
    const last = timeline.allEntries.at(-1)
    if (!last) throw new Error(`The timeline of ${timeline.userId} is empty`)
    return timeline.stateAfter(last)
  }

  const sendExport = async (
    response: Response,
    name: string,
    { timeline, sealed, entries, withholdsMetadata }: SentExport,
  ): Promise<void> => {
    const events = entries.map(({ stored }) => stored)
    await sendDownload(
      response,
      { name, type: 'application/json; charset=utf-8' },
      accountExport(
        {
          account: timeline.id,
          sealed,
          streams: timeline.streams,
          events,
          withholdsMetadata,
          disclosuresOf: (some) => timeline.readDisclosures(some),
        },
        parts,
      ),
    )
  }

  const csvRows = (timeline: AccountTimeline) =>
    rowsOf(async (cursor = '0') => {
      const next = Number(cursor) + ROWS
      const some = timeline.allEntries.slice(Number(cursor), next)
      return {
        entries: auditCsvRows(await timeline.readAuditEntries(some, formatActorInFull)),
        next: next < timeline.allEntries.length ? String(next) : undefined,
      }
    }, auditCsvColumns)

  return {
    auditAccounts: {
      needs: [firm, users],
      handle: async ({ query, request, response }) => {
        const filters = { ...query, search: query.search?.trim() || undefined, sort: '-createdAt' }
        const unfiltered = { status: undefined, banned: undefined, payoutEnabled: undefined, phase: undefined }
        const page = await findUsers(parts, { ...unfiltered, ...filters })
        const byId = query.cursor === undefined && filters.search ? await foundById(filters.search) : undefined
        const found = page.documents.map(({ id, fullName, email, banned, createdAt, account }): AuditAccountFound => {
          return {
            userId: id,
            fullName,
            email,
            status: account.status,
            banned,
            deleted: false,
            createdAt: new Date(createdAt).toISOString(),
          }
        })
        const count = async () => countUsers(readModels, { ...unfiltered, ...filters }, await firmFigures(readModels))
        const total = await totalOf(page, query, count)
        const isNew = byId !== undefined && !found.some((one) => one.userId === byId.userId)
        setPaginationHeaders(request, response, page, isNew ? { ...total, count: total.count + 1 } : total)
        return { body: isNew ? [byId, ...found] : found }
      },
    },

    auditAccount: {
      needs: [],
      handle: async ({ params: { id }, query: { at } }) => {
        const timeline = await timelineOf(timelines, id)
        const state = at ? await timeline.stateAfter(entryAt(timeline, at, 'at')) : await latest(timeline)
        return { body: withSecrets(state, hidden) }
      },
    },

    auditAccountEvents: {
      needs: [],
      handle: async ({ params: { id }, query, request, response }) => ({
        body: await pageOfEntries(await timelineOf(timelines, id), query, formatActorInFull, { request, response }),
      }),
    },

    auditMoments: {
      needs: [],
      handle: async ({ params: { id }, query }) => ({
        body: await momentsOf(await timelineOf(timelines, id), query, formatActorInFull),
      }),
    },

    auditDifference: {
      needs: [],
      handle: async ({ params: { id }, query: { from, to } }) => {
        const timeline = await timelineOf(timelines, id)
        const [first, second] = [
          from ? entryAt(timeline, from, 'from') : timeline.accountEntries[0],
          to ? entryAt(timeline, to, 'to') : timeline.allEntries.at(-1),
        ]
        if (!first || !second) throw new Error(`The timeline of ${timeline.userId} is empty`)
        const changes = difference(await timeline.stateAfter(first), await timeline.stateAfter(second))
        return { body: changes.map(withoutSecretValues) }
      },
    },

    auditExport: {
      needs: [],
      handle: async ({ caller, params: { id }, query: { format }, response, context }) => {
        const sealed = format === 'json' ? await transparencyLog.newest() : undefined
        const timeline = await timelineOf(timelines, id)
        await throttle.attempt(['exportAccessKey', caller.id])
        // Recorded before it begins; the file ends before this event.
        for (const account of timeline.accountIds)
          await repositories
            .of(accountStreams)
            .decide(account, context, () => [{ type: 'HistoryDownloaded', data: { format } }])
        const name = `account-${timeline.id}-${new Date(now()).toISOString().slice(0, 10)}`
        if (format === 'csv')
          return void (await sendCsv(response, `${name}.csv`, Object.keys(auditCsvColumns), csvRows(timeline)))
        await sendExport(response, `${name}.json`, {
          timeline,
          sealed,
          entries: await timeline.withNews(timeline.exportedEntries),
          withholdsMetadata: () => false,
        })
        return undefined
      },
    },

    ownProof: {
      needs: [],
      handle: async ({ caller, query, response }) => {
        const sealed = await transparencyLog.newest()
        const timeline = await ownTimeline(timelines, caller.userId, query.account)
        await throttle.attempt(['exportTrader', caller.userId])
        const deciders = new Map(timeline.accountEntries.map(({ number, actor }) => [number, actor.kind]))
        // The metadata names who decided, so of those events only its hash is in the file.
        const withholdsMetadata = ({ position }: StoredEvent) => deciders.get(Number(position)) !== 'trader'
        const entries = await timeline.withNews(timeline.accountEntries)
        await sendExport(response, 'my-history.json', { timeline, sealed, entries, withholdsMetadata })
        return undefined
      },
    },

    ownStory: {
      needs: [],
      handle: async ({ caller, query: { account, ...query }, request, response }) => ({
        body: await pageOfEntries(await ownVisibleTimeline(caller.userId, account), query, forTraders, {
          request,
          response,
        }),
      }),
    },

    ownState: {
      needs: [],
      handle: async ({ caller, query: { account, at } }) => {
        const timeline = await ownVisibleTimeline(caller.userId, account)
        return { body: at ? await timeline.stateAfter(entryAt(timeline, at, 'at')) : await latest(timeline) }
      },
    },

    ownMoments: {
      needs: [],
      handle: async ({ caller, query: { account, ...query } }) => ({
        body: await momentsOf(await ownVisibleTimeline(caller.userId, account), query, forTraders),
      }),
    },

    ownExport: {
      needs: [],
      handle: async ({ caller, response }) => {
        const timeline = await ownVisibleTimeline(caller.userId)
        await throttle.attempt(['exportTrader', caller.userId])
        const { user, accounts } = await latest(timeline)
        response.setHeader('Content-Disposition', 'attachment; filename="my-data.json"')
        const entries = await timeline.readAuditEntries(timeline.allEntries, forTraders)
        return {
          body: { exportedAt: new Date(now()).toISOString(), user, accounts, facts: entries },
        }
      },
    },
  } satisfies Partial<Queries<typeof auditRoutes>>
}

interface SentExport {
  readonly timeline: AccountTimeline
  readonly sealed: ExportedAccount['sealed']
  readonly entries: readonly TimelineEntry[]
  readonly withholdsMetadata: (event: StoredEvent) => boolean
}

type SearchedTimeline = Pick<AccountTimeline, 'allEntries' | 'readAuditEntries'>

/** The entries that pass a filter. Only a search reads what they say. */
async function matchingEntries(
  { allEntries, readAuditEntries }: SearchedTimeline,
  { search, ...filter }: EntryFilter & Pick<EventsQuery, 'search'>,
  format: ActorFormatter,
): Promise<readonly TimelineEntry[]> {
  const isUnfiltered = Object.values(filter).every((value) => value === undefined)
  const matching = isUnfiltered ? allEntries : allEntries.filter(matchesFilter(filter, format))
  if (search === undefined) return matching
  const found: TimelineEntry[] = []
  for (let from = 0; from < matching.length; from += ROWS) {
    const some = matching.slice(from, from + ROWS)
    const numbers = new Set(
      (await readAuditEntries(some, format)).flatMap((entry) => (containsWords(entry, search) ? [entry.number] : [])),
    )
    found.push(...some.filter(({ number }) => numbers.has(number)))
    // Other requests have their turn between two parts of a long history.
    await setImmediate()
  }
  return found
}

/** All moments of a timeline at once: without a search they need no further reads. */
async function momentsOf(
  timeline: SearchedTimeline,
  filter: EntryFilter & Pick<EventsQuery, 'search'>,
  format: ActorFormatter,
): Promise<AuditMoments> {
  const matching = await matchingEntries(timeline, filter, format)
  return { numbers: matching.map(({ number }) => number), times: matching.map(({ at }) => at) }
}

/** A page of a timeline, with its headers. */
async function pageOfEntries(
  timeline: SearchedTimeline,
  { order = 'asc', limit, cursor, ...filter }: EventsQuery,
  name: ActorFormatter,
  { request, response }: { readonly request: Request; readonly response: Response },
) {
  const matching = await matchingEntries(timeline, filter, name)
  const ahead = (entry: TimelineEntry) =>
    cursor === undefined || (order === 'asc' ? entry.number > cursor : entry.number < cursor)
  // The timeline is ordered, so the rest is contiguous at one end.
  const page =
    order === 'asc' ? takeAhead(matching, ahead, limit + 1) : takeAhead(matching.toReversed(), ahead, limit + 1)
  const entries = page.slice(0, limit)
  const next = page.length > limit ? entries.at(-1)?.number.toString() : undefined
  setPaginationHeaders(request, response, { next }, exactTotal(matching.length))
  return timeline.readAuditEntries(entries, name)
}

function takeAhead(
  entries: readonly TimelineEntry[],
  isAhead: (entry: TimelineEntry) => boolean,
  most: number,
): readonly TimelineEntry[] {
  const first = entries.findIndex(isAhead)
  return first < 0 ? [] : entries.slice(first, first + most)
}

/** Answers to staff omit secrets: they could trade with a master password, and nothing would record that they saw it. */
function hidden<Value>(secret: Value): string | null {
  return secret === null ? null : HIDDEN
}

/** That a secret changed, and not what it is. */
function withoutSecretValues(change: AuditChange): AuditChange {
  const shown = (path: string, value: AuditValue): AuditValue => {
    if (typeof value !== 'object' || value === null) return isSecret(path) ? hidden(value) : value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isSecret(`${path}.${name}`) ? hidden(one) : one]),
    )
  }
  const { field, from, to } = change
  return { ...change, from: shown(field, from), to: shown(field, to) }
}
