import { zodResolver } from '@hookform/resolvers/zod'
import { AdminCredentials, Credentials, PasswordForgotten, PasswordResetForm, RegistrationForm } from '../../contract/session.ts'

/** The checks of the session's forms (specification §5). Loaded by the first touch of a form. */
export const credentials = zodResolver(Credentials)
export const registration = zodResolver(RegistrationForm)
export const adminCredentials = zodResolver(AdminCredentials)
export const passwordForgotten = zodResolver(PasswordForgotten)
export const passwordReset = zodResolver(PasswordResetForm)
