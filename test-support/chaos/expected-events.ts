import { toDecimal } from '../../services/api/index.ts'
import type { AnyEvent } from '../../services/domain/streams.ts'
import type { RecordedEvent } from '../../services/event-sourcing/codec/event-codec.ts'

/**
 * What the log must hold because it was answered, in words of its own. Facts are told as marks in threads: in one
 * thread things happen one after the other, so its marks in the log must be exactly those that were answered, in that
 * order, and at most what was under way when the portal was killed besides.
 */

/** What one change adds to threads. */
export type ExpectedChange = Readonly<Record<string, readonly string[]>>

/** What follows this in a mark is personal, and reads otherwise once its person was erased. */
const PERSONAL = ' | '

export interface EventDifferences {
  /** Answered, and not in the log. */
  readonly lost: readonly string[]
  /** In the log more often than it was answered. */
  readonly duplicated: readonly string[]
  /** All there, but half written or in another order. */
  readonly outOfOrder: readonly string[]
}

export class ExpectedEvents {
  /** Changes answered with success. */
  acknowledged = 0
  readonly #answered = new Map<string, string[]>()
  readonly #underWay = new Set<ExpectedChange>()
  readonly #possible = new Map<string, number>()
  readonly #erased = new Set<string>()

  /** A change is about to be asked for. It must be settled or called off before the next one in its threads. */
  begin(deed: ExpectedChange): void {
    this.#underWay.add(deed)
  }

  /** It was answered with success, however often it had to be asked for. */
  confirm(deed: ExpectedChange): void {
    this.#underWay.delete(deed)
    this.acknowledged += 1
    for (const [thread, marks] of Object.entries(deed)) this.#answered.set(thread, [...(this.#answered.get(thread) ?? []), ...marks])
  }

  /** It was refused, so nothing of it may be in the log. */
  discard(deed: ExpectedChange): void {
    this.#underWay.delete(deed)
  }

  /** It was sent once more than it was answered, and is no change that is the same when it comes twice. */
  allowExtra(thread: string): void {
    this.#possible.set(thread, (this.#possible.get(thread) ?? 0) + 1)
  }

  /** The person is being deleted: what is personal may read otherwise from now on. */
  erase(userId: string): void {
    this.#erased.add(userId)
  }

