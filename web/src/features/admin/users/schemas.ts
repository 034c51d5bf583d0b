import { zodResolver } from '@hookform/resolvers/zod'
import { z } from 'zod'
import { AccountChanges, CertificateForm, NewUser, UserChanges } from '../../../contract/admin.ts'

/** The checks of the forms about users (specification §5): the contract's, on what fields hold. Loaded with the first form. */

/** Forms send what was typed, not what the check makes of it: the server reads it itself. */
const asTyped = { raw: true } as const

/** Checked only when something stands in the field. */
function ifGiven(schema: z.ZodType) {
  return z.string().superRefine((value, context) => {
    if (value.trim() === '') return
    for (const { message } of schema.safeParse(value).error?.issues ?? []) context.addIssue(message)
  })
}

/** A text field by the contract's own rule. */
function text(schema: z.ZodType) {
  return z.string().superRefine((value, context) => {
    for (const { message } of schema.safeParse(value).error?.issues ?? []) context.addIssue(message)
  })
}

const account = {
  balance: ifGiven(AccountChanges.shape.balance),
  profitLoss: ifGiven(AccountChanges.shape.profitLoss),
  status: z.string(),
  payoutEnabled: z.string(),
  login: text(AccountChanges.shape.login),
  masterPassword: text(AccountChanges.shape.masterPassword),
  server: text(AccountChanges.shape.server),
  phase: text(AccountChanges.shape.phase),
  dailyDrawdownLimit: text(AccountChanges.shape.dailyDrawdownLimit),
  overallLossLimit: text(AccountChanges.shape.overallLossLimit),
  profitTarget: text(AccountChanges.shape.profitTarget),
}

const address = {
  country: text(UserChanges.shape.country),
  city: text(UserChanges.shape.city),
  street: text(UserChanges.shape.street),
  houseNumber: text(UserChanges.shape.houseNumber),
}

const newUserForm = z.object({ fullName: text(NewUser.shape.fullName), email: text(NewUser.shape.email), ...account })
const editForm = z.object({ fullName: ifGiven(UserChanges.shape.fullName), email: ifGiven(UserChanges.shape.email), ...address, ...account })
const { login, masterPassword, server, phase, dailyDrawdownLimit, overallLossLimit, profitTarget } = account

export const newUser = zodResolver(newUserForm, undefined, asTyped)
export const editUser = zodResolver(editForm, undefined, asTyped)
export const platform = zodResolver(z.object({ login, masterPassword, server, phase }), undefined, asTyped)
export const risk = zodResolver(z.object({ dailyDrawdownLimit, overallLossLimit, profitTarget }), undefined, asTyped)
export const certificate = zodResolver(CertificateForm, undefined, asTyped)
