import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { NewSavedDestination, type SavedDestination } from '#services/payments/destinations/saved-destination-api.ts'
import { shortDestination } from '#services/trading/stream/destination-vocabulary.ts'
import { messageOf } from '@/api/api-error.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { toast, toastFailure } from '@/toast.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { DestinationFields } from './destination-fields.tsx'
import { checkedFields, emptyDestination } from './destination-values.ts'
import { methodName, methodOf, methodOptions } from './methods.ts'
import { removeDestination, saveDestination, savedDestinationsQuery } from './saved-destination-queries.ts'

/** The destinations that the trader keeps to choose from, with the way to add one. */
export function SavedDestinations() {
  const saved = useQuery(savedDestinationsQuery)
  const [isAdding, setAdding] = useState(false)
  return (
    <section aria-label="Saved destinations" className="mt-8">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-16 font-semibold">Saved destinations</h2>
        <Button look="secondary" onClick={() => setAdding(true)}>
          Save a Destination
        </Button>
      </div>
      {saved.isError && !saved.data ? (
        <ErrorState title="Failed to load your saved destinations." onRetry={saved.refetch} />
      ) : (
        <ul className="flex flex-col gap-2">
          {saved.data?.map((each) => (
            <SavedRow key={each.id} saved={each} />
          ))}
        </ul>
      )}
      {saved.data?.length === 0 && (
        <p className="text-13 text-muted">None yet. What you save here you can choose when you request a payout.</p>
      )}
      {isAdding && <SaveDialog onClose={() => setAdding(false)} />}
    </section>
  )
}

function SavedRow({
  saved: { id, name, paymentMethod, destination, confirmed },
}: {
  readonly saved: SavedDestination
}) {
  const remove = useMutation(removeDestination)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border border-line bg-card px-4 py-3">
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="font-medium">{name}</span>{' '}
        <span className="text-muted">
          {methodName(paymentMethod)}, {destination && shortDestination(destination)}
        </span>{' '}
        {!confirmed && <Badge tone="waiting">Open the link in the mail</Badge>}
      </span>
      <Button
        look="secondary"
        busy={remove.isPending}
        aria-label={`Remove ${name}`}
        onClick={() => remove.mutate(id, { onError: (error) => toastFailure('It was not removed', messageOf(error)) })}
      >
        Remove
      </Button>
    </li>
  )
}

/** The server checks the destination, by libraries that pages do not load. */
const Named = NewSavedDestination.pick({ name: true })

function SaveDialog({ onClose }: { readonly onClose: () => void }) {
  const save = useMutation(saveDestination)
  const { control, field, getValues, handleSubmit, reportRefusal, setValue } = useApiForm(Named, {
    ...{ name: '', paymentMethod: 'bank' },
    ...emptyDestination,
  })
  const [paymentMethod, account, network] = useWatch({
    control,
    name: ['paymentMethod', 'account', 'destination.network'],
  })
  const method = methodOf(paymentMethod) ?? 'bank'
  const onSubmit = handleSubmit(({ name }) =>
    save.mutate(
      { name, paymentMethod: method, destination: checkedFields(method, getValues()) },
      {
        onSuccess: () => {
          toast('Destination saved', 'Open the link that we mailed you: then you can choose it.')
          onClose()
        },
        onError: reportRefusal('The destination was not saved'),
      },
    ),
  )
  return (
    <FormDialog
      title="Save a Destination"
      description="We mail you a link that confirms it."
      submit="Save"
      change={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput label="Save As" hint="Your name for it, such as “My bank”." maxLength={60} {...field('name')} />
      <Select label="Payment Method" options={methodOptions} {...field('paymentMethod')} />
      <DestinationFields
        method={method}
        account={account}
        network={network}
        field={field}
        onNetwork={() => setValue('destination.coin', '')}
      />
    </FormDialog>
  )
}
