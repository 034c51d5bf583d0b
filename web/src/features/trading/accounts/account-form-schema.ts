import { z } from 'zod'
import { EvidenceGiven } from '#services/trading/accounts/account-api.ts'
import { AccountChanges } from '#services/trading/accounts/account-change-api.ts'
import { UserChanges } from '#services/identity/users/user-api.ts'
import { type AccountAfter, type AccountBefore, evidenceOf, type WhyValues, whyRequirementsFor } from './why.ts'

/** The API's rule for each field, applied to the text it holds. */
const rules: Readonly<Record<string, z.ZodType>> = { ...UserChanges.shape, ...AccountChanges.shape }

/**
 * The check of the forms about users (specification §5). Fields in `optional` may be empty. Unlike the API, it requires
 * explanations.
 */
export const accountFormSchema = <Values extends WhyValues & AccountAfter>(
  before: AccountBefore,
  optional: readonly string[],
) =>
  z.custom<Values>().superRefine((values: WhyValues & AccountAfter, context) => {
    const report = (path: string | PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path: [path].flat(), message })
    const { evidence: _, ...texts } = values
    for (const [name, value] of Object.entries(texts)) {
      // Selects hold nothing else than their options.
      if (name === 'payoutEnabled' || (value?.trim() === '' && optional.includes(name))) continue
      const issue = rules[name]?.safeParse(value).error?.issues[0]
      if (issue) report(name, issue.message)
    }
    const requirements = whyRequirementsFor(before, values)
    if (!requirements) return
    if (requirements.ending !== undefined && values.mistake === '')
      report('mistake', 'Please say whether the breach was a mistake')
    if (requirements.evidence) {
      const evidence = evidenceOf(values)
      for (const { path, message } of EvidenceGiven.safeParse(evidence).error?.issues ?? [])
        report(['evidence', ...path], message)
      if (Date.parse(evidence.occurredAt) > Date.now())
        report(['evidence', 'occurredAt'], 'This moment is still to come')
    }
    if (requirements.reason && values.reason.trim() === '') report('reason', 'Please provide a reason')
  })
