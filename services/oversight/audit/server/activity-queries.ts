import { grouped } from '#services/rules/money.ts'
import type { z } from 'zod'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { Query, Range } from '#infra/read-model-store/read-model-store.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { decodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { ShortStream } from '#services/event-sourcing/missing-events.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import type { OversightParts } from '#services/oversight/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { createListDownload, ROWS_AT_ONCE } from '#services/identity/staff/server/list-download.ts'
import { eventRegistry, personIdOf } from '#services/oversight/event-catalogue.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { activity, type ActivityDocument } from '../activity-read-model.ts'
import { type ActivityQuery, type auditRoutes, MOST_EXPORTED_EVENTS } from '../audit-api.ts'
import { AuditActor, type AuditEvent } from '../audit-event-api.ts'
import { formatActorInFull, toAuditEntry } from '../audit-entry.ts'
import { auditCsvColumns, auditCsvRows } from './audit-csv.ts'

/** The activity of the whole firm: its read model finds the events, the log says what happened. */
export function activityQueries(
  parts: OversightParts['queries'],
): Pick<Queries<typeof auditRoutes>, 'auditEvents' | 'activityExport'> {
  const { readModels, eventStore, streamHeads, personKeys } = parts
  const download = createListDownload(parts)
  const eventAt = async ({ stream, revision }: ActivityDocument): Promise<StoredEvent | undefined> => {
    const sealed = streamHeads.headOf(stream)
    for await (const [event] of eventStore.readStream(stream, revision, 1))
      if (event?.revision === revision && (revision !== sealed?.revision || sealed.isOf(event))) return event
    if (sealed && revision <= sealed.revision) throw new ShortStream(stream, revision - 1, revision)
    return undefined
  }

  const readEntries = async (documents: readonly ActivityDocument[]): Promise<AuditEvent[]> => {
    const stored = await Promise.all(documents.map(eventAt))
    const events = stored.flatMap((event) => (event && isAuthentic(event) ? [event] : []))
    const keys = await personKeys.get(events.flatMap(({ stream }) => personIdOf(stream) ?? []))
    return events.map((event) =>
      toAuditEntry(decodeEvent(eventRegistry, event, keys.get(personIdOf(event.stream) ?? '')), formatActorInFull),
    )
  }

  /** With the names of the users whom events are about. */
  const withNames = async (entries: readonly AuditEvent[]): Promise<AuditEvent[]> => {
    const named = await readModels.getMany(users, [...new Set(entries.flatMap(({ userId }) => userId ?? []))])
    return entries.map((entry) =>
      entry.userId === null ? entry : { ...entry, userName: named.get(entry.userId)?.fullName ?? ERASED },
    )
  }

  return {
    auditEvents: {
      needs: [activity, users],
      handle: async ({ query, request, response }) => {
        const page = await readModels.find(activity, activityQuery(query))
        const exact = page.next === undefined && query.cursor === undefined
        setPaginationHeaders(request, response, page, { count: page.documents.length, exact })
        return { body: await withNames(await readEntries(page.documents)) }
      },
    },

    activityExport: {
      needs: [activity],
      handle: async (call) => {
        const request = activityQuery({ ...call.query, limit: ROWS_AT_ONCE })
        if ((await readModels.count(activity, request, MOST_EXPORTED_EVENTS + 1)) > MOST_EXPORTED_EVENTS)
          throw new HttpError(400, {
            message: `These are more than ${grouped(String(MOST_EXPORTED_EVENTS))} events. Choose fewer days.`,
          })
        return download({ ...call, query: {} }, 'activity', auditCsvColumns, async (cursor) => {
          const { documents, next } = await readModels.find(activity, { ...request, ...(cursor && { cursor }) })
          return { entries: auditCsvRows(await readEntries(documents)), next }
        })
      },
    },
  }
}

/** A range is in the order of its own path: an index leads to where it begins, however long the log is. */
function activityQuery({ from, to, type, actor, order, limit, cursor }: z.output<typeof ActivityQuery>): Query {
  const ranges: { number?: Range; at?: Range } = {}
  for (const [bound, moment] of Object.entries({ from, to })) {
    if (!moment) continue
    const [path, value] = 'number' in moment ? (['number', moment.number] as const) : (['at', moment.time] as const)
    ranges[path] = { ...WHOLE_LOG, ...ranges[path], [bound]: value }
  }
  const isKind = AuditActor.shape.kind.safeParse(actor).success
  return {
    where: {
      ...ranges,
      ...(type && { type: [...type] }),
      ...(actor !== undefined && { [isKind ? 'kind' : 'label']: actor }),
    },
    sort: { by: Object.keys(ranges)[0] ?? 'created', direction: order === 'asc' ? 1 : -1 },
    limit,
    ...(cursor !== undefined && { cursor }),
  }
}

const WHOLE_LOG: Range = { from: 0, to: Number.MAX_SAFE_INTEGER }
