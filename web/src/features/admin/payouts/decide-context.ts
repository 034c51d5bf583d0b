import { createContext } from 'react'
import type { AdminPayout } from '../../../../../services/api/payout-schemas.ts'

/** To look at a payout, or to decide it. */
export type Intent = 'review' | 'approved' | 'rejected'

/** Opens the dialog about a payout. */
export type Decide = (payout: AdminPayout, intent: Intent) => void

/** The action of the buttons in rows. A context, so that columns can be constants. */
export const DecideContext = createContext<Decide>(() => {})
