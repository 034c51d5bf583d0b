import { payoutFields } from '#services/modules/payouts/payout-response.ts'
import { Map as ImmutableMap } from 'immutable'
import { accountResponse } from '#services/modules/accounts/account-response.ts'
import type { AuditState } from './audit-api.ts'
import {
  type AccountState,
  type AccountStreamEvent,
  accountDecider,
  accounts,
} from '#services/modules/account-aggregate.ts'
import { isoTime } from '#services/modules/event-description.ts'
import { linkOf } from '#services/modules/certificates/certificate-descriptions.ts'
import type { AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import type { UserId } from '#services/modules/ids.ts'
import { profileOf } from '#services/modules/users/profile.ts'
import { type User, userDecider, users } from '#services/modules/users/user.ts'
import { isEventOf } from '#services/event-sourcing/aggregate-type.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { AnyEvent } from '#services/modules/subjects.ts'

/** The state of a person after some of their events, folded by the same `evolve` that decisions use. */
export interface TimelineState {
  readonly user: User
  readonly account: AccountState
  /** By the id of a payout or certificate: what readers want to see and decisions do not need. */
  readonly details: ImmutableMap<string, { readonly text: string; readonly at: number }>
}

export const emptyTimelineState: TimelineState = {
  user: userDecider.initial,
  account: accountDecider.initial,
  details: ImmutableMap(),
}

/** Folds one more event of the user's or the account's stream. @throws {Error} for an event of another stream. */
export function applyEvent(state: TimelineState, event: RecordedEvent<AnyEvent>): TimelineState {
  if (isEventOf(users, event)) return { ...state, user: userDecider.evolve(state.user, event) }
  if (!isEventOf(accounts, event))
    throw new Error(`${event.type} at ${event.stream}#${event.revision} belongs to no person`)
  return { ...state, account: accountDecider.evolve(state.account, event), details: withDetails(state.details, event) }
}

function withDetails(
  details: TimelineState['details'],
  { type, data, at }: AppendedEvent<AccountStreamEvent>,
): TimelineState['details'] {
  if (type === 'PayoutRequested') return details.set(data.payoutId, { text: data.details, at })
  if (type === 'CertificateIssued') return details.set(data.certificateId, { text: data.name, at })
  return details
}

/** The state after an event, as the API shows it. */
export function auditStateOf(
  { user, account, details }: TimelineState,
  userId: UserId,
  last: { readonly number: number; readonly at: number },
): AuditState {
  return {
    at: isoTime(last.at),
    number: last.number,
    user: userOf(userId, user),
    account: accountOf(account),
    payouts: [...account.payouts.values()].map((payout) => payoutFields(payout, details.get(payout.id)?.text ?? '')),
    certificates: [...account.certificates.values()].map(({ id, issuedAt, revokedAt, share }) => ({
      id,
      name: details.get(id)?.text ?? '',
      issuedAt,
      uploadedAt: isoTime(details.get(id)?.at ?? 0),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      link: linkOf(share && share.showsName),
    })),
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

function accountOf(account: AccountState): AuditState['account'] {
  return {
    ...accountResponse({ ...account, payoutEnabled: account.payoutsEnabled }),
    masterPassword: account.masterPassword,
  }
}
