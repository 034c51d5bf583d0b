import { useMutation } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { FormError } from '@/ui/states.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import { DestinationFields } from './destination-fields.tsx'
import { checkedFields, emptyDestination } from './destination-values.ts'
import { giveDestination } from './payout-queries.ts'

/** The server checks the destination, by libraries that pages do not load. */
const unchecked = z.object({})

/** The trader gives the payment of a payout another destination: it failed, came back, or was not checked. */
export function NewDestinationForm({
  payout: { id, paymentMethod, payment },
}: {
  readonly payout: Pick<ListedPayout, 'id' | 'paymentMethod' | 'payment'>
}) {
  const give = useMutation(giveDestination)
  const { control, field, formState, getValues, handleSubmit, reset, reportRefusal, setValue } = useApiForm(
    unchecked,
    emptyDestination,
  )
  const [account, network] = useWatch({ control, name: ['account', 'destination.network'] })
  const { isDirty } = formState
  useUnsaved(() => isDirty)
  const onSubmit = handleSubmit(() =>
    give.mutate(
      { id, destination: checkedFields(paymentMethod, getValues()) },
      {
        onSuccess: () => {
          reset()
          toast('New destination given', 'The payment is sent there.')
        },
        onError: reportRefusal('The destination was not changed'),
      },
    ),
  )
  return (
    <section aria-label="Give a new destination" className="mt-6 border-t border-line pt-4">
      <h3 className="text-14 font-semibold">Give a new destination</h3>
      <p className="mt-1 mb-4 text-13 text-muted">
        {payment && payment.state !== 'open'
          ? 'Only needed if the money cannot arrive where it was sent. It is checked for slips, then the payment is sent there.'
          : 'Where the money goes was not checked, so the payment may have to wait. Give it here to have it checked for slips.'}
      </p>
      <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
        <DestinationFields
          method={paymentMethod}
          account={account}
          network={network}
          field={field}
          onNetwork={() => setValue('destination.coin', '')}
        />
        <FormError error={give.error} />
        <Button type="submit" busy={give.isPending} className="self-start">
          Send It There
        </Button>
      </form>
    </section>
  )
}
