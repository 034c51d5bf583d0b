import { zodResolver } from '@hookform/resolvers/zod'
import { PasswordChange, ProfileChanges } from '../../../../services/api/session-schemas.ts'

/** Validation of the settings' forms (specification §5), loaded when a form first gets the focus. */
export const profileChanges = zodResolver(ProfileChanges)
export const passwordChange = zodResolver(PasswordChange)
