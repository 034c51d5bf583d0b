import { difference } from '../../audit/state-difference.ts'
import { type Entry, type FactFilter, passes } from '../../audit/timeline-entries.ts'
import { entryAt as entryIn, openStories, type Story } from '../../audit/account-timeline.ts'
import { HIDDEN, namedForTraders, namedInFull, type NameActor } from '../../audit/audit-entry.ts'
import { openWholeLog } from '../../audit/log-timeline.ts'
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
import { type UserId, userId } from '../../domain/ids.ts'
import { HttpError, notSignedIn } from '../../http/http-errors.ts'
import { EXPORT_FORMAT, proofOf, sealingKeys } from '../../proof/export-proof.ts'
import { verifyPage } from '../../proof/verify-page.ts'
import { emptyFirm, FIRM, firm, users } from '../../projections/index.ts'
import { sendCsv } from '../csv.ts'
import { tellPage } from '../pagination.ts'
import type { QueryParts, Read } from '../query-dependencies.ts'
import { countUsers, findUsers } from '../user-list.ts'
import { factColumns, factRow } from './audit-csv.ts'
import type { Request, Response } from 'express'

/** Clocks of browsers may be a little ahead; what is further ahead than this, in ms, nobody knows yet. */
const CLOCKS_DIFFER_BY = 60_000

/** Facts that are read and sent at once, however long a story is. */
const ROWS = 500

