import { AuditAccount, type AuditState } from './audit-api.ts'
import { shownParts } from './account-parts.ts'
import { type AccountState, accountStateDecider, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { type AccountId, accountId, type UserId } from '#services/framework/ids.ts'
import { isList, type Scalar, type ShownContent, type ShownRecord } from '#services/framework/shown-state.ts'
import { userPart } from '#services/identity/users/user-part.ts'
import { type User, userDecider, userStreams } from '#services/identity/users/user.ts'
import { isEventOf, parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { type AnyEvent, shownField } from '#services/oversight/event-catalogue.ts'

/** The state of a person after some of their events, folded by the same `evolve` that decisions use. */
export interface TimelineState {
  readonly user: User
  /** In the order in which they were opened. */
  readonly accounts: ReadonlyMap<AccountId, AccountState>
}

export const emptyTimelineState: TimelineState = { user: userDecider.initial, accounts: new Map() }

/** Folds one more event of the user's or of an account's stream. @throws {Error} for an event of another stream. */
export function applyEvent(state: TimelineState, event: RecordedEvent<AnyEvent>): TimelineState {
  if (isEventOf(userStreams, event)) return { ...state, user: userDecider.evolve(state.user, event) }
  if (!isEventOf(accountStreams, event))
    throw new Error(`${event.type} at ${event.stream}#${event.revision} belongs to no person`)
  const id = accountId.parse(parseStreamName(event.stream).id)
  const before = state.accounts.get(id) ?? accountStateDecider.initial
  return { ...state, accounts: new Map(state.accounts).set(id, accountStateDecider.evolve(before, event)) }
}

/**
 * The state after an event, as the API shows it.
 *
 * @param isShown Which accounts it has.
 */
export function auditStateOf(
  { user, accounts }: TimelineState,
  userId: UserId,
  last: { readonly number: number; readonly at: number },
  isShown: (id: AccountId) => boolean = () => true,
): AuditState {
  return {
    at: isoTime(last.at),
    number: last.number,
    user: user.exists || user.deleted ? userPart.show({ id: userId, user }) : null,
    accounts: [...accounts].flatMap(([id, state]) => (isShown(id) ? [{ id, ...shownParts(state) }] : [])),
  }
}

/** An account before it was opened. */
export function unopenedAccount(id: AccountId): AuditAccount {
  return { id, ...shownParts(accountStateDecider.initial) }
}

/** A state with other values in place of the secrets of its accounts, such as the master password. */
export function withSecrets(state: AuditState, replace: (secret: Scalar) => Scalar): AuditState {
  const recordOf = (part: string, record: ShownRecord): ShownRecord =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name, isSecret(`${part}.${name}`) ? replace(value) : value]),
    )
  const contentOf = (part: string, content: ShownContent) =>
    isList(content) ? content.map((item) => recordOf(part, item)) : recordOf(part, content)
  const accounts = state.accounts.map(({ id, ...parts }) => {
    const replaced = Object.entries<ShownContent>(parts).map(([part, content]) => [part, contentOf(part, content)])
    return AuditAccount.parse({ id, ...Object.fromEntries(replaced) })
  })
  return { ...state, accounts }
}

/** Whether a path names a secret. */
export function isSecret(path: string): boolean {
  return shownField(path)?.kind === 'secret'
}
