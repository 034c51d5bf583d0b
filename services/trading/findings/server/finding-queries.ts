import { ERASED } from '#services/event-sourcing/erased.ts'
import { COUNT_LIMIT, countUpTo, totalOf } from '#services/framework/http/list-total.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { pagesOf } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import { stampOrNoneResponse, stampResponse } from '#services/framework/decision-stamp.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { observationIdOf, ownerOf } from '#services/framework/ids.ts'
import type { Queries } from '#services/framework/module.ts'
import { approversAmong } from '#services/identity/staff/server/payout-approver.ts'
import { programmes } from '#services/programmes/programmes/programme-read-model.ts'
import { ruleInWords } from '#services/rules/terms-in-words.ts'
import { adminKeys } from '#services/identity/staff/member-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { centsOf, toDecimal } from '#services/rules/money.ts'
import type { Finding, FindingDetails, findingRoutes } from '../finding-api.ts'
import type { StaffMember } from '#services/framework/api/actor.ts'
import { type Hand, handsBehind } from '#services/trading/stream/observation-hands.ts'
import { arithmeticResponse } from '#services/trading/accounts/server/arithmetic-response.ts'
import { causeInWords } from '#services/trading/stream/hit-text.ts'
import { foundIn } from '#services/trading/stream/found.ts'
import { findingNotFound, isUndecided } from '#services/trading/stream/finding.ts'
import { type findingKinds, findingStates, type FindingState } from '#services/trading/stream/finding-vocabulary.ts'
import { type FindingDocument, findings } from '../finding-read-model.ts'
import { evidenceResponse } from './seen-finding.ts'

/** Staff read the findings of the rules. */
export function findingQueries({
  readModels,
  stages,
  config,
  now,
}: TradingParts['queries']): Queries<typeof findingRoutes> {
  const isFourEyes = config.secondConfirmation.includes('breaches')

  /** The members of first confirmations that count. */
  const confirmersOf = async (documents: readonly FindingDocument[]): Promise<ReadonlySet<string>> => {
    const members = documents.flatMap(({ firstConfirmation }) => firstConfirmation?.member ?? [])
    return isFourEyes ? approversAmong(readModels, members, now(), 'decide-findings') : new Set()
  }

  /** What the trades did that are the causes, by the findings of rules that judge single trades. */
  const causesOf = async (documents: readonly FindingDocument[]): Promise<ReadonlyMap<string, string>> => {
    const causes = new Map<string, string>()
    for (const { id, account, rule, floor, evidence } of documents) {
      const found = floor === null ? await stages.of(account) : null
      const cause = found && causeInWords(found.stage, { rule, evidence })
      if (cause) causes.set(id, cause)
    }
    return causes
  }

  const responses = async (documents: readonly FindingDocument[]): Promise<Finding[]> => {
    const owners = documents.map(({ account }) => ownerOf(account))
    const persons = await readModels.getMany(users, [...new Set(owners)])
    const known = await readModels.getMany(programmes, [...new Set(documents.map(({ programme }) => programme.id))])
    const confirmers = await confirmersOf(documents)
    const causes = await causesOf(documents)
    return documents.map((finding) => {
      const { programme, rule, account } = finding
      const terms = known.get(programme.id)?.versions[programme.version - 1]?.terms
      const stage = terms?.stages[programme.stage]
      const ruleTerms = stage?.rules[rule.index]
      const words =
        terms && ruleTerms ? ruleInWords(ruleTerms, centsOf(terms.accountSize), stage, finding.decisions) : null
      return {
        ...findingResponse(finding),
        trade: causes.get(finding.id) ?? null,
        firstConfirmation: firstConfirmationResponse(finding, confirmers),
        rule: { ...rule, text: words && `${words.title}: ${words.text}` },
        programme: {
          ...{ id: programme.id, version: programme.version, hash: programme.hash },
          name: terms?.name ?? null,
        },
        userId: ownerOf(account),
        userName: persons.get(ownerOf(account))?.fullName ?? ERASED,
      }
    })
  }

  /** Leaves out what nobody can decide any more: an undecided finding leaves the queue with its account. */
  const withoutEnded = async (documents: readonly FindingDocument[]): Promise<FindingDocument[]> => {
    const owners = documents.flatMap(({ state, account }) => (isUndecided(state) ? [ownerOf(account)] : []))
    const persons = await readModels.getMany(users, [...new Set(owners)])
    return documents.filter(({ state, account }) => !isUndecided(state) || persons.has(ownerOf(account)))
  }

  /** Counts those that are left out: the queue is short. */
  const endedIn = async ({ state = findingStates, ...where }: FindingFilter): Promise<number> => {
    const undecided = [state].flat().filter(isUndecided)
    if (undecided.length === 0) return 0
    let ended = 0
    for await (const documents of pagesOf(readModels, findings, { where: { ...where, state: undecided }, limit: 200 }))
      ended += documents.length - (await withoutEnded(documents)).length
    return ended
  }

  return {
    findings: {
      needs: [findings, users, programmes, adminKeys, stageEvents],
      handle: async ({ query: { state, kind, account, limit, cursor }, request, response }) => {
        const where = {
          ...(state && { state: state === 'open' ? (['proposed', 'reopened'] as const) : state }),
          ...(kind && { kind }),
          ...(account !== undefined && { account }),
        }
        const { documents, next } = await readModels.find(findings, { where, limit, ...(cursor && { cursor }) })
        const page = { documents: await withoutEnded(documents), next }
        const count = async () =>
          countUpTo(
            COUNT_LIMIT,
            async (most) => (await readModels.count(findings, { where }, most)) - (await endedIn(where)),
          )
        setPaginationHeaders(request, response, page, await totalOf(page, { cursor }, count))
        return { body: await responses(page.documents) }
      },
    },

    finding: {
      needs: [findings, users, programmes, adminKeys, stageEvents],
      handle: async ({ params, caller }) => {
        const document = await readModels.get(findings, params.id)
        const [finding] = document ? await responses(await withoutEnded([document])) : []
        if (!document || !finding) throw findingNotFound()
        const found = await stages.of(document.account)
        const evidence = document.evidence.flatMap((number) => {
          const observed = found?.stage.known.list.get(number - 1)
          const event = found?.events.observations.get(number - 1)
          const observation = observationIdOf(document.account, number)
          return event === undefined ? [] : [{ observation, ...evidenceResponse(observed?.now), event }]
        })
        const now =
          found && foundIn(found.stage).find(({ kind, hit: { at } }) => kind === document.kind && at === document.at)
        const arithmetic = found && now ? arithmeticResponse(found, now) : []
        const hit = { source: null, at: document.at }
        const behind = handsBehind([...(found?.events.hands ?? [])], { evidence: document.evidence, hit })
        const needsAnother = isFourEyes && behind.some(({ by }) => by?.id === caller.id)
        return { body: { ...finding, evidence, arithmetic, hands: handsResponse(behind), needsAnother } }
      },
    },
  }
}

