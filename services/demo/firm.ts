import { createHash } from 'node:crypto'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dependencies } from '../composition-root.ts'
import { changeAccount, openAccount } from '../domain/account/account.ts'
import { signInAdmin } from '../domain/staff/access-key.ts'
import { issueCertificate, nextCertificateId } from '../domain/certificate/certificate.ts'
import { payoutId } from '../domain/ids.ts'
import { toCents } from '../domain/money.ts'
import { approvePayout, rejectPayout, requestPayout } from '../domain/payout/payout.ts'
import { banUser, deleteUser, registerUser, unbanUser } from '../domain/user/user.ts'
import type { EventReference } from '../domain/account/decision-reason.ts'
import { eventNumber } from '../event-sourcing/codec/event-number.ts'
import type { Actor, Context } from '../event-sourcing/codec/metadata.ts'
import { accounts, adminKeys, users } from '../domain/streams.ts'
import { AccessKeys } from '../use-cases/access-keys.ts'
import { completeDeletion, userFilesPrefix } from '../use-cases/user-deletion.ts'
import { certificatePdf } from './pdf.ts'
import type { DemoOperation, DemoActor } from './deeds.ts'

/** A clock that stands at whatever moment something is done. */
export interface DemoClock {
  now(): number
  at<Result>(moment: number, work: () => Promise<Result>): Promise<Result>
}

export function createDemoClock(): DemoClock {
  const moments = new AsyncLocalStorage<number>()
  return { now: () => moments.getStore() ?? Date.now(), at: (moment, work) => moments.run(moment, work) }
}

/** An access key of the made-up firm. */
export interface DemoKey {
  readonly label: string
  readonly role: 'admin' | 'auditor'
  readonly accessKey: string
}

export const demoKeys = {
  'payouts desk': { label: 'Dana Whitlock, payouts desk', role: 'admin', accessKey: 'demo-payouts-desk' },
  'risk desk': { label: 'Marcus Oyelaran, risk desk', role: 'admin', accessKey: 'demo-risk-desk' },
  auditor: { label: 'Haldane & Roe, auditors', role: 'auditor', accessKey: 'demo-auditor' },
} as const satisfies Readonly<Record<string, DemoKey>>

/** Does what a story tells, by the ways of the command service: real deciders, the real repositories, only the clock is turned back. */
export async function createFirm(parts: Dependencies, clock: DemoClock, passwordHash: string, foundedAt: number) {
  const { repositories, addresses, secrets, fileStore, sessionStore, deletion } = parts
  const streams = { users: repositories.of(users), accounts: repositories.of(accounts), adminKeys: repositories.of(adminKeys) }
  let requests = 0

  const keys = new AccessKeys(repositories, secrets)
  const ids: Record<keyof typeof demoKeys, string> = { 'payouts desk': '', 'risk desk': '', auditor: '' }
  await clock.at(foundedAt, async () => {
    for (const name of ['payouts desk', 'risk desk', 'auditor'] as const) {
      const { label, role, accessKey } = demoKeys[name]
      ids[name] = (await keys.issue(label, role, 'demo', accessKey)).id
    }
    // There is a key: the first start need not make one.
    await keys.ensureFirstKey(demoKeys['payouts desk'].accessKey, 'demo')
  })

  const actorOf = (doer: DemoActor, userId: string): Actor => {
    if (doer === 'trader') return { kind: 'trader', id: userId }
    if (doer === 'platform feed') return { kind: 'system', label: doer }
    return { kind: 'admin', id: ids[doer], label: demoKeys[doer].label }
  }
  const contextOf = (doer: DemoActor, userId: string): Context => {
    requests += 1
    const requestId = `demo-${requests}`
    return { actor: actorOf(doer, userId), requestId, causationId: requestId, correlationId: requestId }
  }

  /** The breach that an account stands in. */
  const breachOf = async (userId: string): Promise<EventReference | null> => {
    const { state } = await streams.accounts.load(userId)
    if (state.breachRevision === null) return null
    for await (const fact of streams.accounts.readEvents(userId, state.breachRevision)) return { revision: fact.revision, number: eventNumber(fact) }
    return null
  }

  const perform = async (deed: DemoOperation): Promise<void> => {
    const { userId } = deed
    switch (deed.kind) {
      case 'register': {
        const context = contextOf('trader', userId)
        const claim = await addresses.claim(userId, deed.profile.email, context)
        const registration = { ...deed.profile, emailClaim: claim.emailClaim, passwordHash, privacyPolicyAgreed: true }
        await streams.users.decide(userId, context, (user) => registerUser(user, registration, claim))
        await streams.accounts.decide(userId, context, (account) => openAccount(account, userId))
        return
      }
      case 'set': {
        const { reason, evidence, wasMistake } = deed.said ?? {}
        const corrects = wasMistake ? await breachOf(userId) : null
        await streams.accounts.decide(userId, contextOf(deed.by, userId), (account) => changeAccount(account, deed.changes, { reason, evidence, corrects }))
        return
      }
      case 'request': {
        const { method, details } = deed
        const asked = { amount: toCents(deed.amount), method, details, idempotency: null }
        await streams.accounts.decide(userId, contextOf('trader', userId), (account) => requestPayout(account, asked))
        return
      }
      case 'decide': {
        const id = payoutId.parse(`${userId}-p${deed.payout}`)
        const decide = deed.verdict === 'approved' ? approvePayout : rejectPayout
        await streams.accounts.decide(userId, contextOf('payouts desk', userId), (account) => decide(account, id, deed.notes))
        return
      }
      case 'certify': {
        const issuedAt = new Date(deed.at).toISOString().slice(0, 10)
        const pdf = certificatePdf({
          title: `Certificate: ${deed.title}`,
          name: deed.name,
          lines: [`has passed ${deed.phase} of the funded-trader programme.`, `Issued on ${issuedAt}`],
        })
        const sha256 = createHash('sha256').update(pdf).digest('hex')
        const file = `${userFilesPrefix(userId)}${sha256.slice(0, 32)}.pdf`
        await fileStore.put(file, pdf, 'application/pdf')
        const issue = { name: deed.title, issuedAt, file, size: pdf.length, sha256 }
        await streams.accounts.decide(userId, contextOf('payouts desk', userId), (account) =>
          issueCertificate(account, { certificateId: nextCertificateId(account), ...issue }),
        )
        return
      }
      case 'ban': {
        const { state } = await streams.users.decide(userId, contextOf('risk desk', userId), (user) => banUser(user, deed.reason))
        await sessionStore.suspend('trader', userId, state.ban)
        return
      }
      case 'unban':
        await streams.users.decide(userId, contextOf('risk desk', userId), unbanUser)
        await sessionStore.suspend('trader', userId, null)
        return
      case 'delete': {
        const context = contextOf('risk desk', userId)
        await streams.users.decide(userId, context, deleteUser)
        await completeDeletion(userId, context, deletion)
      }
    }
  }

  return {
    perform: (deed: DemoOperation) => clock.at(deed.at, () => perform(deed)),
    /** Somebody signs in with a key. */
    signIn: (name: keyof typeof demoKeys, moment: number) =>
      clock.at(moment, async () => {
        const { label } = demoKeys[name]
        requests += 1
        const requestId = `demo-${requests}`
        const context: Context = { actor: { kind: 'admin', id: ids[name], label }, requestId, causationId: requestId, correlationId: requestId }
        await streams.adminKeys.decide(ids[name], context, (key) => signInAdmin(key, () => true))
      }),
  }
}
