import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { requiredText } from '#services/framework/api/text.ts'
import { accountTerms, fundedStage } from '#services/rules/programme.ts'
import { z } from 'zod'

/** The terms of an account in a request, and in words. People read their names. */

/** The name of a programme or a stage. */
export const termsName = requiredText(200, 'expected a text')

export const TermsGiven = z.strictObject(
  {
    ...accountTerms.shape,
    name: termsName,
    stages: z
      .array(fundedStage.extend({ name: termsName }), 'expected a list of one funded stage')
      .length(1, 'expected one funded stage'),
  },
  'expected a programme of one funded stage',
)

const inWords = z.array(z.object({ title: z.string(), text: z.string() }))

/** The terms of a programme in plain words. */
export const TermsInWords = namedObject('TermsInWords', {
  general: described('Terms that apply to all stages', inWords),
  stages: described('In their order', z.array(z.object({ name: z.string(), terms: inWords }))),
})
