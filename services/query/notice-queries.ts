import { type AuditChange, type AuditFact, routes } from '#services/api/index.ts'
import { type ActorFormatter, actorFormatterForTraders } from '#services/audit/audit-entry.ts'
import { isoTime } from '#services/domain/event-description.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { type DecisionDocument, decisions, users } from '#services/projections/index.ts'
import { ownUserReader } from './own-user.ts'
import type { QueryDependencies, RegisterQuery } from './query-dependencies.ts'
import { certificateName, evidenceResponse } from './query-responses.ts'

/** The notices that the bell shows. */
const NOTICES = 20

/** The bell of a trader: what others did on the account, and how far it was seen. */
export function registerNoticeQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { readModels, personKeys, secrets } = parts
  const own = ownUserReader(parts)
  const forTraders = actorFormatterForTraders(secrets)

  read(routes.notices, [users, decisions], async ({ caller: { userId } }) => {
    const { mutedNotices: muted, noticesSeenUpTo: seenUpTo } = await own(userId)
    const { documents } = await readModels.find(decisions, { where: { bellOf: userId }, limit: NOTICES })
    const key = (await personKeys.get([userId])).get(userId)
    return { body: { muted, seenUpTo, entries: documents.flatMap((event) => noticeResponse(event, key, forTraders)) } }
  })
}

/** A notice as the audit shows its event to its trader. */
function noticeResponse({ notice, ...event }: DecisionDocument, key: PersonKey | undefined, format: ActorFormatter): AuditFact | [] {
  if (notice === null) return []
  const { number, at, type, userId, actor, reason } = event
  const { changes, evidence, corrects, requestId, certificateName: name } = notice
  return {
    number,
    at: isoTime(at),
    type,
    userId,
    actor: format(actor),
    changes: name ? changes.map((each) => withName(each, certificateName({ name }, key))) : changes,
    reason,
    ...(evidence && { evidence: evidenceResponse(evidence) }),
    ...(corrects !== null && { corrects }),
    requestId,
  }
}

/** The read model keeps the name of a certificate only encrypted, apart from the change that it belongs to. */
function withName({ field, from, to }: AuditChange, name: string): AuditChange {
  return { field, from, to: typeof to === 'object' && to !== null ? { ...to, name } : to }
}
