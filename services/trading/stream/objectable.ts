import type { AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import type { AccountEvent } from './account.ts'
import { type Cases, type Objectable, withDecision, withoutDecisions } from './case.ts'
import type { Findings } from './finding.ts'
import type { FindingEvent } from './finding-events.ts'
import { isHeldBySystem, type PayoutEvent } from './payout.ts'

/**
 * The decisions on an account that its trader can object to, after one of its events (cases.md, "Cases"): a rejected
 * payout, a confirmed breach or one set by hand, a dismissed pass, a hold by a member, and a closing by staff.
 *
 * @param findings Before the event.
 */
export function objectableAfter(
  cases: Cases,
  event: AppendedEvent<AccountEvent | FindingEvent | PayoutEvent>,
  findings: Findings,
): Cases {
  const { at, revision } = event
  const decided = (all: Cases, decision: Partial<Objectable> & Pick<Objectable, 'subject'>) =>
    withDecision(all, revision, { at, payout: null, finding: null, status: null, ...decision })
  const undone = (isUndone: Parameters<typeof withoutDecisions>[2]) => withoutDecisions(cases, revision, isUndone)
  switch (event.type) {
    case 'PayoutRejected':
      return decided(cases, { subject: 'rejection', payout: event.data.payoutId })
    case 'PayoutApproved':
      return undone(({ subject, payout }) => subject === 'rejection' && payout === event.data.payoutId)
    case 'PayoutHoldChanged': {
      const { payoutId, to } = event.data
      const released = undone(({ subject, payout }) => subject === 'hold' && payout === payoutId)
      return to === null || isHeldBySystem(to) ? released : decided(released, { subject: 'hold', payout: payoutId })
    }
    case 'BreachConfirmed':
      return decided(cases, { subject: 'breach', finding: event.data.finding })
    case 'FindingDismissed': {
      const { finding } = event.data
      return findings.list.find(({ id }) => id === finding)?.kind === 'pass'
        ? decided(cases, { subject: 'pass', finding })
        : undone((decision) => decision.subject === 'breach' && decision.finding === finding)
    }
    case 'PassConfirmed':
      return undone(({ subject, finding }) => subject === 'pass' && finding === event.data.finding)
    case 'AccountStatusChanged': {
      const { from, to, finding } = event.data
      if (to === 'breached') return finding ? cases : decided(cases, { subject: 'breach', status: from })
      return from === 'breached' ? undone((decision) => decision.subject === 'breach' && !decision.finding) : cases
    }
    case 'AccountClosed':
      return event.data.cause === 'staff' ? decided(cases, { subject: 'closing' }) : cases
    default:
      return cases
  }
}