/** As a list of findings asks for them. */
interface FindingFilter {
  readonly state?: FindingState | readonly FindingState[]
  readonly kind?: (typeof findingKinds)[number]
  readonly account?: string
}

/** The hands of each member together. */
function handsResponse(hands: readonly Hand<StaffMember | null>[]): FindingDetails['hands'] {
  const found = new Map<string, FindingDetails['hands'][number]>()
  for (const { how, by, event } of hands) {
    const key = `${how} ${by?.id}`
    const { events = [] } = found.get(key) ?? {}
    const numbers = events.includes(event) ? events : [...events, event]
    found.set(key, { how, member: by?.id ?? null, name: by?.name ?? null, events: numbers })
  }
  return [...found.values()]
}

function findingResponse({ programme, evidence, floor, measured, at, ...finding }: FindingDocument) {
  const { id, account, kind, state, follows, reason, raised, decided } = finding
  return {
    ...{ id, account, kind, state, follows, reason, stage: programme.stage, at: isoTime(at) },
    floor: floor === null ? null : toDecimal(floor),
    measured: measured === null ? null : toDecimal(measured),
    observations: evidence.map((number) => observationIdOf(account, number)),
    raised: stampResponse(raised, 'admin'),
    decided: stampOrNoneResponse(decided, 'admin'),
  }
}

function firstConfirmationResponse(
  { firstConfirmation }: FindingDocument,
  confirmers: ReadonlySet<string>,
): Finding['firstConfirmation'] {
  if (!firstConfirmation) return null
  const { member } = firstConfirmation
  return member !== null && confirmers.has(member) ? { ...stampResponse(firstConfirmation, 'admin'), member } : null
}
