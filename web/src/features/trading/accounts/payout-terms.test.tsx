import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PayoutTermsView } from './payout-terms.tsx'

const none = { set: null, words: [], payout: null }

it('says who decides on payouts of an account without terms', () => {
  render(<PayoutTermsView userId="ada" found={none} ofProgramme={false} />)
  expect(screen.getByText('None: staff decide any amount.')).toBeTruthy()
})

it('leaves payouts of an evaluation to its programme, not to staff', () => {
  render(<PayoutTermsView userId="ada" found={none} ofProgramme />)
  expect(screen.queryByText(/staff decide/)).toBeNull()
  expect(screen.getByText(/payouts begin with the funded stage/)).toBeTruthy()
})
