import { utcTime } from '#services/framework/api/utc-time.ts'
import type { Addressed, MailContext } from '#services/framework/mails/mail-context.ts'
import { FIRM, type MailContent } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { CaseId } from '#services/framework/ids.ts'
import type { caseDescriptions } from '#services/trading/stream/case-descriptions.ts'
import type { CaseEvent } from '#services/trading/stream/case.ts'
import { caseOutcomeLabels, caseSubjectLabels } from '#services/trading/stream/case-vocabulary.ts'

/** Mails about cases name the case, and never what was written in it. */
export const caseMails: Mails<CaseEvent, typeof caseDescriptions> = {
  CaseOpened: ({ data: { case: id, subject, answerBy } }, context) => {
    const about = ['About', caseSubjectLabels[subject.kind]] as const
    const facts = { details: [about, ['Answer by', utcTime(answerBy)] as const] }
    return [
      toTrader(id, context, {
        subject: `Your case ${id} is open`,
        says: ['Your objection has reached us. Another member of staff than the one who decided answers it.', facts],
      }),
      ...toStaff(id, context, {
        subject: `Case ${id} was opened`,
        says: ['A trader objects to a decision.', facts],
      }),
    ]
  },
  CaseMessageWritten: ({ data: { case: id, from, answerBy } }, context) =>
    from === 'staff'
      ? toTrader(id, context, { subject: `An answer in your case ${id}`, says: ['Staff have answered in your case.'] })
      : toStaff(id, context, {
          subject: `A message in case ${id}`,
          says: [
            'The trader has written in the case.',
            ...(answerBy === null ? [] : [{ details: [['Answer by', utcTime(answerBy)] as const] }]),
          ],
        }),
  CaseDecided: ({ data: { case: id, outcome } }, context) =>
    toTrader(id, context, {
      subject: `Your case ${id} is decided`,
      says: ['Your case is decided.', { details: [['Outcome', caseOutcomeLabels[outcome]]] }],
    }),
  CaseOverdue: ({ data: { case: id, due } }, context) =>
    toStaff(id, context, {
      subject: `Case ${id} waits for an answer since its deadline`,
      says: ['Nobody has answered this case in time.', { details: [['Answer was due', utcTime(due)]] }],
    }),
}

interface Said {
  readonly subject: string
  readonly says: MailContent['body']
}

function toTrader(id: CaseId, { page }: MailContext, { subject, says }: Said): MailContent {
  return {
    subject,
    body: [...says, { action: 'See your case', link: page(`/cases?case=${id}`) }],
    footer: `You're receiving this email because you objected to a decision of ${FIRM}.`,
  }
}

/** To the firm's support address; to nobody where it has none. */
function toStaff(id: CaseId, { page, supportEmail }: MailContext, { subject, says }: Said): Addressed<MailContent>[] {
  if (supportEmail === undefined) return []
  const body = [...says, { action: 'See the case', link: page(`/admin/cases?case=${id}`) }]
  const footer = `This is the support address of ${FIRM}. Administrators change it at System.`
  return [{ subject, body, footer, address: supportEmail, name: '' }]
}
