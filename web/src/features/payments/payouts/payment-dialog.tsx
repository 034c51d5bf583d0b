import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { formatMoney } from '@/format/money.ts'
import { PaymentStateBadge } from '@/ui/badge.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { DestinationText } from './destination-text.tsx'
import { methodName } from './methods.ts'
import { paymentChange, paymentMoves } from './payment-moves.ts'
import { changePayment } from './staff-payout-queries.ts'

interface PaymentDialogProps {
  readonly payout: AdminPayout
  readonly onClose: () => void
}

/** Records what became of a payment, or puts the payout on hold. */
export function PaymentDialog({ payout, onClose }: PaymentDialogProps) {
  const { amount, traderReceives, paymentMethod, payment, hold, user } = payout
  const moves = paymentMoves(payout)
  const [chosen, setChosen] = useState(moves[0]?.value ?? 'hold')
  const [text, setText] = useState('')
  const change = useMutation(changePayment)
  const move = moves.find(({ value }) => value === chosen) ?? moves[0]
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (move) change.mutate({ payout, body: paymentChange(move.value, text.trim()) }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title="Payment and Hold"
      about={payout.id}
      description={`${formatMoney(traderReceives ?? amount)} to ${user.fullName} (${user.email})`}
      submit="Record"
      change={change}
      disabled={!move || (move.needs === 'hold' && text.trim() === '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <DescriptionList
        items={[
          { name: 'Payment Method', value: methodName(paymentMethod) },
          { name: 'Destination', value: <DestinationText payout={payout} /> },
          ...(payment ? [{ name: 'Payment', value: <PaymentStateBadge state={payment.state} /> }] : []),
          ...(payment?.reference ? [{ name: 'Reference', value: payment.reference }] : []),
          ...(hold ? [{ name: 'On hold', value: hold.reason }] : []),
        ]}
      />
      <Select
        label="What happened"
        options={moves}
        value={move?.value ?? ''}
        onChange={({ target }) => {
          setChosen(moves.find(({ value }) => value === target.value)?.value ?? chosen)
          setText('')
        }}
      />
      {move?.needs === 'reference' && (
        <TextInput
          label="Reference"
          hint="Of the transfer. The trader reads it."
          value={text}
          maxLength={140}
          error={errors['reference']}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {(move?.needs === 'reason' || move?.needs === 'hold') && (
        <TextArea
          label="Reason"
          hint={move.needs === 'hold' ? 'Required. The trader reads it.' : 'Optional. The trader reads it.'}
          value={text}
          maxLength={2000}
          error={errors['reason'] ?? errors['hold']}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </FormDialog>
  )
}
