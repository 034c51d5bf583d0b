import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteEventStore } from '../infra/event-store/sqlite-event-store.ts'
import { type StoredEvent, toPosition } from '../infra/event-store/event-store.ts'
import { openSqliteKeyStore } from '../infra/key-store/sqlite-key-store.ts'
import { adminKeyId, certificateId, payoutId, userId } from '../services/domain/ids.ts'
import { toCents } from '../services/domain/money.ts'
import { encodeEvent } from '../services/event-sourcing/codec/event-codec.ts'
import type { Metadata } from '../services/event-sourcing/codec/metadata.ts'
import { createPersonKeys } from '../services/event-sourcing/crypto-shredding/person-keys.ts'
import { deriveSecrets } from '../services/keys/derived-secrets.ts'
import { eventRegistry, type AnyEvent, streamName, users } from '../services/domain/streams.ts'

/** For tests of the repositories: one event of every type, and a real log to put them in. */

export const ada = userId.parse('ada00000')
const payout = payoutId.parse(`${ada}-p1`)
const identity = {
  fullName: 'Ada Lovelace',
  email: 'ada@example.com',
  country: 'Atlantis',
  city: 'London',
  street: 'St James Square',
  houseNumber: '12 bis rear',
  emailClaim: 'c0ffee',
}
const link = { token: 'the-secret-token', tokenHash: 'f00d', expiresAt: 1_800_000_000_000 }
const noLimits = { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null }