  /** Holds the log's threads against what was answered. */
  compare(found: ReadonlyMap<string, readonly string[]>): EventDifferences {
    const [lost, doubled, disordered]: [string[], string[], string[]] = [[], [], []]
    const underWay = new Map<string, string[]>()
    for (const deed of this.#underWay) for (const [thread, marks] of Object.entries(deed)) underWay.set(thread, [...(underWay.get(thread) ?? []), ...marks])
    for (const thread of new Set([...found.keys(), ...this.#answered.keys()])) {
      const readable = this.#readable(thread)
      const actual = (found.get(thread) ?? []).map(readable)
      const answered = (this.#answered.get(thread) ?? []).map(readable)
      const possible = (underWay.get(thread) ?? []).map(readable)
      const missing = listDifference(answered, actual)
      const surplus = listDifference(listDifference(actual, answered), possible).slice(this.#possible.get(thread) ?? 0)
      lost.push(...missing.map((mark) => `${thread}: ${mark}`))
      doubled.push(...surplus.map((mark) => `${thread}: ${mark}`))
      const whole = [answered, [...answered, ...possible]].some((expected) => isSameList(actual, expected))
      if (missing.length === 0 && surplus.length === 0 && !whole && !this.#possible.has(thread))
        disordered.push(`${thread}: ${actual.join(', ')} instead of ${[...answered, ...possible].join(', ')}`)
    }
    return { lost, duplicated: doubled, outOfOrder: disordered }
  }

  #readable(thread: string): (mark: string) => string {
    const [owner = ''] = thread.split(/[ -]/)
    return this.#erased.has(owner) ? (mark) => mark.split(PERSONAL)[0] ?? mark : (mark) => mark
  }
}

export const sequenceKeys = {
  /** A birth and its account, by the claim of the email that the user came with: the id is known only from the answer. */
  email: (emailClaim: string) => `email ${emailClaim}`,
  account: (emailClaim: string) => `email ${emailClaim} account`,
  closed: (userId: string) => `${userId} closed`,
  profile: (userId: string) => `${userId} profile`,
  ban: (userId: string) => `${userId} ban`,
  forgot: (userId: string) => `${userId} forgot`,
  end: (userId: string) => `${userId} end`,
  money: (userId: string) => `${userId} money`,
  payouts: (userId: string) => `${userId} payouts`,
  verdicts: (payoutId: string) => payoutId,
  certificates: (userId: string) => `${userId} certificates`,
}

export const eventLabels = {
  registered: 'UserRegistered',
  created: 'UserCreated',
  opened: 'AccountOpened',
  closed: 'AccountClosed',
  deleted: 'UserDeleted',
  profile: (field: string, to: string) => `ProfileChanged ${field}${PERSONAL}${to}`,
  banned: (reason: string) => `UserBanned ${reason}`,
  unbanned: 'UserUnbanned',
  forgot: 'PasswordResetRequested',
  balance: (dollars: string) => `BalanceChanged ${dollars}`,
  profitLoss: (dollars: string) => `ProfitLossChanged ${dollars}`,
  phase: (phase: string) => `PhaseChanged ${phase}`,
  enabled: 'PayoutsEnabled',
  disabled: 'PayoutsDisabled',
  requested: (dollars: string) => `PayoutRequested ${dollars}`,
  approved: (dollars: string, from: string) => `PayoutApproved ${dollars}, was ${from}`,
  rejected: (dollars: string, from: string, notes: string) => `PayoutRejected ${dollars}, was ${from}: ${notes}`,
  certificate: (name: string) => `CertificateIssued${PERSONAL}${name}`,
}

/**
 * The thread and the mark of a fact; undefined for those that nobody asked for in so many words.
 *
 * @param claimOf the email that a user came with
 */
export function eventLabelOf(fact: RecordedEvent<AnyEvent>, claimOf: (userId: string) => string): readonly [thread: string, mark: string] | undefined {
  const userId = fact.userId ?? ''
  switch (fact.type) {
    case 'UserRegistered':
    case 'UserCreated':
      return [sequenceKeys.email(fact.data.emailClaim), fact.type]
    case 'ProfileChanged':
      return [sequenceKeys.profile(userId), eventLabels.profile(fact.data.fields.join(' '), Object.values(fact.data.to).join(' '))]
    case 'UserBanned':
      return [sequenceKeys.ban(userId), eventLabels.banned(fact.data.reason)]
    case 'UserUnbanned':
      return [sequenceKeys.ban(userId), eventLabels.unbanned]
    case 'PasswordResetRequested':
      return [sequenceKeys.forgot(userId), eventLabels.forgot]
    case 'UserDeleted':
      return [sequenceKeys.end(userId), eventLabels.deleted]
    case 'AccountOpened':
      return [sequenceKeys.account(claimOf(userId)), eventLabels.opened]
    case 'AccountClosed':
      return [sequenceKeys.closed(userId), eventLabels.closed]
    case 'BalanceChanged':
      return [sequenceKeys.money(userId), eventLabels.balance(toDecimal(fact.data.to))]
    case 'ProfitLossChanged':
      return [sequenceKeys.money(userId), eventLabels.profitLoss(toDecimal(fact.data.to))]
    case 'PhaseChanged':
      return [sequenceKeys.money(userId), eventLabels.phase(fact.data.to ?? '')]
    case 'PayoutsEnabled':
    case 'PayoutsDisabled':
      return [sequenceKeys.payouts(userId), fact.type]
    case 'PayoutRequested':
      return [sequenceKeys.payouts(userId), eventLabels.requested(toDecimal(fact.data.amount))]
    case 'PayoutApproved':
      return [sequenceKeys.verdicts(fact.data.payoutId), eventLabels.approved(toDecimal(fact.data.amount), fact.data.from)]
    case 'PayoutRejected':
      return [sequenceKeys.verdicts(fact.data.payoutId), eventLabels.rejected(toDecimal(fact.data.amount), fact.data.from, fact.data.notes)]
    case 'CertificateIssued':
      return [sequenceKeys.certificates(userId), eventLabels.certificate(fact.data.name)]
    default:
      return undefined
  }
}

/** The list without one of each of the others. */
function listDifference(list: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return list.filter((each) => {
    const at = left.indexOf(each)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i])
}
