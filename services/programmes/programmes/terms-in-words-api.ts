import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { z } from 'zod'

const inWords = z.array(z.object({ title: z.string(), text: z.string() }))

/** The terms of a programme in plain words. */
export const TermsInWords = namedObject('TermsInWords', {
  general: described('Terms that apply to all stages', inWords),
  stages: described('In their order', z.array(z.object({ name: z.string(), terms: inWords }))),
})
