import { it } from 'vitest'
import { describeSite } from './kit.ts'
import { decideAndPayAll, fourEyes } from './payout-day.ts'

describeSite(
  'a day with 200 payouts, up to the answer of the bank',
  (site) => {
    it('is done by two members with the keyboard alone, and nothing is lost or covered', { timeout: 600_000 }, () =>
      decideAndPayAll(site, 200),
    )
  },
  { environment: { ...fourEyes, TRADER_CHANGES_PER_HOUR: '0' } },
)
