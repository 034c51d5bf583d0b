import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { fullDestination } from '#services/trading/stream/destination-vocabulary.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { formatMoney } from '@/format/money.ts'
import { DescriptionList } from '@/ui/card.tsx'
import { TextArea } from '@/ui/field.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import { DestinationFields } from './destination-fields.tsx'
import { DestinationText } from './destination-text.tsx'
import { checkedFields, emptyDestination, valuesOf } from './destination-values.ts'
import { methodName } from './methods.ts'
import { changeDestination } from './staff-payout-queries.ts'

interface DestinationDialogProps {
  readonly payout: AdminPayout
  readonly onClose: () => void
}

const Reason = z.object({ reason: z.string().trim().min(1, 'Required') })

/** Staff give the payment of a payout another destination, or the second of two confirms it. */
export function DestinationDialog({ payout, onClose }: DestinationDialogProps) {
  const { amount, traderReceives, paymentMethod, proposedDestination: proposed, user, userId } = payout
  // The proposal when the dialog opened: a later one has to be looked at first.
  const [first] = useState(proposed?.destination)
  const change = useMutation(changeDestination)
  const { control, field, getValues, handleSubmit, reportRefusal, setValue } = useApiForm(Reason, {
    reason: '',
    ...(first ? valuesOf(first) : emptyDestination),
  })
  const [account, network] = useWatch({ control, name: ['account', 'destination.network'] })
  const onSubmit = handleSubmit(({ reason }) =>
    change.mutate(
      { payout, reason, destination: checkedFields(paymentMethod, getValues()) },
      { onSuccess: onClose, onError: reportRefusal('The destination was not changed') },
    ),
  )
  return (
    <FormDialog
      title="New Destination"
      about={payout.id}
      description={`${formatMoney(traderReceives ?? amount)} to ${user.fullName} (${user.email})`}
      submit={first ? 'Give the Same' : 'Give It'}
      change={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <DescriptionList
        items={[
          { name: 'Payment Method', value: methodName(paymentMethod) },
          { name: 'Destination Now', value: <DestinationText payout={payout} /> },
          ...(proposed?.destination
            ? [
                {
                  name: 'Given by One',
                  value: (
                    <span className="[overflow-wrap:anywhere]">
                      {fullDestination(proposed.destination)} <DecisionStamp of={userId} stamp={proposed} />
                    </span>
                  ),
                },
                { name: 'Reason', value: proposed.reason },
              ]
            : []),
        ]}
      />
      {first && (
        <p role="status" className="text-13">
          It counts once another member of staff gives the same destination.
        </p>
      )}
      <DestinationFields
        method={paymentMethod}
        account={account}
        network={network}
        field={field}
        onNetwork={() => setValue('destination.coin', '')}
      />
      <TextArea label="Reason" hint="Required. The trader reads it." maxLength={2000} {...field('reason')} />
    </FormDialog>
  )
}