/** What auditors and administrators read of any account, and traders of their own. All of it comes from the log, not from views. */
export function registerAudit(read: Read, parts: QueryParts): void {
  const { views, now, secrets, journal, sealsOutside } = parts
  const stories = openStories(parts)
  const wholeLog = openWholeLog(parts)
  const forTraders = namedForTraders((label) => secrets.requestDigest(`label of an access key: ${label}`))

  const known = async (id: string): Promise<Story> => {
    const { data } = userId.safeParse(id)
    const story = data && (await stories.of(data))
    if (!story) throw new HttpError(404, { message: 'User not found' })
    return story
  }

  const own = async (id: UserId): Promise<Story> => {
    const story = await stories.of(id)
    // The session outlived its user by a moment.
    if (!story || story.own.some(({ type }) => type === 'UserDeleted')) throw notSignedIn()
    return story
  }

  const entryAt = (story: Story, moment: Moment, field: string): Entry => {
    if ('time' in moment && moment.time > now() + CLOCKS_DIFFER_BY) throw new HttpError(400, fieldFailure(field, 'This moment is still to come'))
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
    tellPage(request, response, page, isNew ? { ...total, count: total.count + 1 } : total)
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

  const latest = async (story: Story): Promise<AuditState> => {
    const last = story.all.at(-1)
    if (!last) throw new Error(`The story of ${story.userId} is empty`)
    return story.stateAfter(last)
  }

  read(routes.auditAccount, [], async ({ params: { id }, query: { at } }) => {
    const story = await known(id)
    return { body: at ? await story.stateAfter(entryAt(story, at, 'at')) : await latest(story) }
  })

  read(routes.auditAccountFacts, [], async ({ params: { id }, query, request, response }) => ({
    body: await pageOfFacts(await known(id), query, namedInFull, { request, response }),
  }))

  read(routes.auditMoments, [], async ({ params: { id }, query }) => ({ body: momentsOf((await known(id)).all, query, namedInFull) }))

  read(routes.auditDifference, [], async ({ params: { id }, query: { from, to } }) => {
    const story = await known(id)
    const [first, second] = [from ? entryAt(story, from, 'from') : story.own[0], to ? entryAt(story, to, 'to') : story.all.at(-1)]
    if (!first || !second) throw new Error(`The story of ${story.userId} is empty`)
    return { body: difference(await story.stateAfter(first), await story.stateAfter(second)) }
  })

  read(routes.auditExport, [], async ({ params: { id }, query: { format }, response }) => {
    const story = await known(id)
    const name = `account-${story.userId}-${new Date(now()).toISOString().slice(0, 10)}`
    if (format === 'csv') {
      await sendCsv(response, `${name}.csv`, factColumns, factRows(story))
      return undefined
    }
    response.setHeader('Content-Disposition', `attachment; filename="${name}.json"`)
    const state = withoutSecrets(await latest(story))
    const facts = await story.tell(story.all, namedInFull)
    const proof = await proofOf(await story.stored(story.all), () => false, { ...parts, outside: sealsOutside })
    return { body: { format: EXPORT_FORMAT, exportedAt: new Date(now()).toISOString(), userId: story.userId, state, facts, proof } }
  })

  read(routes.ownProof, [], async ({ caller, response }) => {
    const story = await own(caller.userId)
    response.setHeader('Content-Disposition', 'attachment; filename="my-history.json"')
    const facts = await story.tell(story.own, forTraders)
    const deciders = new Map(story.own.map(({ number, actor }) => [number, actor.kind]))
    // Who decided stands in the metadata: for those facts its hash is shown instead.
    const proof = await proofOf(await story.stored(story.own), ({ position }) => deciders.get(Number(position)) !== 'trader', {
      ...parts,
      outside: sealsOutside,
    })
    return { body: { format: EXPORT_FORMAT, exportedAt: new Date(now()).toISOString(), userId: story.userId, facts, proof } }
  })

  read(routes.sealingKeys, [], async ({ response }) => {
    response.setHeader('Cache-Control', 'public, max-age=300')
    const keys = await sealingKeys(journal)
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

  const page = verifyPage()
  read(routes.verifyPage, [], async ({ response }) => {
    // A file to be opened from the disk: on this site its script would not run.
    response.setHeader('Content-Disposition', 'attachment; filename="verify.html"')
    response.type('html').send(page)
    return undefined
  })

  read(routes.auditFacts, [], async ({ query, request, response }) => {
    const { order = 'desc', limit, cursor, ...filter } = query
    const { facts, next } = await wholeLog.find(filter, { descending: order === 'desc', limit, cursor })
    response.setHeader(TOTAL_HEADER, String(facts.length))
    response.setHeader(TOTAL_RELATION_HEADER, next === undefined && cursor === undefined ? 'exact' : 'at-least')
    if (next !== undefined) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, String(next)))
    return { body: facts }
  })

  read(routes.ownStory, [], async ({ caller, query, request, response }) => {
    const story = await own(caller.userId)
    return { body: await pageOfFacts({ ...story, all: story.own }, query, forTraders, { request, response }) }
  })

  read(routes.ownState, [], async ({ caller, query: { at } }) => {
    const story = await own(caller.userId)
    // The sign-ins of administrators are none of a trader's business, also not as the name of a moment.
    const visible: Story = { ...story, all: story.own, at: (moment) => entryIn(story.own, moment) }
    return { body: at ? await visible.stateAfter(entryAt(visible, at, 'at')) : await latest(visible) }
  })

  read(routes.ownMoments, [], async ({ caller, query }) => ({ body: momentsOf((await own(caller.userId)).own, query, forTraders) }))

  read(routes.ownExport, [], async ({ caller, response }) => {
    const story = await own(caller.userId)
    const { user, account, payouts, certificates } = await latest(story)
    response.setHeader('Content-Disposition', 'attachment; filename="my-data.json"')
    const facts = await story.tell(story.own, forTraders)
    return { body: { exportedAt: new Date(now()).toISOString(), user, account, payouts, certificates, facts } }
  })

  async function* factRows(story: Story) {
    for (let from = 0; from < story.all.length; from += ROWS) yield (await story.tell(story.all.slice(from, from + ROWS), namedInFull)).map(factRow)
  }
}

/** Where a story can be looked at: nothing is read for it, so all of it is told at once. */
function momentsOf(entries: readonly Entry[], filter: FactFilter, name: NameActor): AuditMoments {
  const matching = entries.filter(passes(filter, name))
  return { numbers: matching.map(({ number }) => number), times: matching.map(({ at }) => at) }
}

/** A page of a story, with its headers. */
async function pageOfFacts(
  story: Pick<Story, 'all' | 'tell'>,
  { order = 'asc', limit, cursor, ...filter }: FactsQuery,
  name: NameActor,
  { request, response }: { readonly request: Request; readonly response: Response },
) {
  const isUnfiltered = Object.values(filter).every((value) => value === undefined)
  const matching = isUnfiltered ? story.all : story.all.filter(passes(filter, name))
  const ahead = (entry: Entry) => cursor === undefined || (order === 'asc' ? entry.number > cursor : entry.number < cursor)
  // A story is in order: what is ahead lies together at one of its ends.
  const page = order === 'asc' ? takeAhead(matching, ahead, limit + 1) : takeAhead(matching.toReversed(), ahead, limit + 1)
  const entries = page.slice(0, limit)
  response.setHeader(TOTAL_HEADER, String(matching.length))
  response.setHeader(TOTAL_RELATION_HEADER, 'exact')
  const last = entries.at(-1)
  if (page.length > limit && last) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, String(last.number)))
  return story.tell(entries, name)
}

function takeAhead(entries: readonly Entry[], isAhead: (entry: Entry) => boolean, most: number): readonly Entry[] {
  const first = entries.findIndex(isAhead)
  return first < 0 ? [] : entries.slice(first, first + most)
}

/** A file travels: what opens the trading platform does not go with it. */
function withoutSecrets(state: AuditState): AuditState {
  const { account } = state
  return { ...state, account: { ...account, masterPassword: account.masterPassword === null ? null : HIDDEN } }
}