/** One event of each type; a type without one doesn't compile. */
export const samples: { readonly [Type in AnyEvent['type']]: Extract<AnyEvent, { type: Type }>['data'] } = {
  UserRegistered: { ...identity, passwordHash: '$argon2id$the-hash', privacyPolicyAgreed: true },
  UserCreated: { ...identity, ...link },
  ProfileChanged: {
    fields: ['email', 'city'],
    from: { email: 'ada@example.com', city: 'London' },
    to: { email: 'lovelace@example.com', city: 'Turin' },
    emailClaim: 'decaf',
  },
  PasswordChanged: { passwordHash: '$argon2id$another-hash', mailed: true },
  PasswordResetRequested: link,
  PasswordReset: { passwordHash: '$argon2id$a-third-hash', mailed: true },
  PasswordRehashed: { passwordHash: '$argon2id$a-stronger-hash' },
  UserBanned: { reason: 'Copied trades', from: null },
  UserUnbanned: { from: 'Copied trades' },
  EmailRevertOffered: { ...link, email: 'ada@example.com', emailClaim: 'c0ffee' },
  EmailChangeReverted: {},
  SessionsEnded: {},
  NoticesChosen: { from: [], to: ['limits', 'certificates'] },
  NoticesSeen: { upTo: 1042 },
  UserDeleted: { banned: false },
  EmailClaimLapsed: { emailClaim: 'c0ffee' },
  AccountOpened: { userId: ada },
  AccountStatusChanged: {
    from: 'active',
    to: 'breached',
    reason: 'The daily drawdown was exceeded',
    evidence: { rule: 'daily-drawdown', limit: '5% / $500', value: '-$512.40', occurredAt: 1_759_999_000_000 },
    corrects: null,
  },
  BalanceChanged: { from: toCents(0), to: toCents(1_050_007) },
  ProfitLossChanged: { from: toCents(0), to: toCents(-1_205) },
  RiskLimitsChanged: {
    from: noLimits,
    to: { dailyDrawdownLimit: '5% / $500', overallLossLimit: '10%', profitTarget: '1000' },
    reason: 'Limits of the challenge',
  },
  PlatformLoginAssigned: {
    from: { login: null, server: null },
    to: { login: '900100', server: 'MT5-Live' },
    masterPassword: 'the-master-password',
  },
  PhaseChanged: { from: null, to: 'Phase 1' },
  PayoutsEnabled: {},
  PayoutsDisabled: {},
  AccountClosed: { status: 'breached' },
  PayoutRequested: {
    payoutId: payout,
    amount: toCents(25_000),
    method: 'paypal',
    details: 'ada.payouts@example.com',
    idempotency: { key: 'k1', digest: 'd1' },
  },
  PayoutApproved: { payoutId: payout, from: 'pending', amount: toCents(25_000), notes: '' },
  PayoutFirstApproved: { payoutId: payout, from: 'pending', amount: toCents(25_000), notes: 'Checked', member: adminKeyId.parse('beef') },
  MasterPasswordShown: {},
  HistoryDownloaded: { format: 'csv' },
  PayoutRejected: { payoutId: payout, from: 'approved', amount: toCents(25_000), notes: 'Wrong account' },
  CertificateIssued: {
    certificateId: certificateId.parse(`${ada}-c1`),
    name: 'Phase 1 passed, Ada Lovelace',
    issuedAt: '2026-03-03',
    file: `certificates/${ada}/1.pdf`,
    size: 1_234,
    sha256: 'ab12',
  },
  CertificateRevoked: { certificateId: certificateId.parse(`${ada}-c1`), reason: 'Issued by mistake' },
  CertificateShared: { certificateId: certificateId.parse(`${ada}-c1`), code: 'the-secret-code', codeHash: 'cafe', showsName: true, from: null },
  CertificateSharingEnded: { certificateId: certificateId.parse(`${ada}-c1`), from: true },
  PasskeyAdded: { passkeyId: 'k1', name: 'Ada on a phone', credentialId: 'Y3JlZGVudGlhbA', publicKey: 'cHVibGljIGtleQ', counter: 0 },
  PasskeyRenamed: { passkeyId: 'k1', from: 'Ada on a phone', to: 'Old phone' },
  PasskeyRemoved: { passkeyId: 'k1', name: 'Old phone' },
  PasskeyUsed: { passkeyId: 'k1', counter: 1, challengeHash: 'c4a1' },
  AuthenticatorTurnedOn: { key: 'JBSWY3DPEHPK3PXP', step: 58_666_666 },
  AuthenticatorTurnedOff: {},
  AuthenticatorCodeUsed: { step: 58_666_667 },
  RecoveryCodesIssued: { hashes: ['aa', 'bb'] },
  RecoveryCodeUsed: { hash: 'aa', left: 1 },
  SecondFactorsRemoved: {},
  SignedInFromNewBrowser: { browser: 'Firefox on Windows', address: '203.0.113.x' },
  EmailClaimed: { userId: ada },
  EmailReleased: { userId: ada },
  AdminKeyIssued: { label: 'Dana', role: 'admin', keyHash: 'beef', expiresAt: 1_790_000_000_000 },
  AdminKeyRevoked: {},
  AdminKeyChanged: { from: { label: 'Dana', role: 'admin', expiresAt: null }, to: { label: 'Dana Roe', role: 'payouts', expiresAt: 1_790_000_000_000 } },
  AdminKeyReplaced: { keyId: adminKeyId.parse('cafe'), keyHash: 'cafe01', expiresAt: null },
  AdminKeyAssigned: { member: adminKeyId.parse('beef') },
  AdminSignedIn: {},
  AdminSignInRefused: { why: 'unknown' },
  ListDownloaded: { list: 'users', status: 'active', searched: true },
  InstallationFounded: {},
  MailBegan: {},
  NoticesBegan: {},
  MailSent: { kind: 'PasswordResetRequested', stream: `user-${ada}`, revision: 7 },
  RetryRequested: { reader: 'users', stream: `account-${ada}`, revision: 7 },
  MasterKeyRotated: { rotations: 1 },
  LogAdopted: { position: '42' },
  SealingKeyIntroduced: { keyId: '0123456789abcdef', publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', endorsement: null },
  FactsSealed: {
    number: 1,
    first: '1',
    last: '42',
    count: 42,
    root: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    previous: null,
    sealedAt: 1_760_000_000_000,
    keyId: '0123456789abcdef',
    history: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    signature: 'c2lnbmVk',
  },
  TreeCheckpointSigned: {
    number: 2,
    size: 42,
    last: '42',
    keyId: '34750f98bd59fcfc',
    note: 'portal.example/log\n42\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n— portal.example/log 2syjc7LrCVLCNjmqwvXL4Ctvt0jPfzwnso/S550D1X/T3iee5SbjfcBQGgqQWwyhtZbKlpsDW52HEOxWvlIdc7UBawo=\n',
  },
}

export const sampleMetadata: Omit<Metadata, 'version'> = {
  at: 1_760_000_000_000,
  actor: { kind: 'admin', id: 'a1', label: 'Dana' },
  requestId: 'r1',
  causationId: 'r1',
  correlationId: 'r1',
  previous: null,
}

/** A person's key that everybody may know. */
export const sampleKey = new Uint8Array(32).fill(7)

/** An event as the log holds it, in a stream about a person. */
export function storedSample(type: string, data: unknown, key: Uint8Array = sampleKey, id: string = randomUUID()): StoredEvent {
  const event = encodeEvent(eventRegistry, id, { type, data }, sampleMetadata, key)
  return { ...event, stream: streamName(users, ada), revision: 0, position: toPosition('1') }
}

/** A real log and real keys in a folder, by default a new one. `close` removes it. */
export function createTestLog(folder = mkdtempSync(join(tmpdir(), 'proofdesk-log-'))) {
  const eventStore = openSqliteEventStore(join(folder, 'events.sqlite'))
  const keyStore = openSqliteKeyStore(join(folder, 'keys.sqlite'))
  const keys = createPersonKeys(keyStore, deriveSecrets('a master key for tests of 32 characters'))
  return {
    folder,
    eventStore,
    keyStore,
    keys,
    async close() {
      await eventStore.close()
      await keyStore.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Everything that comes, in an array. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
