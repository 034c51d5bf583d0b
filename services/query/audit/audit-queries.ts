import { difference } from '../../audit/state-difference.ts'
import { entryAt as entryIn, type TimelineEntry, type EntryFilter, matchesFilter } from '../../audit/timeline-entries.ts'
import { createAccountTimelines, type AccountTimeline } from '../../audit/account-timeline.ts'
import { actorFormatterForTraders, formatActorInFull, type ActorFormatter } from '../../audit/audit-entry.ts'
import { createLogTimeline } from '../../audit/log-timeline.ts'
import {
  type AuditAccountFound,
  type AuditMoments,
  type AuditState,
  type FactsQuery,
  fieldFailure,
  LINK_HEADER,
  linkToNext,
  type Moment,
  routes,
  TOTAL_HEADER,
  TOTAL_RELATION_HEADER,
} from '../../api/index.ts'
import { HIDDEN } from '../../domain/event-description.ts'
import { type UserId, userId } from '../../domain/ids.ts'
import { HttpError, notSignedIn } from '../../http/http-errors.ts'
import { sendBytes } from '../../http/memory-file.ts'
import { EXPORT_FORMAT, proofOf, sealingKeys } from '../../proof/export-proof.ts'
import { verifyPage } from '../../proof/verify-page.ts'
import { emptyFirm, FIRM, firm, users } from '../../projections/index.ts'
import { sendCsv } from '../csv.ts'
import { setPaginationHeaders } from '../pagination.ts'
import type { QueryDependencies, RegisterQuery } from '../query-dependencies.ts'
import { countUsers, findUsers } from '../user-list.ts'
import { auditEntryColumns, auditEntryRow } from './audit-csv.ts'
import type { Request, Response } from 'express'

/** Clocks of browsers may be a little ahead; what is further ahead than this, in ms, nobody knows yet. */
const MAX_CLOCK_SKEW = 60_000

/** Facts that are read and sent at once, however long a story is. */
const ROWS = 500

