import { entryPath } from '#services/framework/mails/mail-context.ts'
import { FIRM, type LabelledValue, type MailContent } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import { inDollars } from '#services/rules/money.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import type { findingDescriptions } from '#services/trading/stream/finding-descriptions.ts'
import type { FindingEvent } from '#services/trading/stream/finding-events.ts'

export const findingMails: Mails<FindingEvent, typeof findingDescriptions> = {
  LimitNeared: (event, { page }) => limitNeared({ ...event.data, link: page(entryPath(event)) }),
}

type Neared = Extract<FindingEvent, { type: 'LimitNeared' }>['data']

/** @param warning `link` is the entry in the trader's history. */
export function limitNeared({ rule, limit, floor, room, link }: Neared & { readonly link: string }): MailContent {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  const whole: LabelledValue[] = limit === null ? [] : [['Limit', inDollars(limit)]]
  return {
    subject: `${name}: you are close to the limit`,
    body: [
      'A fifth or less of a limit of your account is left. At its floor the limit is reached.',
      { details: [['Rule', name], ...whole, ['Floor', inDollars(floor)], ['Room left', inDollars(room)]] },
      'These are the figures of the last data from your trading platform. Your dashboard shows them as they are now.',
      { action: 'See the entry in your history', link },
    ],
    footer: `You're receiving this email because your ${FIRM} account changed. Settings say which mails you get.`,
  }
}
