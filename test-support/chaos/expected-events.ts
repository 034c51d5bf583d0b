import { toDecimal } from '#services/rules/money.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'

/**
 * What the log must hold after the answers that clients got. Requests of one kind about one person follow each other,
 * so their events form a sequence: it must hold what was answered, in order, and at most what is still in flight.
 */

/** The labels that one change adds to sequences. */
export type ExpectedChange = Readonly<Record<string, readonly string[]>>

/** What follows in a label is personal, and unreadable once its person is deleted. */
const PERSONAL = ' | '

export class ExpectedEvents {
  /** The number of changes answered with success. */
  acknowledged = 0
  readonly #answered = new Map<string, string[]>()
  readonly #inFlight = new Set<ExpectedChange>()
  readonly #extra = new Map<string, number>()
  readonly #erased = new Set<string>()

  /** A change is about to be requested. Confirm or discard it before the next one in its sequences. */
  begin(change: ExpectedChange): void {
    this.#inFlight.add(change)
  }

  /** The change was answered with success, however often it was requested. */
  confirm(change: ExpectedChange): void {
    this.#inFlight.delete(change)
    this.acknowledged += 1
    for (const [sequence, labels] of Object.entries(change))
      this.#answered.set(sequence, [...(this.#answered.get(sequence) ?? []), ...labels])
  }

  /** The change was refused: none of it may be in the log. */
  discard(change: ExpectedChange): void {
    this.#inFlight.delete(change)
  }

  /** A change that is not idempotent was sent once more than it was answered. */
  allowExtra(sequence: string): void {
    this.#extra.set(sequence, (this.#extra.get(sequence) ?? 0) + 1)
  }

  /** A person is being deleted: personal values become unreadable. */
  erase(userId: string): void {
    this.#erased.add(userId)
  }

  /** Compares the sequences of the log with the answers. Returns one line for each that differs. */
  compare(found: ReadonlyMap<string, readonly string[]>): string[] {
    const inFlight = new Map<string, string[]>()
    for (const change of this.#inFlight)
      for (const [sequence, labels] of Object.entries(change))
        inFlight.set(sequence, [...(inFlight.get(sequence) ?? []), ...labels])
    return [...new Set([...found.keys(), ...this.#answered.keys()])].flatMap((sequence) => {
      const isErased = this.#erased.has(sequence.split(/[ -]/)[0] ?? '')
      const readable = (labels: readonly string[] = []) =>
        labels.map((label) => (isErased ? (label.split(PERSONAL)[0] ?? '') : label))
      const [actual, answered, possible] = [
        found.get(sequence),
        this.#answered.get(sequence),
        inFlight.get(sequence),
      ].map(readable)
      if (!actual || !answered || !possible) return []
      const expected = [answered, [...answered, ...possible]]
      const extra = this.#extra.get(sequence) ?? 0
      const isExpected =
        extra === 0
          ? expected.some((labels) => labels.join('\n') === actual.join('\n'))
          : without(answered, actual).length === 0 && without(actual, expected[1] ?? []).length <= extra
      return isExpected
        ? []
        : [
            `${sequence}: the log has ${actual.join(', ')}, answered were ${answered.join(', ')}, in flight ${possible.join(', ')}`,
          ]
    })
  }
}

/** The list without one of each of the others. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return list.filter((each) => {
    const index = left.indexOf(each)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

/** Kinds of requests. The events of one kind about one subject form a sequence. */
type Kind =
  | 'birth'
  | 'account'
  | 'closed'
  | 'profile'
  | 'ban'
  | 'forgot'
  | 'deletion'
  | 'money'
  | 'payouts'
  | 'verdicts'
  | 'certificates'

/** The sequence of a kind. @param subject a user, a payout or, before the user has an id, `email` and its claim */
export function sequenceOf(subject: string, kind: Kind): string {
  return `${subject} ${kind}`
}

/** An event by its type and the values that a client chose. */
export function label(type: AnyEvent['type'], ...values: readonly string[]): string {
  return [type, ...values].join(' ')
}

/** A label that ends in a personal value. */
export function personalLabel(text: string, value: string): string {
  return `${text}${PERSONAL}${value}`
}

/**
 * The sequence and label of an event, undefined for one that no client requests.
 *
 * @param claimOf the email claim of a user
 */
export function labelOf(
  event: RecordedEvent<AnyEvent>,
  claimOf: (userId: string) => string,
): readonly [sequence: string, label: string] | undefined {
  const { type, personId = '' } = event
  switch (event.type) {
    case 'UserRegistered':
    case 'UserCreated':
      return [sequenceOf(`email ${event.data.emailClaim}`, 'birth'), label(type)]
    case 'AccountOpened':
      return [sequenceOf(`email ${claimOf(personId)}`, 'account'), label(type)]
    case 'AccountClosed':
      return [sequenceOf(personId, 'closed'), label(type)]
    case 'UserDeleted':
      return [sequenceOf(personId, 'deletion'), label(type)]
    case 'ProfileChanged':
      return [
        sequenceOf(personId, 'profile'),
        personalLabel(label(type, event.data.fields.join(' ')), Object.values(event.data.to).join(' ')),
      ]
    case 'UserBanned':
      return [sequenceOf(personId, 'ban'), label(type, event.data.reason)]
    case 'UserUnbanned':
      return [sequenceOf(personId, 'ban'), label(type)]
    case 'PasswordResetRequested':
      return [sequenceOf(personId, 'forgot'), label(type)]
    case 'BalanceChanged':
    case 'ProfitLossChanged':
      return [sequenceOf(personId, 'money'), label(type, toDecimal(event.data.to))]
    case 'PhaseChanged':
      return [sequenceOf(personId, 'money'), label(type, event.data.to ?? '')]
    case 'PayoutsEnabled':
    case 'PayoutsDisabled':
      return [sequenceOf(personId, 'payouts'), label(type)]
    case 'PayoutRequested':
      return [sequenceOf(personId, 'payouts'), label(type, toDecimal(event.data.amount))]
    case 'PayoutApproved':
    case 'PayoutRejected':
      return [
        sequenceOf(event.data.payoutId, 'verdicts'),
        label(type, toDecimal(event.data.amount), event.data.from, event.data.notes),
      ]
    case 'CertificateIssued':
      return [sequenceOf(personId, 'certificates'), personalLabel(label(type), event.data.name)]
    default:
      return undefined
  }
}
