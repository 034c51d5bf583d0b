import { useRef } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, messageOf } from '../../api/api-error.ts'
import { checkedBy, showAtFields } from '../../form/form.ts'
import { toast, toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextArea, TextInput } from '../../ui/field.tsx'
import { PayoutIntent } from './intent.ts'
import { detailsFields, methodOf, methodOptions } from './methods.ts'
import { type PayoutDraft, useRequestPayout } from './payout-queries.ts'

const loadSchemas = () => import('./payout-schemas.ts')
const checked = checkedBy(() => loadSchemas().then(({ payoutRequest }) => payoutRequest))
// Without a payment method: the person chooses one.
const empty = { amount: '', paymentDetails: '' }

interface RequestFormProps {
  /** Reads again whether payouts are enabled: an administrator may have disabled them meanwhile. */
  readonly stillEligible: () => Promise<boolean>
}

/** Requests a payout (specification §2, §5). */
export function RequestForm({ stillEligible }: RequestFormProps) {
  const { register, handleSubmit, watch, setValue, setError, setFocus, reset, formState } = useForm({ resolver: checked, defaultValues: empty })
  const request = useRequestPayout()
  const intent = useRef(new PayoutIntent()).current
  const method = methodOf(watch('paymentMethod'))
  const details = method && detailsFields[method]
  const { errors, isSubmitting } = formState

  const submit = handleSubmit(async ({ amount, paymentMethod, paymentDetails }) => {
    const draft: PayoutDraft = { amount: String(amount), paymentMethod, paymentDetails: paymentDetails ?? '' }
    try {
      await request.mutateAsync({ draft, key: intent.keyOf(draft) })
    } catch (error) {
      showAtFields(error, ['amount', 'paymentMethod', 'paymentDetails'], setError)
      if (await refusedAsIneligible(error, stillEligible)) toastFailure('Payouts disabled', 'Your account is not currently eligible for payouts.')
      else if (!(error instanceof ApiError && error.banned)) toastFailure('Request failed', messageOf(error, 'Please try again in a moment.'))
      return
    }
    intent.done()
    reset(empty)
    toast('Payout requested', 'Your payout request has been submitted successfully.')
    setFocus('amount')
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)} onFocus={() => void loadSchemas()} className="flex flex-col gap-4">
      <TextInput
        label="Amount"
        type="number"
        inputMode="decimal"
        step="0.01"
        min="0.01"
        autoComplete="off"
        hint="In US dollars"
        {...register('amount')}
        error={errors.amount?.message}
      />
      <Select
        label="Payment Method"
        placeholder="Select a payment method"
        options={methodOptions}
        // An email address of one service is not valid for another.
        {...register('paymentMethod', { onChange: () => setValue('paymentDetails', '') })}
        error={errors.paymentMethod?.message}
      />
      {details &&
        (details.type === 'lines' ? (
          <TextArea label={details.label} placeholder={details.placeholder} {...register('paymentDetails')} error={errors.paymentDetails?.message} />
        ) : (
          <TextInput
            label={details.label}
            placeholder={details.placeholder}
            type={details.type}
            autoComplete={details.type === 'email' ? 'email' : 'off'}
            {...register('paymentDetails')}
            error={errors.paymentDetails?.message}
          />
        ))}
      <Button
        type="submit"
        busy={isSubmitting}
        className="self-start"
        // Ignores the second click of a double click.
        onClick={(event) => event.detail > 1 && event.preventDefault()}
      >
        Request Payout
      </Button>
    </form>
  )
}

async function refusedAsIneligible(error: unknown, stillEligible: () => Promise<boolean>): Promise<boolean> {
  if (!(error instanceof ApiError) || error.status !== 403 || error.banned) return false
  return !(await stillEligible().catch(() => true))
}
