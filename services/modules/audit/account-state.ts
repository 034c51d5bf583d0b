import { payoutFields } from '#services/modules/payouts/payout-response.ts'
import { accountResponse } from '#services/modules/accounts/account-response.ts'
import type { AuditState } from './audit-api.ts'
import { type AccountState, accountStateDecider, accounts } from '#services/modules/account-aggregate.ts'
import { isoTime } from '#services/modules/event-description.ts'
import { linkOf } from '#services/modules/certificates/certificate-descriptions.ts'
import { type AccountId, accountId, type UserId } from '#services/modules/ids.ts'
import { profileOf } from '#services/modules/users/profile.ts'
import { type User, userDecider, users } from '#services/modules/users/user.ts'
import { isEventOf, parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { AnyEvent } from '#services/modules/subjects.ts'

/** The state of a person after some of their events, folded by the same `evolve` that decisions use. */
export interface TimelineState {
  readonly user: User
  /** In the order in which they were opened. */
  readonly accounts: ReadonlyMap<AccountId, AccountState>
}

export const emptyTimelineState: TimelineState = { user: userDecider.initial, accounts: new Map() }

/** Folds one more event of the user's or of an account's stream. @throws {Error} for an event of another stream. */
export function applyEvent(state: TimelineState, event: RecordedEvent<AnyEvent>): TimelineState {
  if (isEventOf(users, event)) return { ...state, user: userDecider.evolve(state.user, event) }
  if (!isEventOf(accounts, event))
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
    user: userOf(userId, user),
    accounts: [...accounts].flatMap(([id, state]) => (isShown(id) ? [accountOf(id, state)] : [])),
  }
}

function userOf(id: UserId, user: User): AuditState['user'] {
  const { privacyPolicyAgreed, ban, createdAt, deleted } = user
  if (!user.exists && !deleted) return null
  return {
    id,
    ...profileOf(user),
    privacyPolicyAgreed,
    banned: ban !== null,
    banReason: ban?.reason ?? null,
    createdAt: isoTime(createdAt),
    deleted,
  }
}

/** An account before it was opened. */
export function unopenedAccount(id: AccountId): AuditState['accounts'][number] {
  return accountOf(id, accountStateDecider.initial)
}

function accountOf(id: AccountId, { account, payouts, certificates }: AccountState): AuditState['accounts'][number] {
  return {
    id,
    open: account.open,
    ...accountResponse({ ...account, payoutEnabled: account.payoutsEnabled }),
    masterPassword: account.masterPassword,
    payouts: [...payouts.list.values()].map(payoutFields),
    certificates: [...certificates.values()].map(({ id, name, issuedAt, uploadedAt, revokedAt, share }) => ({
      id,
      name,
      issuedAt,
      uploadedAt: isoTime(uploadedAt),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      link: linkOf(share && share.showsName),
    })),
  }
}
