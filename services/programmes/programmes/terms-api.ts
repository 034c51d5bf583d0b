import { requiredText } from '#services/framework/api/text.ts'
import { accountTerms, fundedStage } from '#services/rules/programme.ts'
import { z } from 'zod'

/** The terms of an account in a request. People read their names. */

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