/** What auditors and administrators read of any account, and traders of their own. All of it comes from the log, not from views. */
export function registerAuditQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { views, now, secrets, repositories, publishedSeals } = parts
  const stories = createAccountTimelines(parts)
  const wholeLog = createLogTimeline(parts)
  const forTraders = actorFormatterForTraders((label) => secrets.requestDigest(`label of an access key: ${label}`))

  const known = async (id: string): Promise<AccountTimeline> => {
    const { data } = userId.safeParse(id)
    const story = data && (await stories.of(data))
    if (!story) throw new HttpError(404, { message: 'User not found' })
    return story
  }

  const own = async (id: UserId): Promise<AccountTimeline> => {
    const story = await stories.of(id)
    // The session outlived its user by a moment.
    if (!story || story.accountEntries.some(({ type }) => type === 'UserDeleted')) throw notSignedIn()
    return story
  }

  const entryAt = (story: AccountTimeline, moment: Moment, field: string): TimelineEntry => {
    if ('time' in moment && moment.time > now() + MAX_CLOCK_SKEW) throw new HttpError(400, fieldFailure(field, 'This moment is still to come'))
    const entry = story.at(moment)
    if (!entry) throw new HttpError(404, { message: 'number' in moment ? `This account has no fact ${moment.number}` : 'This account was not there yet' })
    return entry
  }

  read(routes.auditAccounts, [firm, users], async ({ query, request, response }) => {
    const asked = { ...query, search: query.search?.trim() || undefined, sort: '-createdAt' }
    const everybody = { status: undefined, banned: undefined, payoutEnabled: undefined, phase: undefined }
    const page = await findUsers(views, { ...everybody, ...asked })
    const byId = query.cursor === undefined && asked.search ? await foundById(asked.search) : undefined
    const found = page.documents.map(({ id, fullName, email, banned, createdAt, account }): AuditAccountFound => {
      return { userId: id, fullName, email, status: account.status, banned, deleted: false, createdAt: new Date(createdAt).toISOString() }
    })
    const total = await countUsers(views, { ...everybody, ...asked }, (await views.get(firm, FIRM)) ?? emptyFirm)
    const isNew = byId !== undefined && !found.some((one) => one.userId === byId.userId)
    setPaginationHeaders(request, response, page, isNew ? { ...total, count: total.count + 1 } : total)
    return { body: isNew ? [byId, ...found] : found }
  })

  /** No view has somebody who was deleted, and the search looks for no ids. */
  const foundById = async (id: string): Promise<AuditAccountFound | undefined> => {
    const { data } = userId.safeParse(id)
    const story = data && (await stories.of(data))
    if (!story) return undefined
    const { user, account } = await latest(story)
    if (!user) return undefined
    const { fullName, email, banned, deleted, createdAt } = user
    return { userId: story.userId, fullName, email, status: account.status, banned, deleted, createdAt }
  }

  const latest = async (story: AccountTimeline): Promise<AuditState> => {
    const last = story.allEntries.at(-1)
    if (!last) throw new Error(`The story of ${story.userId} is empty`)
    return story.stateAfter(last)
  }

  read(routes.auditAccount, [], async ({ params: { id }, query: { at } }) => {
    const story = await known(id)
    return { body: at ? await story.stateAfter(entryAt(story, at, 'at')) : await latest(story) }
  })

  read(routes.auditAccountFacts, [], async ({ params: { id }, query, request, response }) => ({
    body: await pageOfEntries(await known(id), query, formatActorInFull, { request, response }),
  }))

  read(routes.auditMoments, [], async ({ params: { id }, query }) => ({ body: momentsOf((await known(id)).allEntries, query, formatActorInFull) }))

  read(routes.auditDifference, [], async ({ params: { id }, query: { from, to } }) => {
    const story = await known(id)
    const [first, second] = [from ? entryAt(story, from, 'from') : story.accountEntries[0], to ? entryAt(story, to, 'to') : story.allEntries.at(-1)]
    if (!first || !second) throw new Error(`The story of ${story.userId} is empty`)
    return { body: difference(await story.stateAfter(first), await story.stateAfter(second)) }
  })

  read(routes.auditExport, [], async ({ params: { id }, query: { format }, response }) => {
    const story = await known(id)
    const name = `account-${story.userId}-${new Date(now()).toISOString().slice(0, 10)}`
    if (format === 'csv') {
      await sendCsv(response, `${name}.csv`, auditEntryColumns, factRows(story))
      return undefined
    }
    response.setHeader('Content-Disposition', `attachment; filename="${name}.json"`)
    const state = withoutSecrets(await latest(story))
    const facts = await story.readAuditEntries(story.allEntries, formatActorInFull)
    const proof = await proofOf(
      story.allEntries.map(({ stored }) => stored),
      () => false,
      { ...parts, publishedSeals: publishedSeals },
    )
    return { body: { format: EXPORT_FORMAT, exportedAt: new Date(now()).toISOString(), userId: story.userId, state, facts, proof } }
  })

  read(routes.ownProof, [], async ({ caller, response }) => {
    const story = await own(caller.userId)
    response.setHeader('Content-Disposition', 'attachment; filename="my-history.json"')
    const facts = await story.readAuditEntries(story.accountEntries, forTraders)
    const deciders = new Map(story.accountEntries.map(({ number, actor }) => [number, actor.kind]))
    // Who decided stands in the metadata: for those facts its hash is shown instead.
    const proof = await proofOf(
      story.accountEntries.map(({ stored }) => stored),
      ({ position }) => deciders.get(Number(position)) !== 'trader',
      {
        ...parts,
        publishedSeals: publishedSeals,
      },
    )
    return { body: { format: EXPORT_FORMAT, exportedAt: new Date(now()).toISOString(), userId: story.userId, facts, proof } }
  })

  read(routes.sealingKeys, [], async ({ response }) => {
    response.setHeader('Cache-Control', 'public, max-age=300')
    const keys = await sealingKeys(repositories)
    const since = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
    const published = keys.map(({ id, publicKey, since: from, endorsement }, n) => ({
      id,
      publicKey,
      from: new Date(from).toISOString(),
      until: since(keys[n + 1]?.since),
      endorsement,
    }))
    return { body: { algorithm: 'Ed25519', keys: published } }
  })

  const page = Buffer.from(verifyPage())
  read(routes.verifyPage, [], async ({ response }) => {
    // A file to be opened from the disk: on this site its script would not run.
    response.setHeader('Content-Disposition', 'attachment; filename="verify.html"')
    sendBytes(response, 'html', page)
    return undefined
  })

  read(routes.auditFacts, [], async ({ query, request, response }) => {
    const { order = 'desc', limit, cursor, ...filter } = query
    const { entries, nextCursor } = await wholeLog.find(filter, { descending: order === 'desc', limit, cursor })
    response.setHeader(TOTAL_HEADER, String(entries.length))
    response.setHeader(TOTAL_RELATION_HEADER, nextCursor === undefined && cursor === undefined ? 'exact' : 'at-least')
    if (nextCursor !== undefined) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, String(nextCursor)))
    return { body: entries }
  })

  read(routes.ownStory, [], async ({ caller, query, request, response }) => {
    const story = await own(caller.userId)
    return { body: await pageOfEntries({ ...story, allEntries: story.accountEntries }, query, forTraders, { request, response }) }
  })

  read(routes.ownState, [], async ({ caller, query: { at } }) => {
    const story = await own(caller.userId)
    // The sign-ins of administrators are none of a trader's business, also not as the name of a moment.
    const visible: AccountTimeline = { ...story, allEntries: story.accountEntries, at: (moment) => entryIn(story.accountEntries, moment) }
    return { body: at ? await visible.stateAfter(entryAt(visible, at, 'at')) : await latest(visible) }
  })

  read(routes.ownMoments, [], async ({ caller, query }) => ({ body: momentsOf((await own(caller.userId)).accountEntries, query, forTraders) }))

  read(routes.ownExport, [], async ({ caller, response }) => {
    const story = await own(caller.userId)
    const { user, account, payouts, certificates } = await latest(story)
    response.setHeader('Content-Disposition', 'attachment; filename="my-data.json"')
    const facts = await story.readAuditEntries(story.accountEntries, forTraders)
    return { body: { exportedAt: new Date(now()).toISOString(), user, account, payouts, certificates, facts } }
  })

  async function* factRows(story: AccountTimeline) {
    for (let from = 0; from < story.allEntries.length; from += ROWS)
      yield (await story.readAuditEntries(story.allEntries.slice(from, from + ROWS), formatActorInFull)).map(auditEntryRow)
  }
}

