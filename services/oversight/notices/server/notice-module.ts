import type { OversightParts } from '#services/oversight/parts.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import { noticeSubject } from '../notice-subject.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { chooseNotices, userStreams } from '#services/identity/users/user.ts'
import type { Notice, noticeRoutes } from '../notice-api.ts'
import { noticeStreams, seeNotices } from '#services/identity/users/seen-notices.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { evidenceResponse } from '#services/trading/accounts/server/account-responses.ts'
import { type DecisionDocument, decisions } from '#services/trading/accounts/decision-read-model.ts'
import type { AuditChange } from '#services/oversight/audit/audit-event-api.ts'
import { type ActorFormatter, actorFormatterForTraders } from '#services/oversight/audit/audit-entry.ts'
import { certificateName } from '#services/trading/certificates/server/certificate-responses.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { ownUser } from '#services/trading/accounts/server/own-user.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { toDecimal } from '#services/rules/money.ts'

export const noticeModule: Module<typeof noticeSubject, OversightParts> = {
  subject: noticeSubject,
  commands: noticeCommands,
  queries: noticeQueries,
  erase: null,
}

/** Which mails a trader gets, and which notices they have seen. */
function noticeCommands({ repositories, throttle }: OversightParts['commands']): Commands<typeof noticeRoutes> {
  const users = repositories.of(userStreams)
  const notices = repositories.of(noticeStreams)
  return {
    changeNotices: async ({ caller: { userId }, body: { muted, seenUpTo }, context }) => {
      const tried = await throttle.attempt(['profilePerson', userId])
      const chosen = muted && (await users.decide(userId, context, (user) => chooseNotices(user, muted)))
      // Looking costs nothing: only a changed choice counts.
      if (!chosen?.events.length) await tried.refund()
      const seen =
        seenUpTo === undefined
          ? undefined
          : await notices.decide(userId, context, (state) => seeNotices(state, seenUpTo))
      return done((seen ?? chosen)?.position)
    },
  }
}

/** The notices that the bell shows. */
const NOTICES = 20

/** The bell of a trader: what others did on the account, and how far it was seen. */
function noticeQueries(parts: OversightParts['queries']): Queries<typeof noticeRoutes> {
  const { readModels, personKeys, secrets } = parts
  const forTraders = actorFormatterForTraders(secrets)
  return {
    notices: {
      needs: [users, decisions],
      handle: async ({ caller: { userId } }) => {
        const { mutedNotices: muted, noticesSeenUpTo: seenUpTo } = await ownUser(parts, userId)
        const { documents } = await readModels.find(decisions, { where: { bellOf: userId }, limit: NOTICES })
        const key = await personKeys.keyOf(userId)
        return {
          body: { muted, seenUpTo, entries: documents.flatMap((event) => noticeResponse(event, key, forTraders)) },
        }
      },
    },
  }
}

/** A notice as the audit shows its event to its trader. */
function noticeResponse(
  { notice, ...event }: DecisionDocument,
  key: PersonKey | undefined,
  format: ActorFormatter,
): Notice | [] {
  if (notice === null) return []
  const { number, at, type, userId, about, stream, actor, reason } = event
  const { changes, evidence, corrects, requestId, amount, certificateName: name } = notice
  return {
    number,
    at: isoTime(at),
    type,
    userId,
    accountId: stream === 'account' ? about : null,
    actor: format(actor),
    changes: name ? changes.map((each) => withName(each, certificateName({ name }, key))) : changes,
    reason,
    ...(evidence && { evidence: evidenceResponse(evidence) }),
    ...(corrects !== null && { corrects }),
    requestId,
    amount: amount === null ? null : toDecimal(amount),
  }
}

/** The read model keeps the name of a certificate only encrypted, apart from the change that it belongs to. */
function withName({ field, from, to }: AuditChange, name: string): AuditChange {
  return { field, from, to: typeof to === 'object' && to !== null ? { ...to, name } : to }
}
