import type { StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { Topic } from '../../api/index.ts'
import { type AnyEvent, parseStreamName, personIdOf } from '../../domain/streams.ts'

/** Somebody who may be told: whose session it is. */
export interface Subject {
  readonly kind: 'trader' | 'admin'
  /** User id or admin key id. */
  readonly id: string
}

/** What an event means to whoever listens. */
export interface Change {
  /** What changed for the user whom the event is about. */
  readonly own: readonly Topic[]
  /** What changed for every administrator and auditor. */
  readonly firm: readonly Topic[]
  readonly userId: string | undefined
  /** Whose sessions may have ended with it. */
  readonly ends: Subject | undefined
}

/** All that a listener may ever be told to read again. */
export const allTopics: Readonly<Record<Subject['kind'], readonly Topic[]>> = {
  trader: ['user', 'account', 'payouts', 'certificates'],
  admin: ['users', 'payouts'],
}

interface TopicMapping {
  readonly own?: readonly Topic[]
  readonly firm?: readonly Topic[]
  readonly ends?: true
}

const account: TopicMapping = { own: ['account'], firm: ['users'] }
const payout: TopicMapping = { own: ['payouts'], firm: ['payouts'] }

const topicMappings: Readonly<Partial<Record<AnyEvent['type'], TopicMapping>>> = {
  UserRegistered: { firm: ['users'] },
  UserCreated: { firm: ['users'] },
  // The list of payouts shows who asks.
  ProfileChanged: { own: ['user'], firm: ['users', 'payouts'] },
  PasswordChanged: { ends: true },
  PasswordReset: { ends: true },
  UserBanned: { own: ['user', 'account'], firm: ['users'], ends: true },
  UserUnbanned: { own: ['user', 'account'], firm: ['users'] },
  UserDeleted: { own: ['user'], firm: ['users', 'payouts'], ends: true },
  AccountOpened: account,
  AccountStatusChanged: account,
  BalanceChanged: account,
  ProfitLossChanged: account,
  RiskLimitsChanged: account,
  PlatformLoginAssigned: account,
  PhaseChanged: account,
  PayoutsEnabled: account,
  PayoutsDisabled: account,
  AccountClosed: account,
  PayoutRequested: payout,
  PayoutApproved: payout,
  PayoutRejected: payout,
  CertificateIssued: { own: ['certificates'] },
  AdminKeyRevoked: { ends: true },
}

const byType: ReadonlyMap<string, TopicMapping> = new Map(Object.entries(topicMappings))

/** What an event means to listeners, by its type and stream alone; undefined when it means nothing to anybody. */
export function changeOf({ type, stream }: Pick<StoredEvent, 'type' | 'stream'>): Change | undefined {
  const meaning = byType.get(type)
  if (!meaning) return undefined
  const { own = [], firm = [], ends } = meaning
  const userId = personIdOf(stream)
  const subject: Subject = userId === undefined ? { kind: 'admin', id: parseStreamName(stream).id } : { kind: 'trader', id: userId }
  return { own, firm, userId, ends: ends && subject }
}

/** What a change means to one of those who may be told. */
export function topicsFor({ kind, id }: Subject, { own, firm, userId }: Change): readonly Topic[] {
  if (kind === 'admin') return firm
  return userId === id ? own : []
}

/** Whether a subject's session may have ended with a change. */
export function mayEndSession({ kind, id }: Subject, { ends }: Change): boolean {
  return ends?.kind === kind && ends.id === id
}
