import type { Calendar } from '#services/rules/calendar.ts'
import { currentCalendar } from '#services/trading/calendar/server/current-calendar.ts'
import { setImmediate as turn } from 'node:timers/promises'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { pagesOf, type ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Stage } from '#services/trading/stream/stage.ts'
import { stageAfter } from '#services/trading/stream/stage-events.ts'
import { stageEventIn, stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import { dismissedOf } from '#services/trading/stream/stage-timeline.ts'
import type { ProgrammeId } from '#services/framework/ids.ts'
import { entryOf, isEntryEvent } from '#services/trading/stream/ledger.ts'
import { evaluate, evaluateRules, type Rules, rulesOf, startOf } from '#services/rules/engine.ts'
import { existingVersion, programmeStreams, recordTrial } from '#services/programmes/programmes/programme.ts'
import type { WhatIfDifference, WhatIfOutcome } from '#services/programmes/programmes/programme-api.ts'
import { isSameOutcome, noStage, outcomeOf, outcomeOfStage } from '../what-if.ts'
import { createWhatIfFiles, type TermsPath } from '#services/programmes/programmes/server/what-if-files.ts'

/** For how long it computes before others get their turn, in ms. */
const MOST_AT_ONCE = 4
/** How often it says how far it is, and looks whether the draft is still the same, in ms. */
const PROGRESS_EVERY = 1_000
/** Documents that are read at once: no read may take long either. */
const DOCUMENTS = 200
/** More accounts than any firm has. */
const MOST_ACCOUNTS = 10_000_000

export interface WhatIfDependencies {
  readonly repositories: Repositories
  readonly readModels: Pick<ReadModels, 'find' | 'count'>
  readonly files: FileStore
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Compares all accounts of a programme by their own terms and by those of a draft, and records that it was done. It
 * stops where the draft has changed meanwhile, and may be run again at any time.
 */
export async function runWhatIf(
  { repositories, readModels, files, now, signal }: WhatIfDependencies,
  { id, version, hash }: TermsPath,
  context: Context,
): Promise<void> {
  const repository = repositories.of(programmeStreams)
  const kept = createWhatIfFiles(files)
  const draft = async () => {
    const { terms, state, hash: present } = existingVersion((await repository.load(id)).state, version)
    return state === 'draft' && present === hash ? terms : undefined
  }
  const terms = await draft()
  if (!terms) return
  const calendar = await currentCalendar(repositories)
  const rules = terms.stages.map((_, index) => rulesOf(terms, index, undefined, calendar))
  const [moment, takeTurn] = [now(), createTurns()]
  const where = { programme: id }
  let accounts = await readModels.count(stageEvents, { where }, MOST_ACCOUNTS)
  let compared = 0
  let saidAt = -Infinity
  const differences: WhatIfDifference[] = []
  for await (const { account, stage } of stagesOf(readModels, id, calendar, takeTurn)) {
    signal.throwIfAborted()
    compared += 1
    if (stage) {
      const [from, to] = [outcomeOfStage(stage, moment), await outcomeUnder(rules, stage, moment, takeTurn)]
      if (!isSameOutcome(from, to)) differences.push({ account, from, to })
    }
    if (Date.now() - saidAt < PROGRESS_EVERY) continue
    if (!(await draft())) return
    accounts = Math.max(accounts, compared)
    await kept.putProgress({ id, version, hash }, { accounts, compared })
    saidAt = Date.now()
  }
  const before = existingVersion((await repository.load(id)).state, version).tried?.hash ?? null
  const sha256 = await kept.putResult({ id, version, hash }, { accounts: compared, differences })
  const { events } = await repository.decide(id, context, (programme) =>
    recordTrial(programme, version, { hash, accounts: compared, differences: differences.length, sha256 }),
  )
  if (events.length > 0 && before !== null && before !== hash) await kept.remove({ id, version, hash: before })
}

/** Lets others have their turn, once it has computed for some time. */
type TakeTurn = () => Promise<void>

function createTurns(): TakeTurn {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MOST_AT_ONCE) return
    await turn()
    since = performance.now()
  }
}

/** An account with its stage, by all that was observed; null without a programme. */
interface AccountStage {
  readonly account: string
  readonly stage: Stage | null
}

/** The accounts that are or were under a programme, each once. The events of many are read at once. */
async function* stagesOf(
  readModels: Pick<ReadModels, 'find'>,
  programme: ProgrammeId,
  calendar: Calendar,
  takeTurn: TakeTurn,
): AsyncGenerator<AccountStage> {
  const seen = new Set<string>()
  for await (const begun of pagesOf(readModels, stageEvents, { where: { programme }, limit: DOCUMENTS })) {
    // An account that began several stages of the programme has a document for each.
    const unseen = begun.map(({ accountId }) => accountId).filter((account) => !seen.has(account))
    unseen.forEach((account) => seen.add(account))
    if (unseen.length === 0) continue
    const query = { where: { accountId: unseen }, sort: { by: 'accountId', direction: 1 }, limit: DOCUMENTS } as const
    let current: (AccountStage & { readonly balance: number }) | undefined
    for await (const page of pagesOf(readModels, stageEvents, query)) {
      for (const document of page) {
        await takeTurn()
        const { accountId } = document
        if (current && current.account !== accountId) {
          yield underProgramme(current)
          current = undefined
        }
        const { stage, balance } = current ?? { stage: null, balance: 0 }
        const event = { ...stageEventIn(document), calendar }
        current = {
          account: accountId,
          stage: stageAfter(stage, event, balance),
          balance: isEntryEvent(event) ? entryOf(event).to : balance,
        }
      }
    }
    if (current) yield underProgramme(current)
  }
}

function underProgramme({ account, stage }: AccountStage): AccountStage {
  return { account, stage: stage?.ofProgramme ? stage : null }
}

/** Returns the outcome of an account by the rules of the draft. Findings that staff dismissed stay dismissed. */
async function outcomeUnder(
  stages: readonly Rules[],
  { index, timeline: { rows }, dismissed }: Stage,
  now: number,
  takeTurn: TakeTurn,
): Promise<WhatIfOutcome> {
  const rules = stages[index]
  if (!rules) return noStage
  let state = startOf(rules)
  for (const row of rows) {
    await takeTurn()
    ;({ state } = evaluateRules(rules, state, row.observation, dismissedOf(row, dismissed)))
  }
  const clock = { kind: 'clock', at: { text: new Date(now).toISOString(), ms: now, ns: 0 } } as const
  const last = evaluate(rules, state, clock, dismissedOf({ source: null, observation: clock }, dismissed))
  return outcomeOf(last.state, last.line, (n) => rows.get(n))
}
