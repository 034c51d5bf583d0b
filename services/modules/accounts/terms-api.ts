import { requiredText } from '#services/api/text.ts'
import { accountTerms, fundedStage } from '#services/rules/programme.ts'
import { z } from 'zod'

/** The terms of an account in a request. People read their names. */

const name = requiredText(200, 'expected a text')

export const TermsGiven = z.strictObject(
  {
    ...accountTerms.shape,
    name,
    stages: z
      .array(fundedStage.extend({ name }), 'expected a list of one funded stage')
      .length(1, 'expected one funded stage'),
  },
  'expected a programme of one funded stage',
)
