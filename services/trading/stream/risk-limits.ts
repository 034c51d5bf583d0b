import { z } from 'zod'

/** Free text such as '5% / $500'; the target is kept as text too (specification §3). */
export const riskLimits = z.object({
  dailyDrawdownLimit: z.string().nullable(),
  overallLossLimit: z.string().nullable(),
  profitTarget: z.string().nullable(),
})

export type RiskLimits = z.infer<typeof riskLimits>
