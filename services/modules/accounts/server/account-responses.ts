import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { oncePerObject } from '#services/http/once-per-object.ts'
import { type Audience, stampOrNoneResponse, stampResponse } from '#services/modules/decision-stamp.ts'
import { isoTime } from '#services/modules/event-description.ts'
import type { UserDocument } from '#services/modules/users/user-read-model.ts'
import { z } from 'zod'
import type { AccountStamps, BreachEvidence, OwnAccount } from '../account-api.ts'
import { accountResponse } from '../account-response.ts'
import { accountEvents } from '../account.ts'
import type { BreachEvidence as Evidence } from '../decision-reason.ts'

/** The account in answers. Documents are mapped field by field, so that no other field can leak. */

/** Traders may read reasons and evidence; the forms say so. */
function accountStamps({ account }: UserDocument, reader: Audience): AccountStamps {
  const { statusStamp: status, limitsStamp: limits } = account
  return {
    status: status && {
      ...stampResponse(status, reader),
      reason: status.reason,
      evidence: status.evidence && evidenceResponse(status.evidence),
      corrects: status.corrects,
    },
    phase: stampOrNoneResponse(account.phaseStamp, reader),
    limits: limits && { ...stampResponse(limits, reader), reason: limits.reason },
    payouts: stampOrNoneResponse(account.payoutsStamp, reader),
  }
}

/** The evidence of a breach in an answer. */
export function evidenceResponse(evidence: Evidence): BreachEvidence {
  return { ...evidence, occurredAt: isoTime(evidence.occurredAt) }
}

const ownAccountInClear = oncePerObject((user: UserDocument) => ({
  ...accountResponse(user.account),
  stamps: accountStamps(user, 'trader'),
}))

export function ownAccountResponse(user: UserDocument, key: PersonKey | undefined): OwnAccount {
  return { ...ownAccountInClear(user), masterPassword: masterPasswordOf(user, key) }
}

/** The account in answers to staff; null before it was opened. */
export function listedAccount(user: UserDocument) {
  const { openedAt } = user.account
  // An account has no id of its own: it is its user's.
  if (openedAt === null) return null
  return {
    id: user.id,
    userId: user.id,
    ...accountResponse(user.account),
    createdAt: isoTime(openedAt),
    stamps: accountStamps(user, 'admin'),
  }
}

const assignment = z.object({ masterPassword: z.string().nullable() })

export function masterPasswordOf(
  { account: { masterPassword } }: UserDocument,
  key: PersonKey | undefined,
): string | null {
  if (!masterPassword) return null
  return assignment.parse(personalFields(accountEvents.PlatformLoginAssigned, masterPassword, key)).masterPassword
}
