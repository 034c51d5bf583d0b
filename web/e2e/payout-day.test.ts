import { it } from 'vitest'
import { describeSite } from './kit.ts'
import { decideAll, SECOND_APPROVAL_ABOVE } from './payout-day.ts'

describeSite(
  'a morning with 30 payouts',
  (site) => {
    it('is done by two members with the keyboard alone, and nothing is lost or covered', () => decideAll(site, 30))
  },
  { environment: { SECOND_APPROVAL_ABOVE } },
)
