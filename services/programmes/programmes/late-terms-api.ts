import { lateSchema } from '#services/framework/api/late-schema.ts'
import type { z } from 'zod'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import type { TermsGiven } from './terms-api.ts'

/** Terms in contracts of pages that need not know all rules. The subject of programmes completes them. */

/** The terms of a programme in an answer. */
export const answeredTerms = lateSchema<ProgrammeTerms>()

/** The terms of an account in a request. */
export const givenTerms = lateSchema<z.output<typeof TermsGiven>>()
