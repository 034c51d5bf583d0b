import { zodResolver } from '@hookform/resolvers/zod'
import { PasswordChange, ProfileChanges } from '../../../../services/api/session-schemas.ts'

/** The checks of the settings' forms (specification §5). Loaded by the first touch of a form. */
export const profileChanges = zodResolver(ProfileChanges)
export const passwordChange = zodResolver(PasswordChange)
