import { useQuery } from '@tanstack/react-query'
import { createContext, use, useState } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { SelectionBar } from '@/lists/selection-bar.tsx'
import { Button } from '@/ui/button.tsx'
import { useMember } from '@/features/frame/access.tsx'
import { waitsFor, totalsInWords } from './payout-rows.ts'
import { payoutTotalsQuery, type Verdict } from './staff-payout-queries.ts'

/** Pending payouts chosen to be decided together. */

interface Selection {
  readonly chosen: ReadonlySet<string>
  readonly toggle: (id: string) => void
}

/** A context, so that columns can be constants and a row renders again only where its own choice changes. */
export const SelectionContext = createContext<Selection>({ chosen: new Set(), toggle: () => {} })

/** The choice among the rows of a page. Rows that are no longer pending or no longer shown are not selected. */
export function useSelection(rows: readonly AdminPayout[] = []) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const member = useMember()?.id
  const pending = rows.filter(({ status }) => status === 'pending')
  const chosen = pending.filter(({ id }) => marked.has(id))
  const toggle = (id: string) =>
    setMarked((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    )
  const waiting = pending.filter((payout) => waitsFor(member, payout))
  const choose = (payouts: readonly AdminPayout[]) => setMarked(new Set(payouts.map(({ id }) => id)))
  const all = waiting.length > 0 && waiting.every(({ id }) => marked.has(id))
  const toggleAll = () => choose(all ? [] : waiting)
  return { waiting, all, chosen, toggle, toggleAll, choose, context: { chosen: marked, toggle } }
}

/** The checkbox of a row; only pending payouts have one. */
export function SelectBox({ payout }: { readonly payout: AdminPayout }) {
  const { chosen, toggle } = use(SelectionContext)
  if (payout.status !== 'pending') return null
  return (
    <label className="flex items-center justify-end gap-2 text-13">
      <span aria-hidden className="md:hidden">
        Select
      </span>
      <input
        type="checkbox"
        aria-label={`Select the payout of ${formatMoney(payout.amount)} to ${payout.user.fullName}`}
        className="size-4 accent-accent"
        checked={chosen.has(payout.id)}
        onChange={() => toggle(payout.id)}
      />
    </label>
  )
}

interface PayoutSelectionBarProps {
  /** The pending payouts of the page that wait for the member. */
  readonly waiting: readonly AdminPayout[]
  readonly chosen: readonly AdminPayout[]
  readonly all: boolean
  readonly onToggleAll: () => void
  readonly onDecide: (verdict: Verdict) => void
}

/** Chooses all pending payouts of the page, and decides the chosen ones together. */
export function PayoutSelectionBar({ waiting, chosen, all, onToggleAll, onDecide }: PayoutSelectionBarProps) {
  const total = totalsInWords(useQuery(payoutTotalsQuery(chosen)), ({ amount }) => formatMoney(amount))
  if (waiting.length === 0 && chosen.length === 0) return null
  return (
    <SelectionBar
      className=""
      selectable={waiting.length}
      what="pending"
      all={all}
      onToggleAll={onToggleAll}
      chosen={chosen.length > 0 ? `${formatCount(chosen.length)} selected${total}` : undefined}
    >
      <Button look="secondary" onClick={() => onDecide('approved')}>
        Approve selected
      </Button>
      <Button look="secondary" onClick={() => onDecide('rejected')}>
        Reject selected
      </Button>
    </SelectionBar>
  )
}
