import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import type { ReasonedStamp } from '#services/framework/api/stamp-schemas.ts'
import {
  type Audience,
  type ReasonedStampDocument,
  stampOrNoneResponse,
  stampResponse,
} from '#services/framework/decision-stamp.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { accountId, ownerOf } from '#services/framework/ids.ts'
import { type AccountDocument, newestLimitStamp } from '../account-document.ts'
import { toDecimal } from '#services/rules/money.ts'
import { z } from 'zod'
import type { AccountStamps, BreachEvidence, ListedOwnAccount, OwnAccount } from '../account-api.ts'
import { accountResponse } from '../account-response.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import type { BreachEvidence as Evidence } from '#services/trading/stream/decision-reason.ts'

/** The account in answers. Documents are mapped field by field, so that no other field can leak. */

/** Traders may read reasons and evidence; the forms say so. */
function accountStamps(account: AccountDocument, reader: Audience): AccountStamps {
  const { statusStamp: status, limitStamps } = account
  return {
    status: status && {
      ...stampResponse(status, reader),
      reason: status.reason,
      evidence: status.evidence && evidenceResponse(status.evidence),
      corrects: status.corrects,
      ...status.decision,
    },
    phase: stampOrNoneResponse(account.phaseStamp, reader),
    limits: reasonedStampResponse(newestLimitStamp(account), reader),
    dailyDrawdownLimit: reasonedStampResponse(limitStamps.dailyDrawdownLimit, reader),
    overallLossLimit: reasonedStampResponse(limitStamps.overallLossLimit, reader),
    profitTarget: reasonedStampResponse(limitStamps.profitTarget, reader),
    payouts: stampOrNoneResponse(account.payoutsStamp, reader),
  }
}

function reasonedStampResponse(stamp: ReasonedStampDocument | null, reader: Audience): ReasonedStamp | null {
  return stamp && { ...stampResponse(stamp, reader), reason: stamp.reason }
}

/** The evidence of a breach in an answer. */
export function evidenceResponse(evidence: Evidence): BreachEvidence {
  return { ...evidence, occurredAt: isoTime(evidence.occurredAt) }
}

function programmeResponse({ programme }: AccountDocument): OwnAccount['programme'] {
  if (!programme) return null
  const { enrolmentId: enrolment, size, ...stage } = programme
  return { ...stage, enrolment, size: toDecimal(size) }
}

const ownAccountInClear = oncePerObject((account: AccountDocument) => ({
  id: account.id,
  open: account.open,
  ...accountResponse(account),
  programme: programmeResponse(account),
  stamps: accountStamps(account, 'trader'),
}))

export function ownAccountResponse(
  account: AccountDocument,
  key: PersonKey | undefined,
  payout: OwnAccount['payout'] = null,
): OwnAccount {
  return { ...ownAccountInClear(account), masterPassword: masterPasswordOf(account, key), payout }
}

/** What a trader sees of an account, for staff: names are not withheld, and the password is masked. */
export function staffAccountResponse(
  account: AccountDocument,
  key: PersonKey | undefined,
  payout: OwnAccount['payout'] = null,
): OwnAccount {
  return {
    ...ownAccountInClear(account),
    stamps: accountStamps(account, 'admin'),
    masterPassword: masterPasswordOf(account, key) === null ? null : HIDDEN,
    payout,
  }
}

/** An account in its trader's list; `current` is the account used when a call names none. */
export function listedOwnAccount(account: AccountDocument, current: AccountDocument): ListedOwnAccount {
  const { phase, status, platform, login, server, balance } = accountResponse(account)
  const { id, open, openedAt } = account
  const createdAt = isoTime(openedAt ?? 0)
  return {
    id,
    size: account.programme && toDecimal(account.programme.size),
    phase,
    status,
    platform,
    login,
    server,
    balance,
    open,
    current: id === current.id,
    createdAt,
  }
}

/** The account in answers to staff; null before it was opened. */
export function listedAccount(account: AccountDocument) {
  const { id, open, openedAt } = account
  if (openedAt === null) return null
  return {
    id,
    userId: ownerOf(accountId.parse(id)),
    open,
    ...accountResponse(account),
    programme: programmeResponse(account),
    createdAt: isoTime(openedAt),
    stamps: accountStamps(account, 'admin'),
  }
}

const assignment = z.object({ masterPassword: z.string().nullable() })

export function masterPasswordOf(
  { masterPassword }: Pick<AccountDocument, 'masterPassword'>,
  key: PersonKey | undefined,
): string | null {
  if (!masterPassword) return null
  return assignment.parse(personalFields(accountEvents.PlatformLoginAssigned, masterPassword, key)).masterPassword
}

/** A stored document is the same object until it changes: then what was made of it is still right. */
export function oncePerObject<Key extends object, Result>(work: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, Result>()
  return (key) => {
    const existing = known.get(key)
    if (existing !== undefined) return existing
    const result = work(key)
    known.set(key, result)
    return result
  }
}
