import { utcDate } from '#services/framework/api/utc-time.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import type { Case } from '#services/trading/stream/case.ts'
import { caseOutcomeLabels } from '#services/trading/stream/case-vocabulary.ts'
import type { JudgedEvent } from './verdicts.ts'

/** What a history says of the cases of an account, a line each (cases.md, "Verification"). Runs in browsers. */

/** How long after a deadline its entry may come, in ms: "at most 60 s after its time". */
const CLOCK = 60_000

/**
 * "Case ID: opened 2 Nov 2026, 09:10 UTC; answered …; decided …, changed; by 2 members; every deadline was kept".
 *
 * @param events All of the account's stream, in order.
 * @param endsAt When the history ends, ms since 1970.
 */
export function caseLines({ cases }: AccountState, events: readonly JudgedEvent[], endsAt: number): string[] {
  return [...cases.list.values()].map((one) => {
    const own = events.filter(({ event }) => 'case' in event.data && event.data.case === one.id)
    const parts = [
      `opened ${minute(one.openedAt)}`,
      ...answeredText(one),
      ...stateText(one, own),
      ...membersText(own),
      deadlinesText(one, own, endsAt),
    ]
    return `Case ${one.id}: ${parts.join('; ')}.`
  })
}

function answeredText({ messages }: Case): string[] {
  const first = messages.find(({ from }) => from === 'staff')
  return first ? [`answered ${minute(first.at)}`] : []
}

function stateText({ state, decided }: Case, own: readonly JudgedEvent[]): string[] {
  switch (state) {
    case 'open':
      return ['open']
    case 'answered':
      return []
    case 'decided':
      return decided ? [`decided ${minute(decided.at)}, ${caseOutcomeLabels[decided.outcome].toLowerCase()}`] : []
    case 'withdrawn': {
      const withdrawal = own.findLast(({ event }) => event.type === 'CaseWithdrawn')
      return withdrawal ? [`withdrawn ${minute(withdrawal.event.at)}`] : []
    }
  }
}

/** "Members are those who wrote or decided." */
function membersText(own: readonly JudgedEvent[]): string[] {
  const wrote = own.filter(
    ({ event }) => event.type === 'CaseDecided' || (event.type === 'CaseMessageWritten' && event.data.from === 'staff'),
  )
  const members = new Set(wrote.map(({ staff }) => staff))
  return members.size === 0 ? [] : [`by ${members.size} ${members.size === 1 ? 'member' : 'members'}`]
}

/** A deadline that passed and of which no entry tells was missed, too. */
function deadlinesText({ state, answerBy, missed }: Case, own: readonly JudgedEvent[], endsAt: number): string {
  const told = own.filter(({ event }) => event.type === 'CaseOverdue').length
  const isSilent = state === 'open' && answerBy !== null && answerBy + CLOCK < endsAt && missed !== answerBy
  const count = told + (isSilent ? 1 : 0)
  if (count === 0) return 'every deadline was kept'
  return count === 1 ? '1 deadline was missed' : `${count} deadlines were missed`
}

/** '2 Nov 2026, 09:10 UTC' */
function minute(ms: number): string {
  const time = new Date(ms)
  return `${utcDate(time)}, ${time.toISOString().slice(11, 16)} UTC`
}