/** Where a story can be looked at: nothing is read for it, so all of it is told at once. */
function momentsOf(entries: readonly TimelineEntry[], filter: EntryFilter, name: ActorFormatter): AuditMoments {
  const matching = entries.filter(matchesFilter(filter, name))
  return { numbers: matching.map(({ number }) => number), times: matching.map(({ at }) => at) }
}

/** A page of a story, with its headers. */
async function pageOfEntries(
  story: Pick<AccountTimeline, 'allEntries' | 'readAuditEntries'>,
  { order = 'asc', limit, cursor, ...filter }: FactsQuery,
  name: ActorFormatter,
  { request, response }: { readonly request: Request; readonly response: Response },
) {
  const isUnfiltered = Object.values(filter).every((value) => value === undefined)
  const matching = isUnfiltered ? story.allEntries : story.allEntries.filter(matchesFilter(filter, name))
  const ahead = (entry: TimelineEntry) => cursor === undefined || (order === 'asc' ? entry.number > cursor : entry.number < cursor)
  // A story is in order: what is ahead lies together at one of its ends.
  const page = order === 'asc' ? takeAhead(matching, ahead, limit + 1) : takeAhead(matching.toReversed(), ahead, limit + 1)
  const entries = page.slice(0, limit)
  response.setHeader(TOTAL_HEADER, String(matching.length))
  response.setHeader(TOTAL_RELATION_HEADER, 'exact')
  const last = entries.at(-1)
  if (page.length > limit && last) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, String(last.number)))
  return story.readAuditEntries(entries, name)
}

function takeAhead(entries: readonly TimelineEntry[], isAhead: (entry: TimelineEntry) => boolean, most: number): readonly TimelineEntry[] {
  const first = entries.findIndex(isAhead)
  return first < 0 ? [] : entries.slice(first, first + most)
}

/** A file travels: what opens the trading platform does not go with it. */
function withoutSecrets(state: AuditState): AuditState {
  const { account } = state
  return { ...state, account: { ...account, masterPassword: account.masterPassword === null ? null : HIDDEN } }
}
