import { z } from 'zod'
import { NewStaffMember } from '#services/identity/staff/staff-api.ts'

/** The forms about members of staff: the server's rules, with the day that a date field names. */

const expires = z.string()

export const replacement = z.object({ expires })

export const newMember = z.object({ name: NewStaffMember.shape.name, role: NewStaffMember.shape.role, expires })
