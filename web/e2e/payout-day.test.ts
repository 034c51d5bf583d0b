import { it } from 'vitest'
import { describeSite } from './kit.ts'
import { decideAndPayAll, fourEyes } from './payout-day.ts'

describeSite(
  'a morning with 30 payouts, up to the answer of the bank',
  (site) => {
    it('is done by two members with the keyboard alone, and nothing is lost or covered', { timeout: 240_000 }, () =>
      decideAndPayAll(site, 30),
    )
  },
  { environment: fourEyes },
)
