import { it } from 'vitest'
import { describeSite } from './kit.ts'
import { decideAll, SECOND_APPROVAL_ABOVE } from './payout-day.ts'

describeSite(
  'a day with 200 payouts',
  (site) => {
    it('is done by two members with the keyboard alone, and nothing is lost or covered', { timeout: 600_000 }, () =>
      decideAll(site, 200),
    )
  },
  { environment: { SECOND_APPROVAL_ABOVE, TRADER_CHANGES_PER_HOUR: '0' } },
)
