import { zodResolver } from '@hookform/resolvers/zod'
import { z } from 'zod'
import { type AccountFieldName, accountFieldNames, accountForms, eachField } from '../../../../../services/api/account-fields.ts'
import { AccountChanges } from '../../../../../services/api/account-schemas.ts'
import { EvidenceGiven } from '../../../../../services/api/breach-schemas.ts'
import { CertificateForm } from '../../../../../services/api/certificate-schemas.ts'
import { NewUser, UserChanges } from '../../../../../services/api/user-schemas.ts'
import { type AccountBefore, type WhyRequirements, whyRequirementsFor, toIsoMoment, needsReason, type WhyValues } from './why.ts'

/** The checks of the forms about users (specification §5): the contract's, on what fields hold. Loaded with the first form. */

/** Forms send what was typed, not what the check makes of it: the server reads it itself. */
const asTyped = { raw: true } as const

// Issues are given whole, not as texts: after those zod would leave out the checks of the form as such.

/** Checked only when the field is not empty. */
function ifGiven(schema: z.ZodType) {
  return z.string().superRefine((value, context) => {
    if (value.trim() === '') return
    for (const { message } of schema.safeParse(value).error?.issues ?? []) context.addIssue({ code: 'custom', message })
  })
}

/** A text field by the contract's own rule. */
function text(schema: z.ZodType) {
  return z.string().superRefine((value, context) => {
    for (const { message } of schema.safeParse(value).error?.issues ?? []) context.addIssue({ code: 'custom', message })
  })
}

const account = eachField(accountFieldNames, (name, { kind }) => {
  if (kind === 'status' || kind === 'switch') return z.string()
  return kind === 'money' || kind === 'profit' ? ifGiven(AccountChanges.shape[name]) : text(AccountChanges.shape[name])
})

const address = {
  country: text(UserChanges.shape.country),
  city: text(UserChanges.shape.city),
  street: text(UserChanges.shape.street),
  houseNumber: text(UserChanges.shape.houseNumber),
}

const newUserForm = z.object({ fullName: text(NewUser.shape.fullName), email: text(NewUser.shape.email), ...account })
const editForm = z.object({ fullName: ifGiven(UserChanges.shape.fullName), email: ifGiven(UserChanges.shape.email), ...address, ...account })
const partOf = <Name extends AccountFieldName>(names: readonly Name[]) => eachField(names, (name) => account[name])

const whyForm = {
  reason: text(AccountChanges.shape.reason),
  mistake: z.string(),
  evidence: z.object({ rule: z.string(), limit: z.string(), value: z.string(), occurredAt: z.string() }),
}

/** What a change has to be explained by: needed here, though the contract takes changes without it. */
function explain(asked: WhyRequirements, { reason, mistake, evidence }: WhyValues, context: z.RefinementCtx) {
  if (asked.ending !== undefined && mistake === '')
    context.addIssue({ code: 'custom', path: ['mistake'], message: 'Please say whether the breach was a mistake' })
  if (asked.evidence) {
    const given = { ...evidence, occurredAt: toIsoMoment(evidence.occurredAt) }
    for (const { path, message } of EvidenceGiven.safeParse(given).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['evidence', ...path], message })
    if (Date.parse(given.occurredAt) > Date.now())
      context.addIssue({ code: 'custom', path: ['evidence', 'occurredAt'], message: 'This moment is still to come' })
  }
  if (needsReason(asked, { mistake }) && reason.trim() === '') context.addIssue({ code: 'custom', path: ['reason'], message: 'Please provide a reason' })
}

export const newUser = (before: AccountBefore) =>
  zodResolver(
    newUserForm.extend(whyForm).superRefine((values, context) => explain(whyRequirementsFor(before, values), values, context)),
    undefined,
    asTyped,
  )
export const editUser = (before: AccountBefore) =>
  zodResolver(
    editForm.extend(whyForm).superRefine((values, context) => explain(whyRequirementsFor(before, values), values, context)),
    undefined,
    asTyped,
  )
export const platform = zodResolver(z.object(partOf(accountForms.platform)), undefined, asTyped)
const riskForm = z.object({ ...partOf(accountForms.risk), ...whyForm })
export const risk = (before: AccountBefore) =>
  zodResolver(
    riskForm.superRefine((values, context) => explain(whyRequirementsFor(before, values), values, context)),
    undefined,
    asTyped,
  )
export const why = (asked: WhyRequirements) =>
  zodResolver(
    z.object(whyForm).superRefine((values, context) => explain(asked, values, context)),
    undefined,
    asTyped,
  )
export const certificate = zodResolver(CertificateForm, undefined, asTyped)
